package main_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	testFunction = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9_]*)\(`)
	quotedName   = regexp.MustCompile("`([A-Za-z0-9_/]+)`")
)

// TestFaultTableNamesTests holds the table of faults in DESIGN.md to the tests
// that it says show them.
func TestFaultTableNamesTests(t *testing.T) {
	root := filepath.Join("..", "..")
	known := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if strings.HasSuffix(path, ".txtar") {
			known[strings.TrimSuffix(d.Name(), ".txtar")] = true
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		for _, match := range testFunction.FindAllStringSubmatch(string(source), -1) {
			known[match[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	design, err := os.ReadFile(filepath.Join(root, "DESIGN.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(design), "| what happens | what is seen | what is lost | test |\n|---|---|---|---|\n")
	if !found {
		t.Fatal("DESIGN.md has no table of faults")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(row), "|"), "|")
		tests := 0
		for _, match := range quotedName.FindAllStringSubmatch(cells[len(cells)-1], -1) {
			switch name := match[1]; {
			case known[name]:
				tests++
			case !strings.Contains(name, "/"): // which names a package
				t.Errorf("there is no test %s, named for %q", name, strings.TrimSpace(cells[0]))
			}
		}
		if len(cells) != 4 || tests == 0 {
			t.Errorf("no test shows %q", row)
		}
	}
}
