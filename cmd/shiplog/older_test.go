package main

import (
	"errors"
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

// What the inbox took is settled once and leaves it, also where the server has forgotten
// that it did, as one that is killed may: that it was acknowledged it still knows.
func TestForgottenInbox(t *testing.T) {
	s := &spoiled{server: ledgertest.NewExternal(t), dir: t.TempDir()}
	s.flags = []string{"--nats", s.server.URL(), "--replicas", "1"}
	s.start(t)
	found, err := filepath.Glob(filepath.Join(s.server.StoreDir(), "jetstream", "*", "streams", ledger.InboxStream, "msgs"))
	if err != nil || len(found) != 1 {
		t.Fatalf("messages %v, %v", found, err)
	}
	messages, before := found[0], filepath.Join(t.TempDir(), "before")
	js, _ := s.stream(t)
	if err := s.node.Stop(); err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{aReview("sent", "awl"), "junk"} {
		if _, err := js.Publish(t.Context(), ledger.InboxPrefix+ledger.LocalPublisher, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	s.server.Stop()
	if err := os.CopyFS(before, os.DirFS(messages)); err != nil {
		t.Fatal(err)
	}
	s.server.Start()
	s.start(t)
	settled := func() {
		t.Helper()
		n := aNode{s.node, t}
		n.until("the inbox is empty", func() bool {
			left, err := s.node.ledger.InboxPending(t.Context())
			return err == nil && left == 0
		})
		rejected, err := s.node.ledger.RejectedCount(t.Context())
		if head := s.node.intake.Position(); head != 4 || rejected != 1 || err != nil {
			t.Errorf("%d events are recorded, %d rejected (%v); want 4 and 1", head, rejected, err)
		}
	}
	settled()
	s.whileStopped(t, func(string) error { return errors.Join(os.RemoveAll(messages), os.CopyFS(messages, os.DirFS(before))) })
	settled()
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
