package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"shiplog/events"
	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

// A corruption is something done to a ledger that a node must not go on with. The
// node serves, or is stopped for it, and has recorded 8 events of 3 tools.
type corruption struct {
	name  string
	spoil func(t *testing.T, s *spoiled)
	says  []string // what readiness says, in one line
	gap   bool     // it is one that events are missing from
}

// spoiled is a node on a NATS of its own.
type spoiled struct {
	node   *App
	server *ledgertest.External
	dir    string
	flags  []string
}

func (s *spoiled) start(t *testing.T) {
	t.Helper()
	node, err := startApp(t.Context(), s.dir, s.flags...)
	if err != nil {
		t.Fatal(err)
	}
	s.node = node
	t.Cleanup(func() {
		if s.node != node {
			return
		}
		if err := node.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// whileStopped does something while neither node nor NATS run.
func (s *spoiled) whileStopped(t *testing.T, do func(store string) error) {
	t.Helper()
	if err := s.node.Stop(); err != nil {
		t.Fatal(err)
	}
	s.node = nil
	s.server.Stop()
	if err := do(s.server.StoreDir()); err != nil {
		t.Fatal(err)
	}
	s.server.Start()
	s.start(t)
}

// stream is the ledger's stream as an operator has it.
func (s *spoiled) stream(t *testing.T) (jetstream.JetStream, jetstream.Stream) {
	t.Helper()
	js, err := jetstream.New(s.server.Connect())
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), ledger.Stream)
	if err != nil {
		t.Fatal(err)
	}
	return js, stream
}

// record adds reviews of tools.
func (s *spoiled) record(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if status, body := (aNode{s.node, t}).submit(aReview(tool, tool)); status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
	}
	aNode{s.node, t}.caughtUp()
}

// other is the store of another ledger with as many reviews as tools.
func other(t *testing.T, tools ...string) string {
	t.Helper()
	s := &spoiled{server: ledgertest.NewExternal(t), dir: t.TempDir()}
	s.flags = []string{"--nats", s.server.URL(), "--replicas", "1"}
	s.start(t)
	s.record(t, tools...)
	if err := s.node.Stop(); err != nil {
		t.Fatal(err)
	}
	s.node = nil
	s.server.Stop()
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(s.server.StoreDir())); err != nil {
		t.Fatal(err)
	}
	s.server.Start() // its own end stops it
	return copied
}

// replace puts a copy in the place of a store.
func replace(store, with string) error {
	return errors.Join(os.RemoveAll(filepath.Join(store, "jetstream")), os.CopyFS(store, os.DirFS(with)))
}

// flip alters a byte of a text in the ledger's block.
func flip(store, text string) error {
	blocks, err := filepath.Glob(filepath.Join(store, "jetstream", "*", "streams", ledger.Stream, "msgs", "*.blk"))
	if err != nil || len(blocks) != 1 {
		return fmt.Errorf("blocks %v: %w", blocks, err)
	}
	raw, err := os.ReadFile(blocks[0])
	if err != nil {
		return err
	}
	raw[bytes.Index(raw, []byte(text))+8] ^= 0x20
	return os.WriteFile(blocks[0], raw, 0o600)
}

