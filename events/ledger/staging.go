package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
)

// A staging is the folder where the server keeps the messages of an atomic batch
// until they are committed: a small store of files for each batch, synced six or
// seven times, and deleted when it is committed. The server reads it again only
// where it was killed while it moved a batch into the stream, to move the rest.
//
// For that the folder need not be on disk: in memory it outlives the process as
// well. What it does not outlive, such as a loss of power or the end of a container,
// is what the [journal] is for.
type staging struct {
	link   string // the server's folder
	memory string // a folder in memory, where there is any
	inUse  atomic.Bool
}

// stagingRoom is what must be free in memory: more than two of the largest batches.
const stagingRoom = 24 << 20

// newStaging is the staging of a server's folder, which must exist. It changes
// nothing.
func newStaging(dir string) *staging {
	s := &staging{link: streamPath(dir, Stream, "batches")}
	// The same for the same folder, so that what a killed process leaves is found by
	// the next, and cannot pile up.
	if name, ok := folderName(dir); ok {
		s.memory = filepath.Join(memoryDir, fmt.Sprintf("shiplog-%d-%s", os.Getuid(), name))
	}
	return s
}

// use has the batches from now on staged in memory. There must be none under way.
// After an error they are staged on disk.
func (s *staging) use() error {
	err := s.tryUse()
	s.inUse.Store(err == nil)
	return err
}

func (s *staging) tryUse() error {
	if s.memory == "" {
		return errors.ErrUnsupported
	}
	if err := roomInMemory(stagingRoom); err != nil {
		return err
	}
	if err := os.Mkdir(s.memory, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := private(s.memory); err != nil {
		return fmt.Errorf("%s: %w", s.memory, err)
	}
	left, err := os.ReadDir(s.memory)
	for _, e := range left {
		err = errors.Join(err, os.RemoveAll(filepath.Join(s.memory, e.Name())))
	}
	return errors.Join(err, os.RemoveAll(s.link), os.Symlink(s.memory, s.link))
}

// leave has the batches from now on staged on disk. There must be none under way. It
// reports whether they were not until now.
func (s *staging) leave() bool {
	if !s.inUse.Swap(false) || os.Remove(s.link) != nil {
		return false
	}
	_ = os.RemoveAll(s.memory) // the next start would, too
	return true
}

// close removes the folder, unless it holds what the server still needs. It is for
// when the server has ended.
func (s *staging) close() {
	if s.inUse.Swap(false) && os.Remove(s.memory) == nil {
		_ = os.Remove(s.link) // it leads nowhere, and the server removes it at its next start
	}
}
