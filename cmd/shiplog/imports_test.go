package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module is the prefix of our own import paths.
const module = "shiplog/"

// layers lists the top-level packages from the facts outwards: a package may
// import its own layer and those before it.
var layers = []string{"events", "projections", "feeds", "ops", "cmd"}

// maxLines is the length past which a file holds more than one noun.
const maxLines = 500

// listedPackage is what these tests read of `go list -json`.
type listedPackage struct {
	ImportPath     string
	Dir            string
	GoFiles        []string
	IgnoredGoFiles []string
	Imports        []string
	TestImports    []string
	XTestImports   []string
	Deps           []string
}

// allImports are the package's own imports of this module, tests included.
func (p listedPackage) allImports() []string {
	var own []string
	for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
		if strings.HasPrefix(path, module) {
			own = append(own, path)
		}
	}
	return own
}

func listPackages(t *testing.T) []listedPackage {
	t.Helper()
	fields := "ImportPath,Dir,GoFiles,IgnoredGoFiles,Imports,TestImports,XTestImports,Deps"
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json="+fields, "-tags=clients", "./...")
	cmd.Dir = filepath.Join("..", "..")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var packages []listedPackage
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listedPackage
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		if err != nil {
			t.Fatalf("decode go list: %v", err)
		}
		packages = append(packages, p)
	}
}

// layer is the place of an import path of this module, -1 if it has none.
func layer(path string) int {
	top, _, _ := strings.Cut(strings.TrimPrefix(path, module), "/")
	return slices.Index(layers, top)
}

func TestImportsGoOneWay(t *testing.T) {
	for _, p := range listPackages(t) {
		own := layer(p.ImportPath)
		if own < 0 {
			t.Errorf("%s lies outside %v", p.ImportPath, layers)
			continue
		}
		for _, path := range p.allImports() {
			if to := layer(path); to < 0 || to > own {
				t.Errorf("%s imports %s; imports go %s", p.ImportPath, path, strings.Join(layers, " ← "))
			}
		}
	}
}

// TestVocabularyIsPure keeps the facts and the decisions free of I/O, so that
// both can be tested as functions and a fold means the same everywhere.
func TestVocabularyIsPure(t *testing.T) {
	may := map[string][]string{
		"shiplog/events":        {},
		"shiplog/events/decide": {"shiplog/events"},
	}
	impure := []string{"net/http", "database/sql", "os/exec", "github.com/nats-io/", "modernc.org/", "zombiezen.com/", "github.com/cockroachdb/", "github.com/prometheus/"}
	found := 0
	for _, p := range listPackages(t) {
		allowed, ok := may[p.ImportPath]
		if !ok {
			continue
		}
		found++
		for _, path := range p.Imports {
			if strings.HasPrefix(path, module) && !slices.Contains(allowed, path) {
				t.Errorf("%s imports %s; it may import %v of ours", p.ImportPath, path, allowed)
			}
		}
		for _, dep := range p.Deps {
			if isOneOf(dep, impure) {
				t.Errorf("%s depends on %s; it does no I/O", p.ImportPath, dep)
			}
		}
	}
	if found != len(may) {
		t.Errorf("found %d of %d pure packages; was one renamed?", found, len(may))
	}
}

// isOneOf tells whether path is in list, or under an entry that ends in "/".
func isOneOf(path string, list []string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		return path == entry || strings.HasSuffix(entry, "/") && strings.HasPrefix(path, entry)
	})
}

func TestFilesStayShort(t *testing.T) {
	for _, p := range listPackages(t) {
		for _, name := range slices.Concat(p.GoFiles, p.IgnoredGoFiles) {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			source, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			lines := bytes.Count(source, []byte("\n"))
			if lines > maxLines && !bytes.HasPrefix(source, []byte("// Code generated ")) {
				t.Errorf("%s/%s has %d lines, over %d: give its second noun a file of its own", p.ImportPath, name, lines, maxLines)
			}
		}
	}
}
