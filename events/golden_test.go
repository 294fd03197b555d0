package events_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shiplog/events"
)

var update = flag.Bool("update", false, "write golden files that are missing, and the vectors")

// TestGolden decodes one stored event of every type and version for ever. The
// files are never edited: -update writes only those that are missing.
func TestGolden(t *testing.T) {
	if *update {
		for _, p := range samples() {
			writeMissing(t, p)
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		seen[name] = true
		t.Run(name, func(t *testing.T) {
			stored := read(t, file)
			leaf := string(read(t, strings.TrimSuffix(file, ".json")+".leaf"))
			e, err := events.Decode(42, stored)
			if err != nil {
				t.Fatal(err)
			}
			if got := e.Leaf.String(); got != leaf {
				t.Errorf("leaf %s, want %s", got, leaf)
			}
			// An event of an older version is decoded as the newest.
			if e.Type() != name {
				return
			}
			if again := e.AppendCanonical(nil); !bytes.Equal(again, stored) {
				t.Errorf("encoded again:\n%s\nstored:\n%s", again, stored)
			}
			if got := e.Leaf.String(); got != leaf {
				t.Errorf("leaf %s when encoded, want %s", got, leaf)
			}
		})
	}
	for _, info := range events.Types() {
		if !seen[info.Name] {
			t.Errorf("%s has no golden file; go test -run Golden -update writes it", info.Name)
		}
	}
}

func writeMissing(t *testing.T, p events.Payload) {
	t.Helper()
	base := filepath.Join("testdata", "golden", p.Type())
	if _, err := os.Stat(base + ".json"); err == nil {
		return
	}
	e := sampleEvent(p)
	stored := e.AppendCanonical(nil)
	write(t, base+".json", append(stored, '\n'))
	write(t, base+".leaf", []byte(e.Leaf.String()+"\n"))
}

// read is a file without the line break at its end.
func read(t *testing.T, file string) []byte {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSuffix(raw, []byte("\n"))
}

func write(t *testing.T, file string, raw []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, raw, 0o644); err != nil {
		t.Fatal(err)
	}
}
