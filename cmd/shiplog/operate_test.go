package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shiplog/events"
	"shiplog/events/audit"
	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
	"shiplog/ops"
)

// aNode is a node under test.
type aNode struct {
	*App
	t *testing.T
}

func startNode(t *testing.T, dir string, flags ...string) aNode {
	t.Helper()
	app, err := startApp(t.Context(), dir, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := app.Stop(); err != nil {
			t.Error(err)
		}
	})
	return aNode{app, t}
}

// ask sends a request and returns what it was answered.
func (n aNode) ask(method, url, body string) (int, string) {
	n.t.Helper()
	req, err := http.NewRequestWithContext(n.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		n.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		n.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		n.t.Fatal(err)
	}
	return res.StatusCode, string(answer)
}

func (n aNode) page(path string) (int, string) {
	n.t.Helper()
	return n.ask(http.MethodGet, "http://"+n.Addr()+path, "")
}

func (n aNode) submit(body string) (int, string) {
	n.t.Helper()
	return n.ask(http.MethodPost, "http://"+n.Addr()+"/api/v1/events", body)
}

func (n aNode) ready() (int, string) {
	n.t.Helper()
	return n.ask(http.MethodGet, "http://"+n.OpsAddr()+"/readyz", "")
}

// run runs a client command against the node.
func (n aNode) run(args ...string) (exit int, stdout, stderr string) {
	n.t.Helper()
	var cli CLI
	var out, errs bytes.Buffer
	std := &stdio{in: strings.NewReader(""), out: &out, err: &errs}
	ctx := context.Background()
	parser, err := newParser(ctx, &cli, std, ops.Build{})
	if err != nil {
		n.t.Fatal(err)
	}
	command, err := parser.Parse(append(args, "--ops-url", "http://"+n.OpsAddr()))
	if err == nil {
		err = command.Run()
	}
	return std.fail(err), out.String(), errs.String()
}

// until waits until a condition holds.
func (n aNode) until(what string, holds func() bool) {
	n.t.Helper()
	deadline := time.After(waitTime)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			_, ready := n.ready()
			n.t.Fatalf("not within %s: %s\n%s", waitTime, what, ready)
		}
	}
}

// caughtUp waits until the pages show everything that is recorded.
func (n aNode) caughtUp() {
	n.t.Helper()
	n.until("pages are at the head", func() bool {
		head, err := n.ledger.Head(n.t.Context())
		return err == nil && n.position() == head
	})
}

// shown are the bytes of pages and feeds, by path.
func (n aNode) shown() map[string]string {
	n.t.Helper()
	n.caughtUp()
	shown := map[string]string{}
	for _, path := range []string{"/", "/tools", "/tools/awl", "/tools/gimlet", "/compare", "/feeds/reviews.atom", "/api/v1/tools"} {
		status, body := n.page(path)
		shown[path] = http.StatusText(status) + "\n" + body
	}
	return shown
}

func aReview(id, tool string) string {
	return `{"specversion":"1.0","id":"` + id + `","source":"/test","type":"shiplog.review.submitted.v1","data":{"tool":"` + tool +
		`","tool_name":"` + tool + `","reviewer":"skeptic","reviewer_name":"The Skeptic","verdict":"ship","body":"It does."}}`
}

// appendNewer writes an event of a newer version past the intake.
func (n aNode) appendNewer() uint64 {
	n.t.Helper()
	last, err := n.ledger.Last(n.t.Context())
	if err != nil {
		n.t.Fatal(err)
	}
	before, err := events.Decode(last.Seq, last.Raw)
	if err != nil {
		n.t.Fatal(err)
	}
	e := &events.Event{
		Seq: last.Seq + 1, ID: "newer", Source: "/shiplog/newer", Time: "2026-11-30T09:00:00Z", RecordedTime: before.RecordedTime,
		Publisher: "shiplog", PrevLeaf: before.Leaf, Data: &events.ToolRetired{Tool: "awl"},
	}
	raw := bytes.Replace(e.AppendCanonical(nil), []byte("retired.v1"), []byte("retired.v9"), 1)
	seq, err := n.ledger.Append(n.t.Context(), last.Seq, []ledger.Message{{Subject: e.LedgerSubject(), Data: raw}})
	if err != nil {
		n.t.Fatal(err)
	}
	return seq
}

