package ledger

import (
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// Where there is memory for it, batches are staged there and nowhere else, also
// after a restart of the server, and nothing is left at the end.
func TestStagingInMemory(t *testing.T) {
	var memory string
	t.Run("serve", func(t *testing.T) {
		s, l := startStaged(t, t.TempDir())
		memory = s.staging.memory
		if !s.staging.inUse.Load() {
			t.Fatal("this machine has no room in /dev/shm")
		}
		stages := func(head uint64) {
			t.Helper()
			past := time.Unix(1, 0)
			if err := os.Chtimes(memory, past, past); err != nil {
				t.Fatal(err)
			}
			if _, err := l.Append(t.Context(), head, joined(2)); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(memory); err != nil || info.ModTime().Equal(past) {
				t.Errorf("nothing was staged in %s (%v)", memory, err)
			}
		}
		stages(0)
		back := l.nc.StatusChanged(nats.CONNECTED)
		if err := s.Restart(); err != nil {
			t.Fatal(err)
		}
		<-back
		stages(2)
		expect(t, l, 0, append(joined(2), joined(2)...))
	})
	if _, err := os.Lstat(memory); !os.IsNotExist(err) {
		t.Errorf("%s is left (%v)", memory, err)
	}
}

// Memory that is taken away costs speed and nothing else.
func TestStagingFallsBack(t *testing.T) {
	s, l := startStaged(t, t.TempDir())
	if err := os.RemoveAll(s.staging.memory); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), 0, joined(3)); err != nil {
		t.Fatal(err)
	}
	if s.staging.inUse.Load() {
		t.Error("the memory that is gone is still in use")
	}
	if info, err := os.Lstat(s.staging.link); err != nil || !info.IsDir() {
		t.Errorf("batches are not staged on disk (%v)", err)
	}
	if _, err := l.Append(t.Context(), 3, joined(2)); err != nil {
		t.Fatal(err)
	}
	expect(t, l, 0, append(joined(3), joined(2)...))
}

// A folder of that name which another user may write in is not used.
func TestStagingInAForeignFolder(t *testing.T) {
	dir := t.TempDir()
	memory := newStaging(dir).memory
	if err := os.Mkdir(memory, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(memory) })
	if err := os.Chmod(memory, 0o770); err != nil { //nolint:gosec // the fault of this test
		t.Fatal(err)
	}
	s, l := startStaged(t, dir)
	if s.staging.inUse.Load() {
		t.Error("it is used")
	}
	if _, err := l.Append(t.Context(), 0, joined(2)); err != nil {
		t.Error(err)
	}
}
