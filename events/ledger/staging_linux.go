package ledger

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// memoryDir is in memory, and files stay there when the process ends
// (https://man7.org/linux/man-pages/man7/shm_overview.7.html).
const memoryDir = "/dev/shm"

// roomInMemory checks that so many bytes are free in it.
func roomInMemory(room int64) error {
	const tmpfs = 0x01021994 // https://man7.org/linux/man-pages/man2/statfs.2.html
	var s syscall.Statfs_t
	if err := syscall.Statfs(memoryDir, &s); err != nil {
		return fmt.Errorf("%s: %w", memoryDir, err)
	}
	if s.Type != tmpfs {
		return fmt.Errorf("%s is not in memory", memoryDir)
	}
	if free := int64(s.Bavail) * s.Bsize; free < room {
		return fmt.Errorf("%s has %d MiB free, %d MiB are wanted", memoryDir, free>>20, room>>20)
	}
	return nil
}

// folderName is the same for a folder whatever it is called, and another for any
// other that there is.
func folderName(dir string) (string, bool) {
	info, err := os.Stat(dir)
	if err != nil {
		return "", false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", false
	}
	return fmt.Sprintf("%x-%x", stat.Dev, stat.Ino), true
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
