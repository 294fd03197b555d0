package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// lockName is the file a lock is held on. It stays when the lock is released:
// removing it would let two processes lock two files of one name.
const lockName = ".lock"

// A Lock keeps other processes out of a directory.
type Lock struct{ file *os.File }

// LockDir creates the directory if need be and locks it for this process, until
// the lock is closed or the process ends. The error is [ErrLocked] if another
// process holds it.
func LockDir(dir string) (*Lock, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, dirError(dir, err)
	}
	file, err := openLocked(filepath.Join(dir, lockName))
	if errors.Is(err, ErrLocked) {
		return nil, fmt.Errorf("%s: %w; stop the other shiplog or choose another directory with --data", dir, err)
	}
	if err != nil {
		return nil, dirError(dir, err)
	}
	return &Lock{file}, nil
}

// Close releases the directory. It may be called again.
func (l *Lock) Close() error {
	err := l.file.Close()
	if errors.Is(err, fs.ErrClosed) {
		return nil
	}
	return err
}

// intact tells whether the locked file is still where it was.
func (l *Lock) intact() error {
	held, err := l.file.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(l.file.Name())
	if err == nil && !os.SameFile(held, there) {
		err = errReplaced
	}
	return err
}

var errReplaced = errors.New("another folder is in its place")

// dirError says what would mend a directory that cannot be used.
func dirError(dir string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s is not writable: %w; give this user the directory or choose another with --data", dir, err)
	}
	return fmt.Errorf("%s cannot be used: %w; choose another with --data", dir, err)
}