// TestSkip has two nodes meet an event of a version that is yet to come. Both
// stop and show what they had; a skip on one mends both without a restart, and a
// rebuild and a new node ignore the event alike.
func TestSkip(t *testing.T) {
	server := ledgertest.NewExternal(t)
	shared := []string{"--nats", server.URL(), "--replicas", "1", "--base-url", "http://reviews.example.org"}
	a := startNode(t, t.TempDir(), shared...)
	b := startNode(t, t.TempDir(), shared...)
	if status, body := a.submit(aReview("1", "awl")); status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	before := a.shown()
	b.caughtUp()
	if exit, _, stderr := a.run("skip", "3", "--reason", "It is fine."); exit != exitNo || !strings.Contains(stderr, "nothing on this node is stopped at event 3") {
		t.Errorf("skip of a good event: exit %d, %s", exit, stderr)
	}
	seq := a.appendNewer()
	for _, n := range []aNode{a, b} {
		n.until("it is not ready, and says why", func() bool {
			status, body := n.ready()
			return status == http.StatusServiceUnavailable && strings.Contains(body, "shiplog.tool.retired.v9") && strings.Contains(body, "shiplog skip 5")
		})
		status, body := n.submit(aReview("2", "gimlet"))
		if status != http.StatusServiceUnavailable || !strings.Contains(body, "event 5") {
			t.Errorf("a submission is answered %d %s", status, body)
		}
		if diff := cmp.Diff(before, n.pagesAsTheyAre(before)); diff != "" {
			t.Errorf("pages (-before +stopped):\n%s", diff)
		}
	}
	if exit, _, stderr := a.run("skip", "4", "--reason", "Not that one."); exit != exitNo || !strings.Contains(stderr, "stopped at event 5") {
		t.Errorf("skip of another event: exit %d, %s", exit, stderr)
	}
	if exit, stdout, stderr := a.run("skip", "5", "--reason", "The newer version was rolled back."); exit != exitYes || !strings.Contains(stdout, "recorded as event 6") || seq != 5 {
		t.Fatalf("skip: exit %d, %s%s", exit, stdout, stderr)
	}
	b.runner.Poke() // it would look by itself within ten seconds
	for i, n := range []aNode{a, b} {
		n.until("it takes submissions", func() bool {
			status, _ := n.submit(aReview("3", "gimlet"))
			return status == http.StatusCreated && i == 0 || status == http.StatusOK && i == 1
		})
		n.until("it is ready", func() bool {
			status, _ := n.ready()
			return status == http.StatusOK
		})
	}
	after := a.shown()
	if !strings.Contains(after["/tools/awl"], "It does.") || after["/tools/gimlet"] == before["/tools/gimlet"] {
		t.Error("the pages do not go on")
	}
	if exit, stdout, stderr := b.run("rebuild"); exit != exitYes || !strings.Contains(stdout, "Rebuilt panel and decisions") {
		t.Fatalf("rebuild: exit %d, %s%s", exit, stdout, stderr)
	}
	c := startNode(t, t.TempDir(), shared...)
	for _, n := range []aNode{b, c} {
		if diff := cmp.Diff(after, n.shown()); diff != "" {
			t.Errorf("pages of another node (-skipped +other):\n%s", diff)
		}
		if status, body := n.submit(aReview("3", "gimlet")); status != http.StatusOK {
			t.Errorf("what is recorded is answered %d %s", status, body)
		}
	}
}

// pagesAsTheyAre are the pages now, caught up or not.
func (n aNode) pagesAsTheyAre(like map[string]string) map[string]string {
	n.t.Helper()
	shown := map[string]string{}
	for path := range like {
		status, body := n.page(path)
		shown[path] = http.StatusText(status) + "\n" + body
	}
	return shown
}

