//go:build clients

package clients_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"shiplog/cmd/shiplog/process"
)

// rounds is how often a test does what it does at random moments: as often as it
// takes a minute, or, in `make soak`, as often as it says.
func rounds(usual, soak int) int {
	if os.Getenv("SHIPLOG_SOAK") != "" {
		return soak
	}
	return usual
}

// A node that is killed while events come in, or while it starts, has every event
// it gave a receipt for, once and in order, and shows the same pages as one that
// reads the ledger anew.
func TestClientKill(t *testing.T) {
	data, site := t.TempDir(), "--base-url=https://reviews.example"
	receipts := map[string]uint64{}
	for round := range rounds(6, 50) {
		if round%2 == 1 {
			killStarting(t, data, site)
		}
		n := start(t, data, site)
		loadUntilKilled(t, n, receipts, func(client, i int) (id, event string) {
			id = fmt.Sprintf("r%d-c%d-%d", round, client, i)
			return id, review(id, fmt.Sprintf("tool-%d", i%20), "Said in "+id+".")
		})
	}
	n := start(t, data, site)
	settle(t, n)
	holdReceipts(t, n, receipts)
	shiplog(t, 0, "verify", "--ops-url", n.Ops)
	pages := []string{"/", "/tools", "/tools/tool-1", "/compare", "/reviewers", "/feeds/reviews.atom", "/feeds/matchups.json"}
	before := map[string][]byte{}
	for _, path := range pages {
		before[path] = get(t, n.Base+path)
	}
	if err := n.Stop(); err != nil {
		t.Fatal(err)
	}
	for _, derived := range []string{"panel", "decisions"} {
		if err := os.RemoveAll(filepath.Join(data, derived)); err != nil {
			t.Fatal(err)
		}
	}
	n = start(t, data, site)
	settle(t, n)
	for _, path := range pages {
		if !bytes.Equal(before[path], get(t, n.Base+path)) {
			t.Errorf("%s differs after a fresh replay", path)
		}
	}
}

// What the inbox took is among the rejected, once, wherever the node was when it
// was killed.
func TestClientKilledWhileRejecting(t *testing.T) {
	data := t.TempDir()
	taken := map[int]bool{} // by its length, which no two have in common
	next := 1
	for range rounds(3, 25) {
		n := start(t, data)
		nc, err := nats.Connect(n.NATS)
		if err != nil {
			t.Fatal(err)
		}
		js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(1000))
		if err != nil {
			t.Fatal(err)
		}
		answers := map[int]jetstream.PubAckFuture{}
		for range 900 {
			if answers[next], err = js.PublishAsync("shiplog.inbox.local", bytes.Repeat([]byte("x"), next)); err != nil {
				t.Fatal(err)
			}
			next++
		}
		within(t, time.Minute, "some are rejected", func() bool {
			return metric(t, n, "shiplog_submissions_total{outcome=\"rejected\",via=\"inbox\"}") > 200
		})
		n.Kill()
		nc.Close()
		for length, answer := range answers {
			select {
			case <-answer.Ok():
				taken[length] = true
			default:
			}
		}
	}
	n := start(t, data)
	drained(t, n)
	kept := rejectedLengths(t, n)
	for length := range taken {
		if kept[length] != 1 {
			t.Errorf("what has %d bytes is among the rejected %d times", length, kept[length])
		}
	}
	if len(taken) < 500 {
		t.Errorf("only %d were taken", len(taken))
	}
}

// drained waits until the inbox is empty, for as long as it becomes emptier: how long
// it takes is a matter of the disk and of how much there is.
func drained(t *testing.T, n *process.Node) {
	t.Helper()
	began, all := time.Now(), inboxPending(t, n)
	for left := all; left > 0; {
		before := left
		within(t, time.Minute, fmt.Sprintf("fewer than %d are in the inbox", before), func() bool {
			left = inboxPending(t, n)
			return left < before
		})
	}
	t.Logf("%d were in the inbox, for %s", all, time.Since(began).Round(time.Millisecond))
}

// inboxPending is how many messages the inbox holds, asked for now.
func inboxPending(t *testing.T, n *process.Node) uint64 {
	t.Helper()
	var s struct{ Inbox struct{ Pending uint64 } }
	decode(t, get(t, n.Ops+"/admin/v1/status"), &s)
	return s.Inbox.Pending
}

