package decisions

import (
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A patientFS keeps the process alive on a full disk. Pebble ends it when its list
// of files (MANIFEST) cannot be written, since it cannot tell then what the list
// says. So a write of the list that fails is made again until it does not: there
// may be room again, and what has to wait meanwhile is told of the fault.
//
// It is patient from [patientFS.begin] to [patientFS.end] only: who opens a
// store, and who closes one, is told of the error.
type patientFS struct {
	vfs.FS
	fault   *fault
	patient atomic.Bool
}

func (fs *patientFS) begin() { fs.patient.Store(true) }
func (fs *patientFS) end()   { fs.patient.Store(false) }

// insist does something until it succeeds. The fault holds Pebble up.
func (fs *patientFS) insist(do func() error) error {
	for failed := false; ; failed = true {
		err := do()
		if err == nil && failed {
			fs.fault.err.Store(nil)
		}
		if err == nil || !fs.patient.Load() {
			return err
		}
		fs.fault.met(err)
	}
}

// Create implements [vfs.FS].
func (fs *patientFS) Create(name string, category vfs.DiskWriteCategory) (file vfs.File, err error) {
	if base := filepath.Base(name); !strings.HasPrefix(base, "MANIFEST") && !strings.HasPrefix(base, "marker.") {
		return fs.FS.Create(name, category)
	}
	err = fs.insist(func() error {
		file, err = fs.FS.Create(name, category)
		return err
	})
	if err != nil {
		return nil, err
	}
	return patientFile{file, fs}, nil
}

// A patientFile is a MANIFEST, or the file that names the one in use.
type patientFile struct {
	vfs.File
	fs *patientFS
}

// Write writes what is still to be written.
func (f patientFile) Write(p []byte) (n int, err error) {
	err = f.fs.insist(func() error {
		more, err := f.File.Write(p[n:])
		n += more
		return err
	})
	return n, err
}

// Sync implements [vfs.File].
func (f patientFile) Sync() error { return f.fs.insist(f.File.Sync) }

// SyncData implements [vfs.File].
func (f patientFile) SyncData() error { return f.fs.insist(f.File.SyncData) }

// A lastWord is what Pebble says before it would end the process. While a store
// is not patient, that is of an error it then returns.
type lastWord struct {
	silent
	fs *patientFS
}

func (l lastWord) Fatalf(format string, args ...any) {
	if l.fs.patient.Load() {
		l.silent.Fatalf(format, args...)
	}
}
