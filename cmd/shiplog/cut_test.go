package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// cutLedger is the data directory of a node that lost its power while it stored the
// events from one on, and with it the journal that they are completed from, and
// which has made nothing of them yet.
func cutLedger(t *testing.T, dir string, from uint64) {
	t.Helper()
	store := filepath.Join(dir, "nats", "jetstream", "SHIPLOG", "streams", "SHIPLOG_LEDGER", "msgs")
	blocks, err := filepath.Glob(filepath.Join(store, "*.blk"))
	if err != nil || len(blocks) != 1 {
		t.Fatalf("blocks %v: %v", blocks, err)
	}
	raw, err := os.ReadFile(blocks[0])
	if err != nil {
		t.Fatal(err)
	}
	// A record begins with its length, whose highest bit says that it has headers,
	// and its sequence.
	at := 0
	for at < len(raw) && binary.LittleEndian.Uint64(raw[at+4:]) < from {
		at += int(binary.LittleEndian.Uint32(raw[at:]) &^ (1 << 31))
	}
	if at >= len(raw) {
		t.Fatalf("there is no event %d", from)
	}
	if err := os.WriteFile(blocks[0], raw[:at+20], 0o600); err != nil { // and the beginning of the next
		t.Fatal(err)
	}
	for _, lost := range []string{filepath.Join(store, "index.db"), filepath.Join(dir, "panel"), filepath.Join(dir, "decisions")} {
		if err := os.RemoveAll(lost); err != nil {
			t.Fatal(err)
		}
	}
	journal := filepath.Join(dir, "nats", ".batch")
	raw, err = os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)/2] ^= 1
	if err := os.WriteFile(journal, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestCutSubmission loses journal and staging of a submission together, in the middle
// of it. The node says so, records nothing on top of it, and a skip of what is there
// has all as if it had never been sent.
func TestCutSubmission(t *testing.T) {
	for there := range uint64(2) {
		t.Run(fmt.Sprintf("after %d of 3 events", there+1), func(t *testing.T) {
			dir := t.TempDir()
			node, err := startApp(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			if status, body := (aNode{node, t}).submit(aReview("cut", "awl")); status != http.StatusCreated || !strings.Contains(body, `"seq":4`) {
				t.Fatalf("%d %s", status, body)
			}
			if err := node.Stop(); err != nil {
				t.Fatal(err)
			}
			cutLedger(t, dir, 3+there)
			n := startNode(t, dir)
			says := []string{"the ledger ends inside a submission: event 2 is there, and event 4", "the ledger ends inside a submission: events 2 to 3 are there, and event 4"}[there]
			n.until("it says so", func() bool {
				status, body := n.ready()
				return status == http.StatusServiceUnavailable && strings.Contains(body, says) && strings.Contains(body, "shiplog skip 2")
			})
			if status, body := n.submit(aReview("cut", "awl")); status != http.StatusServiceUnavailable || !strings.Contains(body, says) {
				t.Errorf("sent again: %d %s", status, body)
			}
			if status, _ := n.page("/tools/awl"); status != http.StatusOK {
				t.Errorf("pages are answered %d", status)
			}
			for seq := uint64(2); seq < 3+there; seq++ {
				if code, out, errs := n.run("skip", fmt.Sprint(seq), "--reason", "Its submission was cut off."); code != exitYes {
					t.Fatalf("skip %d: %s%s", seq, out, errs)
				}
			}
			n.until("it is ready", func() bool {
				status, _ := n.ready()
				return status == http.StatusOK
			})
			want := fmt.Sprintf(`"seq":%d,"type":"shiplog.review.submitted.v1","also":[{"seq":%d,"type":"shiplog.tool.registered.v1"}`, 3+2*(there+1)+1, 3+2*(there+1)-1)
			if status, body := n.submit(aReview("cut", "awl")); status != http.StatusCreated || !strings.Contains(body, want) {
				t.Errorf("sent again: %d %s, want %s", status, body, want)
			}
			n.caughtUp()
			if code, out, errs := n.run("verify"); code != exitYes {
				t.Errorf("verify: %s%s", out, errs)
			}
		})
	}
}

// TestCutBatch loses what follows from a submission, which nothing in the ledger
// tells: the server's mark at the end of a batch is missing.
func TestCutBatch(t *testing.T) {
	dir := t.TempDir()
	node, err := startApp(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if status, body := (aNode{node, t}).submit(strings.Join([]string{"[" + aReview("whole", "awl"), aReview("cut", "gimlet") + "]"}, ",")); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	if err := node.Stop(); err != nil {
		t.Fatal(err)
	}
	cutLedger(t, dir, 5)
	var log bytes.Buffer
	node, err = startLogging(t.Context(), &log, dir)
	if err != nil {
		t.Fatal(err)
	}
	n := aNode{node, t}
	n.until("it is ready", func() bool {
		status, _ := n.ready()
		return status == http.StatusOK
	})
	if status, body := n.submit(aReview("cut", "gimlet")); status != http.StatusCreated {
		t.Errorf("sent again: %d %s", status, body)
	}
	if err := node.Stop(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), `its journal is lost`) || !strings.Contains(log.String(), `"after":4`) {
		t.Errorf("it does not tell of it:\n%s", log.String())
	}
}
