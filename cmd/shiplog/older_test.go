package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

// An older backup is seen to be one by the decision state alone, too, where the read
// model was deleted.
func TestOlderBackupUnderADecisionState(t *testing.T) {
	s := &spoiled{server: ledgertest.NewExternal(t), dir: t.TempDir()}
	s.flags = []string{"--nats", s.server.URL(), "--replicas", "1"}
	s.start(t)
	s.record(t, "awl", "gimlet", "adze")
	backup := filepath.Join(t.TempDir(), "backup")
	s.whileStopped(t, func(store string) error { return os.CopyFS(backup, os.DirFS(store)) })
	s.record(t, "bradawl", "burin")
	s.whileStopped(t, func(store string) error {
		if err := os.RemoveAll(filepath.Join(s.dir, "panel")); err != nil {
			return err
		}
		return replace(store, backup)
	})
	n := aNode{s.node, t}
	n.until("it is not ready, and says why", func() bool {
		status, body := n.ready()
		return status == http.StatusServiceUnavailable && contains(body, []string{"event 12 is missing: the ledger ends at 8", "restore nats/"})
	})
	n.until("the metric of gaps is raised", n.gapCounted)
	if status, body := n.submit(aReview("later", "awl")); status != http.StatusServiceUnavailable {
		t.Errorf("a submission is answered %d %s", status, body)
	}
}

// An inbox that cannot be read turns the node red, which goes on otherwise. Its own
// server the node has forget what it cannot read, see events/ledger.
func TestUnreadableInbox(t *testing.T) {
	s := &spoiled{server: ledgertest.NewExternal(t), dir: t.TempDir()}
	s.flags = []string{"--nats", s.server.URL(), "--replicas", "1"}
	s.start(t)
	s.record(t, "awl")
	consumer := func(store string) string {
		found, err := filepath.Glob(filepath.Join(store, "jetstream", "*", "streams", ledger.InboxStream, "obs", ledger.InboxConsumer))
		if err != nil || len(found) != 1 {
			t.Fatalf("consumers %v, %v", found, err)
		}
		return found[0]
	}
	s.whileStopped(t, func(store string) error {
		return os.WriteFile(filepath.Join(consumer(store), "o.dat"), []byte("not what the server wrote"), 0o600)
	})
	n := aNode{s.node, t}
	n.until("it is not ready, and says why", func() bool {
		status, body := n.ready()
		return status == http.StatusServiceUnavailable && strings.Contains(body, "the inbox cannot be read, and what is sent to it waits: ")
	})
	if status, body := n.submit(aReview("meanwhile", "gimlet")); status != http.StatusCreated {
		t.Errorf("a submission is answered %d %s", status, body)
	}
	s.whileStopped(t, func(store string) error { return os.RemoveAll(consumer(store)) })
	n = aNode{s.node, t}
	n.until("it is ready again", func() bool {
		status, _ := n.ready()
		return status == http.StatusOK
	})
}
