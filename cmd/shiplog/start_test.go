//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/cmd/shiplog/process"
	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

const site = "--base-url=https://reviews.example.org"

// A held start is one whose embedded server waits for a file of its state, as for
// a disk that takes its time: a pipe stands in the place of the file.
type heldStart struct {
	t       *testing.T
	path    string
	content []byte
}

// holdStart holds up the next start on a data directory.
func holdStart(t *testing.T, dir string) *heldStart {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "nats", "jetstream", "*", "streams", ledger.Stream, "meta.inf"))
	if err != nil || len(found) != 1 {
		t.Fatalf("the state of the ledger's stream is in %q: %v", found, err)
	}
	h := &heldStart{t: t, path: found[0]}
	if h.content, err = os.ReadFile(h.path); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(h.path), syscall.Mkfifo(h.path, 0o600)); err != nil {
		t.Fatal(err)
	}
	return h
}

// reached returns when the server waits for the file. It is let go on by what it
// returns.
func (h *heldStart) reached() (letGo func()) {
	h.t.Helper()
	opened := make(chan *os.File)
	go func() {
		defer close(opened)
		if pipe, err := os.OpenFile(h.path, os.O_WRONLY, 0); err == nil { // when somebody reads it
			opened <- pipe
		}
	}()
	pipe := <-opened
	if pipe == nil {
		h.t.Fatalf("%s cannot be written", h.path)
	}
	h.restore()
	return func() {
		h.t.Helper()
		_, err := pipe.Write(h.content)
		if err = errors.Join(err, pipe.Close()); err != nil {
			h.t.Fatal(err)
		}
	}
}

// restore puts the file back. Who has the pipe open goes on reading that.
func (h *heldStart) restore() {
	h.t.Helper()
	whole := h.path + ".new"
	if err := errors.Join(os.WriteFile(whole, h.content, 0o600), os.Rename(whole, h.path)); err != nil {
		h.t.Fatal(err)
	}
}

// paths are pages, feeds and answers that need nothing but the read model.
var paths = []string{
	"/", "/tools", "/tools/awl", "/compare", "/reviewers", "/search?q=awl", "/tools/awl?at=4",
	"/feeds/reviews.atom", "/feeds/verdicts.json", "/feeds.opml", "/api/v1/tools", "/api/v1/tools/awl",
}

// A shownAnswer is what a reader is sent.
type shownAnswer struct {
	Status      int
	Body        string
	ETag, AsOf  string
	Retry, Kind string
}

func ask(t *testing.T, method, url, body string, header http.Header) shownAnswer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	maps.Copy(req.Header, header)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return shownAnswer{resp.StatusCode, string(got), resp.Header.Get("Etag"), resp.Header.Get("Shiplog-Seq"), resp.Header.Get("Retry-After"), resp.Header.Get("Content-Type")}
}

// dateOf is the Last-Modified of a feed, empty for none.
func dateOf(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.Header.Get("Last-Modified")
}

func readers(t *testing.T, base string) map[string]shownAnswer {
	t.Helper()
	got := map[string]shownAnswer{}
	for _, path := range paths {
		got[path] = ask(t, http.MethodGet, base+path, "", nil)
		if got[path].Status != http.StatusOK {
			t.Errorf("%s is answered %d", path, got[path].Status)
		}
	}
	return got
}

// leaveLedger records reviews, and returns what readers were shown at the end.
func leaveLedger(t *testing.T, dir string, flags ...string) map[string]shownAnswer {
	t.Helper()
	app, err := startApp(t.Context(), dir, append(flags, site, "--title", "The panel")...)
	if err != nil {
		t.Fatal(err)
	}
	n := aNode{app, t}
	for _, tool := range []string{"awl", "gimlet", "adze"} {
		if status, body := n.submit(aReview(tool, tool)); status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
	}
	n.caughtUp()
	before := readers(t, "http://"+n.Addr())
	if err := app.Stop(); err != nil {
		t.Fatal(err)
	}
	return before
}

// show runs the real program until it shows pages.
func show(t *testing.T, dir string, flags ...string) *process.Node {
	t.Helper()
	n, err := process.Show(context.Background(), "shiplog", dir, append(flags, site, "--title", "The panel")...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Kill)
	return n
}

