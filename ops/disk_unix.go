//go:build linux || darwin || freebsd

package ops

import "golang.org/x/sys/unix"

func diskSpace(dir string) (DiskSpace, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return DiskSpace{}, err
	}
	block := uint64(s.Bsize)
	// Some systems have a negative number for space that only root may take.
	return DiskSpace{Free: uint64(max(int64(s.Bavail), 0)) * block, Total: s.Blocks * block}, nil //nolint:gosec // its type depends on the system
}
