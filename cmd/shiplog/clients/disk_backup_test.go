//go:build clients

package clients_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A disk that fills up under an export or an import ends it with a line that says so,
// and the next one goes on from there.
func TestClientFullDiskBackup(t *testing.T) {
	n := start(t, t.TempDir())
	for batch := range 12 {
		l := &load{receipts: map[string]uint64{}, refused: map[int]string{}, after: map[int]string{}}
		var list []string
		for i := range 100 {
			list = append(list, review(fmt.Sprintf("large-%d-%d", batch, i), fmt.Sprintf("tool-%d", i), fmt.Sprintf("%d. ", batch)+strings.Repeat("Said at length. ", 1250)))
		}
		if l.send(t.Context(), n, list); len(l.receipts) != len(list) {
			t.Fatalf("not recorded: %v", l.refused)
		}
	}
	disk := aDisk(t, 64)
	whole, backup, data := filepath.Join(t.TempDir(), "whole.jsonl"), filepath.Join(disk, "backup.jsonl"), filepath.Join(disk, "data")
	shiplog(t, 0, "export", "--ops-url", n.Ops, whole)

	full := occupy(t, disk, 50)
	for range 2 {
		saysNoSpace(t, "export", "--ops-url", n.Ops, backup)
	}
	full.giveBack(-1)
	if _, says := shiplog(t, 0, "export", "--ops-url", n.Ops, backup); strings.Contains(says, ", 1 to ") {
		t.Errorf("it began anew: %s", says)
	}
	sameFile(t, backup, whole)
	if err := os.Remove(backup); err != nil {
		t.Fatal(err)
	}

	full = occupy(t, disk, 50)
	for range 2 {
		saysNoSpace(t, "import", "--data", data, whole)
	}
	full.giveBack(-1)
	if _, says := shiplog(t, 0, "import", "--data", data, whole); !strings.Contains(says, "before were there") {
		t.Errorf("it began anew: %s", says)
	}
	shiplog(t, 0, "verify", "--data", data)
	again := filepath.Join(t.TempDir(), "again.jsonl")
	shiplog(t, 0, "export", "--data", data, again)
	sameFile(t, again, whole)
}

// saysNoSpace runs a command that ends for want of room, and says so in one line.
func saysNoSpace(t *testing.T, args ...string) {
	t.Helper()
	_, says := shiplog(t, 2, args...)
	if strings.Count(says, "\n") != 1 || !strings.Contains(says, "cannot be written") ||
		!strings.Contains(says, "no space left on device") || !strings.Contains(says, "it goes on from there") {
		t.Errorf("shiplog %s says %q", args[0], says)
	}
}

func sameFile(t *testing.T, a, b string) {
	t.Helper()
	first, errFirst := os.ReadFile(a)
	second, errSecond := os.ReadFile(b)
	if errFirst != nil || errSecond != nil || !bytes.Equal(first, second) {
		t.Errorf("%s is not %s (%v, %v)", a, b, errFirst, errSecond)
	}
}
