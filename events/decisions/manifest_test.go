package decisions

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shiplog/events"
	"shiplog/events/decide"
)

// A fullFS has no room for the list of files while full is set.
type fullFS struct {
	vfs.FS
	full   atomic.Bool
	failed atomic.Int64
}

func (fs *fullFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.FS.Create(name, category)
	if err == nil && strings.HasPrefix(filepath.Base(name), "MANIFEST") {
		f = fullFile{f, fs}
	}
	return f, err
}

type fullFile struct {
	vfs.File
	fs *fullFS
}

func (f fullFile) Write(p []byte) (int, error) {
	if f.fs.full.Load() {
		f.fs.failed.Add(1)
		n, _ := f.File.Write(p[:len(p)/2])
		return n, syscall.ENOSPC
	}
	return f.File.Write(p)
}

// full makes a store whose list of files is on such a disk.
func full(t *testing.T) (*Store, *fullFS) {
	t.Helper()
	disk := &fullFS{FS: vfs.Default}
	dir := t.TempDir()
	g, err := openOn(filepath.Join(dir, firstGeneration), disk)
	if err != nil {
		t.Fatal(err)
	}
	return &Store{dir: dir, generation: g}, disk
}

func record(t *testing.T, s *Store) {
	t.Helper()
	layer := decide.New(s)
	e := &events.Event{Seq: s.Head().Seq + 1, RecordedTime: time.UnixMilli(1), Data: &events.ToolRegistered{Tool: fmt.Sprintf("tool-%d", s.Head().Seq), Name: "A tool"}}
	if err := layer.Evolve(e); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(layer); err != nil {
		t.Fatal(err)
	}
}

// Where the list of files cannot be written, the process lives, commits are told,
// and all goes on when there is room.
func TestNoRoomForTheManifest(t *testing.T) {
	s, disk := full(t)
	record(t, s)
	disk.full.Store(true)
	done, err := s.db.AsyncFlush()
	if err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return disk.failed.Load() > 1 })
	if err := s.Commit(decide.New(s)); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("a commit meanwhile: %v", err)
	}
	disk.full.Store(false)
	<-done
	until(t, func() bool { return s.fault.get() == nil })
	record(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	if again.Head().Seq != 2 {
		t.Errorf("the store ends with event %d, want 2", again.Head().Seq)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

// Who opens a store, and who closes one, is told.
func TestNoRoomIsTold(t *testing.T) {
	s, disk := full(t)
	record(t, s)
	disk.full.Store(true)
	if _, err := openOn(filepath.Join(s.dir, "state-2"), disk); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("opened another: %v", err)
	}
	if err := s.Close(); !errors.Is(err, ErrNotFlushed) {
		t.Errorf("closed: %v", err)
	}
}

func until(t *testing.T, done func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	late := time.After(20 * time.Second)
	for !done() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("not within 20 s")
		}
	}
}
