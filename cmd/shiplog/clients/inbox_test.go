//go:build clients

package clients_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"shiplog/cmd/shiplog/process"
	"shiplog/events/ledger"
)

// dial connects to a NATS until the test ends.
func dial(t *testing.T, url string) jetstream.JetStream {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(1000))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// pageOf waits until a tool's page is there.
func pageOf(t *testing.T, limit time.Duration, n *process.Node, tool string) {
	t.Helper()
	within(t, limit, "the page of "+tool, func() bool {
		status, _ := fetch(t, n.Base+"/tools/"+tool)
		return status == http.StatusOK
	})
}

// What floods the inbox with junk keeps nobody else waiting who sends over HTTP, and
// all of it is among the rejected in the end; what was sent behind it is recorded.
func TestClientFloodedInbox(t *testing.T) {
	n := start(t, t.TempDir())
	js := dial(t, n.NATS)
	junk := rounds(3_000, 100_000)
	for i := range junk {
		if _, err := js.PublishAsync(ledger.InboxPrefix+"local", fmt.Appendf(nil, "junk %d", i), jetstream.WithStallWait(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	sent := time.Now()
	behind, err := js.PublishAsync(ledger.InboxPrefix+"local", []byte(review("behind", "behind", "Said behind the junk.")), jetstream.WithStallWait(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-behind.Ok(): // after up to a thousand others, each of them synced
	case err := <-behind.Err():
		t.Fatal(err)
	}
	waiting := inboxPending(t, n)
	longest := time.Duration(0)
	for i := 0; inboxPending(t, n) > 0; i++ {
		began := time.Now()
		id := fmt.Sprintf("beside-%d", i)
		if r := submit(t, n.Base, review(id, "beside", "Said in "+id+".")); r.Status != "accepted" {
			t.Fatalf("meanwhile: %+v", r)
		}
		longest = max(longest, time.Since(began))
	}
	t.Logf("%d of %d waited when all was sent, for %s; who sent over HTTP meanwhile waited %s at most", waiting, junk, time.Since(sent), longest)
	if longest > 2*time.Second {
		t.Errorf("who sends over HTTP waited %s", longest)
	}
	pageOf(t, time.Minute, n, "behind")
	within(t, time.Minute, "all junk is among the rejected", func() bool { return int(metric(t, n, "shiplog_rejected_events")) == junk })
}

// Consumers that somebody deletes under a running node are made again.
func TestClientDeletedConsumers(t *testing.T) {
	server := startLoneNATS(t)
	n := start(t, t.TempDir(), "--nats", server.URL, "--replicas", "1")
	js := dial(t, server.URL)
	send := func(tool string) {
		if _, err := js.Publish(t.Context(), ledger.InboxPrefix+"local", []byte(review(tool, tool, "Said in the inbox."))); err != nil {
			t.Fatal(err)
		}
	}
	send("before")
	pageOf(t, time.Minute, n, "before")
	for round := range 3 {
		deleted := 0
		for _, name := range []string{ledger.InboxStream, ledger.Stream} {
			stream, err := js.Stream(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			list := stream.ConsumerNames(t.Context())
			for consumer := range list.Name() {
				if err := stream.DeleteConsumer(t.Context(), consumer); err != nil {
					t.Fatal(err)
				}
				deleted++
			}
			if err := list.Err(); err != nil {
				t.Fatal(err)
			}
		}
		if deleted < 2 {
			t.Fatalf("there were %d consumers", deleted)
		}
		began := time.Now()
		tool := fmt.Sprintf("after-%d", round)
		send(tool)
		pageOf(t, time.Minute, n, tool)
		t.Logf("%d consumers deleted; all is well after %s", deleted, time.Since(began))
		within(t, time.Minute, "it is ready", func() bool {
			status, _ := fetch(t, n.Ops+"/readyz")
			return status == http.StatusOK
		})
	}
}