// While the embedded server reads its state, readers have the last good state to
// the byte, whoever needs the ledger is told to ask again, and the node says what
// it waits for.
func TestPagesAreShownBeforeTheLedgerIsOpen(t *testing.T) {
	dir := t.TempDir()
	before := leaveLedger(t, dir)
	held := holdStart(t, dir)
	n := show(t, dir)
	letGo := held.reached()
	if diff := cmp.Diff(before, readers(t, n.Base)); diff != "" {
		t.Errorf("readers are shown (-before +now):\n%s", diff)
	}
	known := http.Header{"If-None-Match": {before["/tools/awl"].ETag}}
	if got := ask(t, http.MethodGet, n.Base+"/tools/awl", "", known); got.Status != http.StatusNotModified {
		t.Errorf("who has the page is answered %d", got.Status)
	}
	refusesWhatNeedsTheLedger(t, n)
	saysThatItStarts(t, n, "nats")
	if date := dateOf(t, n.Base+"/feeds/reviews.atom"); date != "" {
		t.Errorf("a feed is of %s, though there may be more events of that second", date)
	}

	letGo()
	if err := n.Serving(); err != nil {
		t.Fatal(err)
	}
	goesOn(t, n)
	if err := n.Stop(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}

func refusesWhatNeedsTheLedger(t *testing.T, n *process.Node) {
	t.Helper()
	for _, c := range []struct {
		method, url string
		header      http.Header
	}{
		{"GET", n.Base + "/events/1", nil},
		{"GET", n.Base + "/api/v1/events", nil},
		{"GET", n.Base + "/tools?at=99", nil},
		{"GET", n.Base + "/tools", http.Header{"Shiplog-Min-Seq": {"99"}}},
		{"GET", n.Base + "/api/v1/tools", http.Header{"Shiplog-Min-Seq": {"99"}}},
		{"GET", n.Base + "/feeds/reviews.atom", http.Header{"Shiplog-Min-Seq": {"99"}}},
		{"POST", n.Base + "/api/v1/events", nil},
		{"POST", n.Base + "/api/v1/events?dry_run=1", nil},
		{"GET", n.Ops + "/admin/v1/rejected", nil},
		{"GET", n.Ops + "/admin/v1/rejected/1", nil},
		{"DELETE", n.Ops + "/admin/v1/rejected/1", nil},
		{"GET", n.Ops + "/admin/v1/export", nil},
		{"POST", n.Ops + "/admin/v1/rebuild", nil},
	} {
		body := ""
		if c.method == http.MethodPost {
			body = aReview("early", "awl")
		}
		got := ask(t, c.method, c.url, body, c.header)
		if got.Status != http.StatusServiceUnavailable || got.Retry != "1" || !strings.Contains(got.Body, "his node is starting") {
			t.Errorf("%s %s %v is answered %d, Retry-After %q: %s", c.method, c.url, c.header, got.Status, got.Retry, got.Body)
		}
	}
	if got := ask(t, http.MethodPost, n.Ops+"/admin/v1/skip", `{"seq":2,"reason":"none"}`, nil); got.Status != http.StatusServiceUnavailable {
		t.Errorf("a skip is answered %d %s", got.Status, got.Body)
	}
	if got := ask(t, http.MethodGet, n.Ops+"/admin/v1/verify", "", nil); !strings.Contains(got.Body, `"error":"this node is starting`) {
		t.Errorf("a verification is answered %s", got.Body)
	}
}

func saysThatItStarts(t *testing.T, n *process.Node, waitsFor string) {
	t.Helper()
	if got := ask(t, http.MethodGet, n.Ops+"/healthz", "", nil); got.Status != http.StatusOK {
		t.Errorf("/healthz is answered %d", got.Status)
	}
	got := ask(t, http.MethodGet, n.Ops+"/readyz", "", nil)
	if got.Status != http.StatusServiceUnavailable || !strings.Contains(got.Body, "the node is starting ("+waitsFor) {
		t.Errorf("/readyz is answered %d %s", got.Status, got.Body)
	}
	for _, c := range []struct {
		args []string
		exit int
		says string
	}{
		{[]string{"health"}, exitYes, "alive\n"},
		{[]string{"health", "--ready"}, exitNo, "not ready: start: the node is starting (" + waitsFor},
		{[]string{"status"}, exitYes, "STARTING"},
		{[]string{"rejected", "list"}, exitBad, "this node is starting"},
	} {
		if exit, out, errs := runAt(t, n, c.args...); exit != c.exit || !strings.Contains(out+errs, c.says) {
			t.Errorf("shiplog %s: exit %d\n%s%s", strings.Join(c.args, " "), exit, out, errs)
		}
	}
	if _, out, _ := runAt(t, n, "status"); !strings.Contains(out, "The panel") || !strings.Contains(out, "not known") {
		t.Errorf("shiplog status says\n%s", out)
	}
	metrics := ask(t, http.MethodGet, n.Ops+"/metrics", "", nil).Body
	if !strings.Contains(metrics, "\nshiplog_ready 0\n") {
		t.Error("shiplog_ready is not 0")
	}
	// What is not known is no figure: neither that nothing is behind, nor a ledger of no events.
	for _, unknown := range []string{"shiplog_projection_lag_", "shiplog_ledger_last_sequence", "shiplog_rejected_events", "shiplog_nats_connected"} {
		if strings.Contains(metrics, "\n"+unknown) {
			t.Errorf("there is a figure for %s", unknown)
		}
	}
}

// goesOn holds a node that serves to its work.
func goesOn(t *testing.T, n *process.Node) {
	t.Helper()
	got := ask(t, http.MethodPost, n.Base+"/api/v1/events", aReview("after", "bradawl"), nil)
	if got.Status != http.StatusCreated {
		t.Fatalf("a submission is answered %d %s", got.Status, got.Body)
	}
	seen := http.Header{"Shiplog-Min-Seq": {got.AsOf}}
	if got := ask(t, http.MethodGet, n.Base+"/tools/bradawl", "", seen); got.Status != http.StatusOK {
		t.Errorf("its page is answered %d", got.Status)
	}
	if got := ask(t, http.MethodGet, n.Base+"/events/1", "", nil); got.Status != http.StatusOK {
		t.Errorf("the page of event 1 is answered %d", got.Status)
	}
	if exit, _, errs := runAt(t, n, "health", "--ready", "--wait", waitTime.String()); exit != exitYes {
		t.Errorf("it is not ready: %s", errs)
	}
	wait(t, "the date of a feed", func() bool { return dateOf(t, n.Base+"/feeds/reviews.atom") != "" })
	metrics := ask(t, http.MethodGet, n.Ops+"/metrics", "", nil).Body
	for _, known := range []string{`shiplog_projection_lag_seconds{projection="panel"} 0`, "shiplog_nats_connected 1", "shiplog_ready 1"} {
		if !slices.Contains(strings.Split(metrics, "\n"), known) {
			t.Errorf("the metrics do not say %s", known)
		}
	}
}

// runAt runs a client command against a node.
func runAt(t *testing.T, n *process.Node, args ...string) (exit int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	exit = run(t.Context(), append(args, "--ops-url", n.Ops), &stdio{in: strings.NewReader(""), out: &out, err: &errs}, buildOf("test", "test"))
	return exit, out.String(), errs.String()
}

// So they are where another version has made what is read: as it was left, until
// this version's is there.
func TestOutdatedPagesAreShownBeforeTheLedgerIsOpen(t *testing.T) {
	dir := t.TempDir()
	before := leaveLedger(t, dir)
	age(t, dir)
	held := holdStart(t, dir)
	n := show(t, dir)
	letGo := held.reached()
	if body := readers(t, n.Base)["/tools"].Body; !strings.Contains(body, "Bodkin") {
		t.Errorf("the tools are not those of the earlier version:\n%s", body)
	}
	letGo()
	if err := n.Serving(); err != nil {
		t.Fatal(err)
	}
	if exit, _, errs := runAt(t, n, "verify"); exit != exitYes { // it waits for this version's
		t.Errorf("verify: exit %d %s", exit, errs)
	}
	if diff := cmp.Diff(before, readers(t, n.Base)); diff != "" {
		t.Errorf("readers are shown (-before +now):\n%s", diff)
	}
}

// A node that is told to end while the embedded server reads its state does so at
// once, and is as it was at the next start.
func TestStopBeforeTheLedgerIsOpen(t *testing.T) {
	dir := t.TempDir()
	before := leaveLedger(t, dir)
	held := holdStart(t, dir)
	n := show(t, dir)
	_ = held.reached()
	if err := n.Stop(); err != nil {
		t.Errorf("it ends with %v", err)
	}
	n = show(t, dir)
	if err := n.Serving(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, readers(t, n.Base)); diff != "" {
		t.Errorf("readers are shown (-before +now):\n%s", diff)
	}
	goesOn(t, n)
}

// A node whose NATS is not there yet shows its pages, and goes on by itself when
// it comes.
func TestPagesAreShownWithoutNATS(t *testing.T) {
	server, dir := ledgertest.NewExternal(t), t.TempDir()
	flags := []string{"--nats", server.URL(), "--replicas", "1"}
	before := leaveLedger(t, dir, flags...)
	server.Stop()
	hear := notified(t)
	n := show(t, dir, flags...)
	hear(notifyPatience)
	if diff := cmp.Diff(before, readers(t, n.Base)); diff != "" {
		t.Errorf("readers are shown (-before +now):\n%s", diff)
	}
	refusesWhatNeedsTheLedger(t, n)
	saysThatItStarts(t, n, "")
	server.Start()
	if err := n.Serving(); err != nil {
		t.Fatal(err)
	}
	hear(notifyReady)
	goesOn(t, n)
	if err := n.Stop(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}

// A node that waits for its NATS ends when it is told to.
func TestStopWithoutNATS(t *testing.T) {
	server, dir := ledgertest.NewExternal(t), t.TempDir()
	flags := []string{"--nats", server.URL(), "--replicas", "1"}
	leaveLedger(t, dir, flags...)
	server.Stop()
	n := show(t, dir, flags...)
	if err := n.Stop(); err != nil {
		t.Errorf("it ends with %v", err)
	}
	server.Start() // its own end stops it
}
