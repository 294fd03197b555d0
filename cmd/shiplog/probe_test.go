package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestStartSweepsProbes has files that a killed node has left go at the next start.
func TestStartSweepsProbes(t *testing.T) {
	dir := t.TempDir()
	left := []string{filepath.Join(dir, ".probe-1"), filepath.Join(dir, "nats", ".probe-2")}
	if err := os.Mkdir(filepath.Join(dir, "nats"), 0o750); err != nil {
		t.Fatal(err)
	}
	for _, path := range left {
		if err := os.WriteFile(path, []byte("left"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	startNode(t, dir)
	for _, path := range left {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
}
