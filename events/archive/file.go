package archive

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// What temporary files are called beside the file they become.
const (
	partSuffix = ".partial"  // a new export
	moreSuffix = ".continue" // a copy of one that is added to
)

// A File is an export that is being written. It takes its name when it is
// committed.
type File struct {
	*Writer
	path string
	file *os.File
	keep bool // when it is closed before it is committed
	tail Tail
}

// Create begins the export that is to stand at path, or goes on with one that
// was interrupted: see [File.Tail]. It is compressed if the path ends in .gz.
func Create(path string) (*File, error) {
	file, err := os.OpenFile(path+partSuffix, os.O_RDWR|os.O_CREATE, 0o640)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, file: file, keep: true}
	return f, f.resume(strings.HasSuffix(path, ".gz"))
}

// Continue goes on with a finished export. It works on a copy, which takes the
// place of the file when it is committed.
func Continue(path string) (*File, error) {
	from, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	file, err := os.OpenFile(path+moreSuffix, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o640)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, file: file}
	if _, err := io.Copy(file, from); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, f.resume(strings.HasSuffix(path, ".gz"))
}

// resume cuts off what is not whole and writes behind it.
func (f *File) resume(zip bool) (err error) {
	if f.tail, err = tailOf(f.file); err == nil {
		if f.tail.Lines == 0 {
			f.tail = Tail{Zip: zip}
		}
		err = f.file.Truncate(f.tail.end)
	}
	if err == nil {
		_, err = f.file.Seek(f.tail.end, io.SeekStart)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("read %s: %w", f.file.Name(), err), f.Close())
	}
	f.Writer = NewWriter(f.file, f.tail.Zip)
	return nil
}

// Tail is how the file ended when it was opened; what follows is written behind
// that.
func (f *File) Tail() Tail { return f.tail }

// Restart forgets what was there.
func (f *File) Restart() error {
	f.tail = Tail{Zip: strings.HasSuffix(f.path, ".gz")}
	if err := f.file.Truncate(0); err != nil {
		return err
	}
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	f.Writer = NewWriter(f.file, f.tail.Zip)
	return nil
}

// Commit has the file on disk under its name. It replaces what had it.
func (f *File) Commit() error {
	if err := f.Writer.Close(); err != nil {
		return err
	}
	if err := f.file.Sync(); err != nil {
		return err
	}
	if err := os.Rename(f.file.Name(), f.path); err != nil {
		return err
	}
	err := f.file.Close()
	f.file = nil
	dir, errDir := os.Open(filepath.Dir(f.path))
	if errDir != nil {
		return errors.Join(err, errDir)
	}
	return errors.Join(err, dir.Sync(), dir.Close())
}

// Close ends the writing. What was not committed is kept to be gone on with, if
// it is a new export.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	name := f.file.Name()
	var err error
	if f.keep && f.Writer != nil {
		err = f.Writer.Close()
	}
	if err = errors.Join(err, f.file.Close()); !f.keep {
		err = errors.Join(err, os.Remove(name))
	}
	f.file = nil
	return err
}
