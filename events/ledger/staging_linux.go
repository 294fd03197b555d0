package ledger

import (
	"errors"
	"os"
	"syscall"
)

// memoryDir is a directory in memory with so many bytes free, where files stay
// when the process ends, empty if there is none.
func memoryDir(room int64) string {
	const (
		dir   = "/dev/shm" // https://man7.org/linux/man-pages/man7/shm_overview.7.html
		tmpfs = 0x01021994 // https://man7.org/linux/man-pages/man2/statfs.2.html
	)
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil || s.Type != tmpfs || int64(s.Bavail)*s.Bsize < room {
		return ""
	}
	return dir
}

// private checks that a directory is this user's, and nobody else's to write in.
func private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || !info.IsDir() || info.Mode().Perm() != 0o700 || int(stat.Uid) != os.Getuid() {
		return errNotOurs
	}
	return nil
}

var errNotOurs = errors.New("the directory is not this user's alone")

// syncData waits until what was written is on disk, and no longer.
func syncData(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
