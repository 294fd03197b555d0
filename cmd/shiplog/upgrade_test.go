package main

import (
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
)

// age makes what a stopped node has made from its ledger that of an earlier
// version, with other contents.
func age(t *testing.T, dir string) {
	t.Helper()
	alter(t, dir, `UPDATE tool_versions SET name = 'Bodkin' WHERE name = 'gimlet'`, `DROP INDEX matchups_items`, `PRAGMA user_version = 1`)
	db, err := pebble.Open(filepath.Join(dir, "decisions", "state-1"), &pebble.Options{FormatMajorVersion: pebble.FormatNewest, Logger: quiet{t}})
	if err != nil {
		t.Fatal(err)
	}
	head, closer, err := db.Get([]byte("h"))
	if err != nil {
		t.Fatal(err)
	}
	head = append([]byte{head[0] + 1}, head[1:]...) // it begins with the version
	if err := errors.Join(closer.Close(), db.Set([]byte("h"), head, pebble.Sync), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestUpgrade starts a node on what an earlier version has made from its ledger:
// it takes what comes and ends with what this version makes, without a word.
func TestUpgrade(t *testing.T) {
	dir, site := t.TempDir(), []string{"--base-url", "https://reviews.example.org"}
	old, err := startApp(t.Context(), dir, site...)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"awl", "gimlet", "adze"} {
		if status, body := (aNode{old, t}).submit(aReview(tool, tool)); status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
	}
	before, counted := aNode{old, t}.shown(), aNode{old, t}.counted()
	if err := old.Stop(); err != nil {
		t.Fatal(err)
	}
	age(t, dir)
	n := startNode(t, dir, site...)
	if status, body := n.page("/tools/gimlet"); status != http.StatusOK {
		t.Errorf("a reader is answered %d %s", status, body)
	}
	if status, body := n.submit(aReview("gimlet", "gimlet")); status != http.StatusOK || !strings.Contains(body, `"duplicate"`) {
		t.Errorf("what was recorded is answered %d %s", status, body)
	}
	if exit, _, stderr := n.run("verify"); exit != exitYes {
		t.Errorf("verify: exit %d %s", exit, stderr)
	}
	if n.model.Outdated() {
		t.Error("the read model is still the old one")
	}
	for path, want := range before {
		if n.shown()[path] != want {
			t.Errorf("%s is not what it was", path)
		}
	}
	for i, line := range n.counted() {
		if name, value, _ := strings.Cut(line, " "); value != "0\n" {
			t.Errorf("%s counts what was recorded before: %s (it was %s)", name, value, counted[i])
		}
	}
}
