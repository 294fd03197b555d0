package decisions_test

import (
	"os"
	"path/filepath"
	"testing"
)

// The folder may be a disk of its own: what mkfs puts there stays, what an older
// state left goes.
func TestOpenOnADiskOfItsOwn(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"lost+found", "state-7"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	closed(t, open(t, dir))
	if _, err := os.Stat(filepath.Join(dir, "lost+found")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "state-7")); !os.IsNotExist(err) {
		t.Errorf("another state is left (%v)", err)
	}
}