// rejectedLengths counts what is among the rejected by its length in bytes.
func rejectedLengths(t *testing.T, n *process.Node) map[int]int {
	t.Helper()
	counts := map[int]int{}
	for after := uint64(0); ; {
		var page struct {
			Rejected []struct{ Bytes int }
			Next     *uint64
		}
		decode(t, get(t, fmt.Sprintf("%s/admin/v1/rejected?limit=1000&after=%d", n.Ops, after)), &page)
		for _, r := range page.Rejected {
			counts[r.Bytes]++
		}
		if page.Next == nil {
			return counts
		}
		after = *page.Next
	}
}

// killStarting kills nodes at the next moment of their start each time, until one
// had started by then.
func killStarting(t *testing.T, data string, flags ...string) {
	t.Helper()
	for after := 5 * time.Millisecond; ; after = after * 3 / 2 {
		ctx, cancel := context.WithTimeout(context.Background(), after)
		n, err := process.StartKilled(ctx, program, data, flags...)
		cancel()
		if err == nil {
			n.Kill()
			return
		}
	}
}

// A node that is told to end under load answers what it has taken, accepts
// nothing it does not keep, and ends well within its time.
func TestClientTerminate(t *testing.T) {
	data := t.TempDir()
	receipts := map[string]uint64{}
	for round := range rounds(2, 20) {
		n := start(t, data)
		l := startLoad(n, fmt.Sprintf("term-%d", round), 500)
		within(t, time.Minute, "there is load", func() bool { return l.accepted() > 300 })
		begun := time.Now()
		if err := n.Stop(); err != nil {
			t.Errorf("it ends with %v", err)
		}
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("it took %s to end", took)
		}
		l.stop()
		maps.Copy(receipts, l.receipts)
	}
	n := start(t, data)
	settle(t, n)
	holdReceipts(t, n, receipts)
	shiplog(t, 0, "verify", "--ops-url", n.Ops)
}

// loadUntilKilled sends events from several clients, kills the node under
// them, and notes what was accepted.
func loadUntilKilled(t *testing.T, n *process.Node, receipts map[string]uint64, event func(client, i int) (id, event string)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var mu sync.Mutex
	var wg sync.WaitGroup
	accepted := make(chan struct{}, 1<<16)
	for client := range 8 {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				id, raw := event(client, i)
				seq, ok := post(ctx, n.Base, raw)
				if !ok {
					continue
				}
				mu.Lock()
				receipts[id] = seq
				mu.Unlock()
				accepted <- struct{}{}
			}
		})
	}
	for range 200 {
		select {
		case <-accepted:
		case <-time.After(20 * time.Second):
			t.Error("the node takes no load")
		}
	}
	n.Kill()
	cancel()
	wg.Wait()
}

func post(ctx context.Context, base, event string) (uint64, bool) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/api/v1/events", bytes.NewReader([]byte(event)))
	if err != nil {
		return 0, false
	}
	req.Header.Set("Content-Type", "application/cloudevents+json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, false
	}
	defer resp.Body.Close()
	var r struct {
		Recorded bool
		Seq      uint64
	}
	if json.NewDecoder(resp.Body).Decode(&r) != nil || !r.Recorded {
		return 0, false
	}
	return r.Seq, true
}

// holdReceipts reads the whole ledger: contiguous, each receipt once, at its
// sequence.
func holdReceipts(t *testing.T, n *process.Node, receipts map[string]uint64) {
	t.Helper()
	found := map[string]uint64{}
	want := uint64(1)
	for after := uint64(0); ; {
		var page struct {
			Events []struct {
				Seq   uint64
				Event struct{ ID, Source string }
			}
			Next *uint64
		}
		decode(t, get(t, fmt.Sprintf("%s/api/v1/events?after=%d&limit=1000", n.Base, after)), &page)
		for _, e := range page.Events {
			if e.Seq != want {
				t.Fatalf("event %d stands where %d should", e.Seq, want)
			}
			want++
			if e.Event.Source != "/test" {
				continue
			}
			if seq, twice := found[e.Event.ID]; twice {
				t.Errorf("%s is recorded as %d and as %d", e.Event.ID, seq, e.Seq)
			}
			found[e.Event.ID] = e.Seq
		}
		if page.Next == nil {
			break
		}
		after = *page.Next
	}
	for id, seq := range receipts {
		if found[id] != seq {
			t.Errorf("the receipt of %s says %d, the ledger has it at %d", id, seq, found[id])
		}
	}
	t.Logf("%d receipts, %d events", len(receipts), want-1)
}