var corruptions = []corruption{
	{name: "a wrong prevleaf", spoil: func(t *testing.T, s *spoiled) {
		last, err := s.node.ledger.Last(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		e := &events.Event{
			Seq: last.Seq + 1, ID: "bent", Source: "/shiplog/bent", Time: "2026-11-30T09:00:00Z", RecordedTime: time.Now().UTC(),
			Publisher: "shiplog", PrevLeaf: events.Hash{1}, Data: &events.ToolRetired{Tool: "awl"},
		}
		if _, err := s.node.ledger.Append(t.Context(), last.Seq, []ledger.Message{{Subject: e.LedgerSubject(), Data: e.AppendCanonical(nil)}}); err != nil {
			t.Fatal(err)
		}
	}, says: []string{"event 9 does not follow event 8", "restore"}},
	{name: "a lost event", gap: true, spoil: func(t *testing.T, s *spoiled) {
		s.whileStopped(t, func(store string) error { return flip(store, `"name":"gimlet"`) })
	}, says: []string{"event 5 is missing", "restore"}},
	{name: "a lost event 1", gap: true, spoil: func(t *testing.T, s *spoiled) {
		s.whileStopped(t, func(store string) error { return flip(store, `"type":"shiplog.ledger.opened.v1"`) })
	}, says: []string{"event 1 is missing", "restore"}},
	{name: "a lost ledger", gap: true, spoil: func(t *testing.T, s *spoiled) {
		s.whileStopped(t, func(store string) error { return os.RemoveAll(filepath.Join(store, "jetstream")) })
	}, says: []string{"the ledger is empty", "panel was made from one that was not", "restore", "start the node again"}},
	{name: "an older backup under a newer read model", gap: true, spoil: func(t *testing.T, s *spoiled) {
		backup := filepath.Join(t.TempDir(), "backup")
		s.whileStopped(t, func(store string) error { return os.CopyFS(backup, os.DirFS(store)) })
		s.record(t, "bradawl", "burin")
		s.whileStopped(t, func(store string) error { return replace(store, backup) })
	}, says: []string{"at event 12", "the ledger ends with event 8", "restore"}},
	{name: "another ledger, shorter", gap: true, spoil: func(t *testing.T, s *spoiled) {
		with := other(t, "awl")
		s.whileStopped(t, func(store string) error { return replace(store, with) })
	}, says: []string{"at event 8", "the ledger ends with event 4", "restore"}},
	{name: "another ledger, as long", spoil: func(t *testing.T, s *spoiled) {
		with := other(t, "awl", "gimlet", "adze")
		s.whileStopped(t, func(store string) error { return replace(store, with) })
	}, says: []string{"another history than the read model knows at event 8", "restore"}},
	{name: "the stream deleted and made again", gap: true, spoil: func(t *testing.T, s *spoiled) {
		js, stream := s.stream(t)
		info, err := stream.Info(t.Context())
		if err == nil {
			err = js.DeleteStream(t.Context(), ledger.Stream)
		}
		if err == nil {
			_, err = js.CreateStream(t.Context(), info.Config)
		}
		if err != nil {
			t.Fatal(err)
		}
	}, says: []string{"event 8", "restore"}},
	{name: "settings drift", spoil: func(t *testing.T, s *spoiled) {
		js, stream := s.stream(t)
		info, err := stream.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		info.Config.MaxMsgs = 1000
		if _, err := js.UpdateStream(t.Context(), info.Config); err != nil {
			t.Fatal(err)
		}
	}, says: []string{"max_msgs", "1000", "unlimited"}},
}

// TestCorruption does to a node's ledger what must not be gone on with: health is
// red and says in one line where, what and how to mend it, nothing is recorded,
// and readers keep the last good state.
func TestCorruption(t *testing.T) {
	for _, c := range corruptions {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := &spoiled{server: ledgertest.NewExternal(t), dir: t.TempDir()}
			s.flags = []string{"--nats", s.server.URL(), "--replicas", "1"}
			s.start(t)
			s.record(t, "awl", "gimlet", "adze")
			c.spoil(t, s)
			n := aNode{s.node, t}
			n.until("it is not ready, and says why", func() bool {
				status, body := n.ready()
				return status == http.StatusServiceUnavailable && contains(body, c.says)
			})
			status, body := n.submit(aReview("later", "awl"))
			if status != http.StatusServiceUnavailable {
				t.Errorf("a submission is answered %d %s", status, body)
			}
			if status, _ := n.page("/tools/awl"); status != http.StatusOK {
				t.Errorf("readers are answered %d", status)
			}
			if n.position() < 8 {
				t.Errorf("the read model went back to event %d", n.position())
			}
			if c.gap {
				n.until("the metric of gaps is raised", n.gapCounted)
				n.keepsWhatItHas()
			} else if n.gapCounted() {
				t.Error("the metric of gaps was raised")
			}
			if _, err := s.node.ledger.Head(context.WithoutCancel(t.Context())); err != nil {
				t.Errorf("nobody can look at the ledger: %v", err)
			}
		})
	}
}

// keepsWhatItHas has the node rebuild what it made of events that are lost.
func (n aNode) keepsWhatItHas() {
	n.t.Helper()
	if code, out, errs := n.run("rebuild"); code != exitNo || !strings.Contains(errs, "what was in use still is") {
		n.t.Errorf("rebuild exits %d: %s%s", code, out, errs)
	}
	if status, _ := n.page("/tools/awl"); status != http.StatusOK {
		n.t.Errorf("after a rebuild readers are answered %d", status)
	}
}

// gapCounted tells whether events were counted as missing.
func (n aNode) gapCounted() bool {
	n.t.Helper()
	_, metrics := n.ask(http.MethodGet, "http://"+n.OpsAddr()+"/metrics", "")
	return !strings.Contains(metrics, "\nshiplog_ledger_gaps_total 0\n")
}

// contains tells whether one line says everything.
func contains(body string, all []string) bool {
	for line := range strings.Lines(strings.ReplaceAll(body, `},{`, "\n")) {
		found := true
		for _, part := range all {
			found = found && strings.Contains(line, part)
		}
		if found {
			return true
		}
	}
	return false
}
