package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"shiplog/events/audit"
	"shiplog/ops"
)

// alter changes what a stopped node has made from its ledger, behind its back.
func alter(t *testing.T, dir string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "panel", "panel-1.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// quiet drops what Pebble says of its housekeeping.
type quiet struct{ testing.TB }

func (quiet) Infof(string, ...any) {}

// forget removes a tool from a stopped node's decision state.
func forget(t *testing.T, dir, tool string) {
	t.Helper()
	db, err := pebble.Open(filepath.Join(dir, "decisions", "state-1"), &pebble.Options{FormatMajorVersion: pebble.FormatNewest, Logger: quiet{t}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Delete([]byte("t"+tool), pebble.Sync), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestRebuildNamesDamage has rows and a key altered that nothing reads before:
// a rebuild tells what was wrong, and mends it.
func TestRebuildNamesDamage(t *testing.T) {
	dir := t.TempDir()
	site := []string{"--base-url", "https://reviews.example.org"}
	n, err := startApp(t.Context(), dir, site...)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"awl", "gimlet", "adze"} {
		if status, body := (aNode{n, t}).submit(aReview(tool, tool)); status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
	}
	before := aNode{n, t}.shown()
	if err := n.Stop(); err != nil {
		t.Fatal(err)
	}
	alter(t, dir, `UPDATE tool_versions SET name = 'Bodkin' WHERE name = 'gimlet'`, `DELETE FROM reviews WHERE seq = (SELECT max(seq) FROM reviews)`)
	forget(t, dir, "adze")

	node := startNode(t, dir, site...)
	if _, body := node.page("/tools/gimlet"); !strings.Contains(body, "Bodkin") {
		t.Fatal("the damage does not show")
	}
	exit, stdout, stderr := node.run("rebuild")
	if exit != exitYes || !strings.HasPrefix(stdout, "Rebuilt panel and decisions from 8 events") {
		t.Errorf("exit %d: %s%s", exit, stdout, stderr)
	}
	for _, want := range []string{
		`shiplog: panel was wrong as of event 8, in 2 places, the first of them: it has the row "tool_versions `, "Bodkin", "where the ledger makes",
		`shiplog: decisions was wrong as of event 8, in one place: it lacks the tool adze; the new one is in use`,
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("it does not say %q:\n%s", want, stderr)
		}
	}
	for path, want := range before {
		if got := node.shown()[path]; got != want {
			t.Errorf("%s is not what it was before the damage", path)
		}
	}
	if exit, _, stderr := node.run("verify"); exit != exitYes {
		t.Errorf("verify after it: exit %d %s", exit, stderr)
	}
}

// TestRebuildWhileWritten rebuilds again and again under writes: old and new are
// compared as of one event all the same, and never differ.
func TestRebuildWhileWritten(t *testing.T) {
	n := startNode(t, t.TempDir())
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for writer := range 3 {
		writers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if status, body := n.submit(aReview(fmt.Sprintf("w%d-%d", writer, i), fmt.Sprintf("tool-%d", i%50))); status != http.StatusCreated && status != http.StatusOK {
					t.Errorf("%d %s", status, body)
					return
				}
			}
		})
	}
	compared := uint64(math.MaxUint64)
	for range 4 {
		exit, stdout, stderr := n.run("rebuild", "--json")
		var done ops.Rebuilding
		if err := json.Unmarshal([]byte(stdout), &done); err != nil || exit != exitYes {
			t.Fatalf("exit %d: %s%s", exit, stdout, stderr)
		}
		for _, p := range done.Parts {
			if p.Compared == 0 || p.Different > 0 {
				t.Errorf("compared: %+v", p)
			}
			if p.Compared > done.Head {
				t.Errorf("compared as of event %d, rebuilt from %d events", p.Compared, done.Head)
			}
			compared = min(compared, p.Compared)
		}
	}
	close(stop)
	writers.Wait()
	n.caughtUp()
	if head := n.position(); compared >= head {
		t.Errorf("compared as of event %d and later, the head is %d: nothing was written meanwhile", compared, head)
	}
	if exit, _, stderr := n.run("verify"); exit != exitYes {
		t.Errorf("verify: exit %d %s", exit, stderr)
	}
}

