package ops_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"shiplog/ops"
)

// TestDiskProbe is of a folder that goes away. That a disk hangs is tested on one,
// in cmd/shiplog/clients.
func TestDiskProbe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "disk")
	for _, there := range []bool{true, false} {
		if there {
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		} else if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		p := ops.NewDiskProbe(dir)
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // it probes once all the same
		var wg sync.WaitGroup
		wg.Go(func() { p.Run(ctx) })
		wg.Wait()
		if err := p.Err(); there != (err == nil) || err != nil && !strings.Contains(err.Error(), "takes no file") {
			t.Errorf("there %t: %v", there, err)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