// TestRebuild makes everything anew under readers and writers: nobody meets an
// error, or an older state, and no counter of events moves by it.
func TestRebuild(t *testing.T) {
	n := startNode(t, t.TempDir())
	for _, tool := range []string{"awl", "gimlet", "adze"} {
		if status, body := n.submit(aReview(tool, tool)); status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
	}
	before, counted := n.shown(), n.counted()
	ctx, cancel := context.WithCancel(t.Context())
	read := make(chan string, 1)
	go func() {
		wrong, newest := "", uint64(0)
		for ctx.Err() == nil && wrong == "" {
			status, body := n.page("/tools")
			now := n.position()
			if status != http.StatusOK {
				wrong = body
			}
			if now < newest {
				wrong = "the pages went back"
			}
			newest = max(newest, now)
		}
		read <- wrong
	}()
	for round := range 3 {
		exit, stdout, stderr := n.run("rebuild", "--json")
		var done ops.Rebuilding
		if err := json.Unmarshal([]byte(stdout), &done); err != nil || exit != exitYes || done.State != ops.RebuildDone {
			t.Fatalf("exit %d: %s%s", exit, stdout, stderr)
		}
		for _, p := range done.Parts {
			if p.Compared == 0 || p.Different > 0 || p.First != "" {
				t.Errorf("it was compared: %+v", p)
			}
		}
		if round == 1 {
			if status, body := n.submit(aReview("late", "bradawl")); status != http.StatusCreated {
				t.Fatalf("%d %s", status, body)
			}
			n.caughtUp()
			before, counted = n.shown(), n.counted()
		}
	}
	cancel()
	if wrong := <-read; wrong != "" {
		t.Errorf("a reader met %.500s", wrong)
	}
	if diff := cmp.Diff(before, n.shown()); diff != "" {
		t.Errorf("pages (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(counted, n.counted()); diff != "" {
		t.Errorf("counters (-before +after):\n%s", diff)
	}
	if files, err := filepath.Glob(filepath.Join(n.cmd.Data, "panel", "panel-*.db")); err != nil || len(files) != 1 {
		t.Errorf("the old read model is still there: %v %v", files, err)
	}
	if dirs, err := filepath.Glob(filepath.Join(n.cmd.Data, "decisions", "state-*")); err != nil || len(dirs) != 1 {
		t.Errorf("the old decision state is still there: %v %v", dirs, err)
	}
}

// TestSecondRebuild is refused while one is under way.
func TestSecondRebuild(t *testing.T) {
	n := startNode(t, t.TempDir())
	hold := make(chan struct{})
	n.rebuilder.parts = func() []part {
		return []part{{
			"panel", func(context.Context, <-chan []audit.Decoded) (audit.Comparison, error) {
				<-hold
				return audit.Comparison{}, io.ErrUnexpectedEOF
			},
			func() (uint64, bool) { return 0, true }, func() bool { return false },
		}}
	}
	url := "http://" + n.OpsAddr() + rebuildPath
	if status, body := n.ask(http.MethodPost, url, ""); status != http.StatusAccepted || !strings.Contains(body, ops.RebuildRunning) {
		t.Fatalf("%d %s", status, body)
	}
	if status, body := n.ask(http.MethodPost, url, ""); status != http.StatusConflict || !strings.Contains(body, "under way") {
		t.Errorf("a second: %d %s", status, body)
	}
	if exit, _, stderr := n.run("rebuild"); exit != exitNo || !strings.Contains(stderr, "under way") {
		t.Errorf("a second by command: exit %d %s", exit, stderr)
	}
	close(hold)
	n.until("it has failed, and says so", func() bool {
		_, body := n.ask(http.MethodGet, url, "")
		return strings.Contains(body, ops.RebuildFailed) && strings.Contains(body, io.ErrUnexpectedEOF.Error())
	})
}

// counted are the counters that count events.
func (n aNode) counted() []string {
	n.t.Helper()
	_, metrics := n.ask(http.MethodGet, "http://"+n.OpsAddr()+"/metrics", "")
	var lines []string
	for line := range strings.Lines(metrics) {
		for _, name := range []string{"shiplog_ledger_events_total", "shiplog_projection_events_total", "shiplog_matchups_opened_total", "shiplog_verdict_changes_total"} {
			if strings.HasPrefix(line, name) {
				lines = append(lines, line)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// TestVanishedFolders takes folders away under a running node: what can be made
// again does not end it, and without the ledger's nothing is accepted.
func TestVanishedFolders(t *testing.T) {
	for _, gone := range []string{"panel", "decisions"} {
		t.Run(gone, func(t *testing.T) {
			dir := t.TempDir()
			n := startNode(t, dir)
			if status, body := n.submit(aReview("1", "awl")); status != http.StatusCreated {
				t.Fatalf("%d %s", status, body)
			}
			n.caughtUp()
			if err := os.RemoveAll(filepath.Join(dir, gone)); err != nil {
				t.Fatal(err)
			}
			if status, _ := n.ask(http.MethodGet, "http://"+n.OpsAddr()+"/healthz", ""); status != http.StatusOK {
				t.Errorf("not alive: %d", status)
			}
			status, body := n.submit(aReview("2", "gimlet"))
			if status != http.StatusCreated && status != http.StatusServiceUnavailable {
				t.Errorf("a submission is answered %d %s", status, body)
			}
			if exit, _, stderr := n.run("rebuild"); exit == exitBad {
				t.Errorf("rebuild: exit %d %s", exit, stderr)
			}
		})
	}
	t.Run("nats", func(t *testing.T) {
		dir := t.TempDir()
		n := startNode(t, dir)
		if status, body := n.submit(aReview("1", "awl")); status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
		if err := os.RemoveAll(filepath.Join(dir, "nats")); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"1", "2"} {
			if status, body := n.submit(aReview(id, "awl")); status != http.StatusServiceUnavailable {
				t.Errorf("a submission is answered %d %s", status, body)
			}
		}
		n.until("it is not ready, and says why", func() bool {
			status, body := n.ready()
			return status == http.StatusServiceUnavailable && strings.Contains(body, "was taken away")
		})
		if status, _ := n.page("/tools/awl"); status != http.StatusOK {
			t.Errorf("pages are gone: %d", status)
		}
	})
}