// TestRebuildTellsNobody has a hub that is told of each feed that changes: by a
// rebuild none does.
func TestRebuildTellsNobody(t *testing.T) {
	told := make(chan string, 1000)
	hub := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { told <- r.FormValue("hub.url") }))
	t.Cleanup(hub.Close)
	n := startNode(t, t.TempDir(), "--websub-hub", hub.URL, "--base-url", "https://reviews.example.org")
	said := func(id, tool string) {
		if status, body := n.submit(aReview(id, tool)); status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
	}
	about := func(tool string) { // until the hub has heard of its feed
		for deadline := time.After(waitTime); ; {
			select {
			case url := <-told:
				if strings.HasSuffix(url, "/feeds/tools/"+tool+".json") {
					return
				}
				// Feeds are told in order, and one twice where its events come by in two turns.
				if strings.Contains(url, "/feeds/tools/") && !strings.Contains(url, "/feeds/tools/"+tool+".") && !strings.Contains(url, "/feeds/tools/gimlet.") {
					t.Errorf("the hub is told of %s", url)
				}
			case <-deadline:
				t.Fatalf("the hub was not told of %s", tool)
			}
		}
	}
	for _, tool := range []string{"awl", "gimlet"} {
		said(tool, tool)
		for heard := 0; heard < 3; { // in three formats
			if strings.Contains(<-told, "/feeds/tools/"+tool+".") {
				heard++
			}
		}
	}
	if exit, _, stderr := n.run("rebuild"); exit != exitYes {
		t.Fatalf("exit %d %s", exit, stderr)
	}
	said("adze", "adze")
	about("adze")
}

// TestRebuildNeedsRoom is refused before it begins where it would take what is to
// stay free.
func TestRebuildNeedsRoom(t *testing.T) {
	dir := t.TempDir()
	n := startNode(t, dir, "--min-free", "1000TiB")
	exit, _, stderr := n.run("rebuild")
	if exit != exitNo || !strings.Contains(stderr, "1099511627776000 bytes are to stay free (--min-free)") {
		t.Errorf("exit %d %s", exit, stderr)
	}
	if status, body := n.ask(http.MethodPost, "http://"+n.OpsAddr()+rebuildPath, ""); status != http.StatusInsufficientStorage {
		t.Errorf("%d %s", status, body)
	}
	if _, body := n.ask(http.MethodGet, "http://"+n.OpsAddr()+rebuildPath, ""); !strings.Contains(body, ops.RebuildNone) {
		t.Errorf("something was begun: %s", body)
	}
}

// TestUpgradeNeedsRoom starts on what an earlier version has left, where the disk
// has no room for what this one makes of it: that is read, what comes is recorded,
// and readiness says what is wanted, until there is room.
func TestUpgradeNeedsRoom(t *testing.T) {
	dir := t.TempDir()
	old, err := startApp(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if status, body := (aNode{old, t}).submit(aReview("gimlet", "gimlet")); status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	if err := old.Stop(); err != nil {
		t.Fatal(err)
	}
	alter(t, dir, `UPDATE tool_versions SET name = 'Bodkin' WHERE name = 'gimlet'`, `PRAGMA user_version = 1`)
	vast := filepath.Join(dir, "panel", "as-large-as-no-disk")
	if err := errors.Join(os.WriteFile(vast, nil, 0o600), os.Truncate(vast, 8<<40)); err != nil { // it is all hole
		t.Fatal(err)
	}
	n := startNode(t, dir)
	n.until("readiness says why", func() bool {
		status, body := n.ask(http.MethodGet, "http://"+n.OpsAddr()+"/readyz", "")
		return status == http.StatusServiceUnavailable && strings.Contains(body, "no room yet, and is read as it was: a rebuild takes about 87960")
	})
	if status, body := n.submit(aReview("awl", "awl")); status != http.StatusCreated {
		t.Errorf("what comes is answered %d %s", status, body)
	}
	if status, body := n.page("/tools/gimlet"); status != http.StatusOK || !strings.Contains(body, "Bodkin") {
		t.Errorf("a reader is answered %d %s", status, body)
	}
	if err := os.Remove(vast); err != nil {
		t.Fatal(err)
	}
	n.until("the new one shows all", func() bool {
		status, _ := n.page("/tools/awl")
		return status == http.StatusOK && !n.model.Outdated()
	})
	if _, body := n.page("/tools/gimlet"); strings.Contains(body, "Bodkin") {
		t.Error("the old one is still shown")
	}
}

// TestRebuildInPart has one part switched before the other fails.
func TestRebuildInPart(t *testing.T) {
	n := startNode(t, t.TempDir())
	switched := make(chan struct{})
	n.rebuilder.parts = func() []part {
		list := n.parts()
		panel, decisions := list[0].rebuild, &list[1]
		list[0].rebuild = func(ctx context.Context, shared <-chan []audit.Decoded) (audit.Comparison, error) {
			defer close(switched)
			return panel(ctx, shared)
		}
		decisions.rebuild = func(context.Context, <-chan []audit.Decoded) (audit.Comparison, error) {
			<-switched
			return audit.Comparison{}, io.ErrUnexpectedEOF
		}
		return list
	}
	exit, _, stderr := n.run("rebuild")
	if exit != exitNo || !strings.Contains(stderr, "rebuilt in part: unexpected EOF; the new panel is in use, and of decisions what was in use still is") {
		t.Errorf("exit %d %s", exit, stderr)
	}
}
