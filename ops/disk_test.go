package ops_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"shiplog/ops"
)

func TestSizeOf(t *testing.T) {
	dir := t.TempDir()
	err := errors.Join(
		os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700),
		os.WriteFile(filepath.Join(dir, "a", "one"), make([]byte, 1000), 0o600),
		os.WriteFile(filepath.Join(dir, "a", "b", "two"), make([]byte, 234), 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	size, err := ops.SizeOf(filepath.Join(dir, "a"), filepath.Join(dir, "missing"))
	if err != nil || size != 1234 {
		t.Errorf("%d bytes, want 1234: %v", size, err)
	}
}
