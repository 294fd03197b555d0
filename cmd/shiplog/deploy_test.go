package main

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"shiplog/ops"
)

// Every setting in the files for deployment is one that the program knows.
func TestDeploymentsSetWhatExists(t *testing.T) {
	var cli CLI
	parser, err := newParser(t.Context(), &cli, &stdio{in: bytes.NewReader(nil), out: io.Discard, err: io.Discard}, ops.Build{})
	if err != nil {
		t.Fatal(err)
	}
	known := append(flagVariables(parser.Model), otherVariables...)
	paths := []string{"../../docker-compose.yml", "../../Dockerfile"}
	err = filepath.WalkDir("../../ops/deploy", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	setting := regexp.MustCompile(`\bSHIPLOG_[A-Z_]+\b`)
	found := 0
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range setting.FindAllString(string(raw), -1) {
			found++
			if !slices.Contains(known, name) {
				t.Errorf("%s sets %s, which is no setting", path, name)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d settings were found", found)
	}
}
