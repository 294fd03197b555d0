package ops

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// The bounds of the default for --min-free.
const (
	minFreeMost  = 1 << 30
	minFreeLeast = 16 << 20
)

// DiskSpace is what a file system has, in bytes. Free is what an ordinary user
// may still take.
type DiskSpace struct {
	Free  uint64
	Total uint64
}

// Disk asks for the space of the file system that holds dir.
func Disk(dir string) (DiskSpace, error) {
	space, err := diskSpace(dir)
	if err != nil {
		return DiskSpace{}, fmt.Errorf("look at the disk of %s: %w", dir, err)
	}
	return space, nil
}

// DefaultMinFree is the free space below which nothing is recorded: 5 % of the
// disk, at most 1 GiB, at least 16 MiB.
func DefaultMinFree(total uint64) uint64 {
	return max(min(total/20, minFreeMost), minFreeLeast)
}

// SizeOf is how many bytes the files in some folders have. What is not there, or
// goes away meanwhile, has none.
func SizeOf(dirs ...string) (size uint64, err error) {
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				var info fs.FileInfo
				if info, err = entry.Info(); err == nil {
					size += uint64(info.Size())
				}
			}
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		})
		if err != nil {
			return 0, fmt.Errorf("look at the size of %s: %w", dir, err)
		}
	}
	return size, nil
}
