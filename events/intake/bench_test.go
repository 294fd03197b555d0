package intake_test

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"shiplog/events/intake"
	"shiplog/events/intake/intaketest"
	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

// benchItems are reviews of about 700 bytes as stored, of tools and by
// reviewers that are known.
func benchItems(tb testing.TB, in *intake.Intake, count int) []intake.Item {
	tb.Helper()
	const tools, reviewers = 1000, 10
	var setup [][]byte
	for i := range tools {
		id := "tool-" + strconv.Itoa(i)
		setup = append(setup, intaketest.Event(id, "tool.registered", map[string]string{"tool": id, "name": id, "category": "c" + strconv.Itoa(i%20)}))
	}
	for i := range reviewers {
		setup = append(setup, seat("reviewer-"+strconv.Itoa(i)))
	}
	intaketest.Accept(tb, in, setup...)
	items := make([]intake.Item, 0, count)
	for i := range count {
		body := fmt.Sprintf("Take %d. It starts in under a second, and what it says when something is wrong can be acted on.", i)
		raw := review("bench-"+strconv.Itoa(i), "tool-"+strconv.Itoa(i/reviewers%tools), "reviewer-"+strconv.Itoa(i%reviewers), body)
		items = append(items, intaketest.Items(raw)...)
	}
	return items
}

// commits are how many there were, of how many events, and how long they took.
func commits(b *testing.B, reg *prometheus.Registry) (c struct{ count, events, seconds float64 }) {
	b.Helper()
	families, err := reg.Gather()
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range families {
		switch h := f.GetMetric()[0].GetHistogram(); f.GetName() {
		case "shiplog_commit_batch_size":
			c.count, c.events = float64(h.GetSampleCount()), h.GetSampleSum()
		case "shiplog_commit_duration_seconds":
			c.seconds = h.GetSampleSum()
		}
	}
	return c
}

// report says how fast it was, and how large the commits were.
func report(b *testing.B, before, after struct{ count, events, seconds float64 }) {
	b.Helper()
	count := after.count - before.count
	b.ReportMetric((after.events-before.events)/count, "events/commit")
	b.ReportMetric(1000*(after.seconds-before.seconds)/count, "ms/commit")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkBatches submits batches of 1,000, two at a time.
func BenchmarkBatches(b *testing.B) { benchmark(b, 2, 1000) }

// BenchmarkSingles submits one event at a time, 32 at once.
func BenchmarkSingles(b *testing.B) { benchmark(b, 32, 1) }

func benchmark(b *testing.B, senders, size int) {
	reg := prometheus.NewRegistry()
	in := intaketest.Open(b, ledgertest.New(b), intake.Options{Registerer: reg})
	items := benchItems(b, in, b.N)
	before := commits(b, reg)
	var next atomic.Int64
	b.ResetTimer()
	var all sync.WaitGroup
	for range senders {
		all.Go(func() {
			for {
				from := int(next.Add(int64(size))) - size
				if from >= len(items) {
					return
				}
				submit(b, in, items[from:min(from+size, len(items))])
			}
		})
	}
	all.Wait()
	report(b, before, commits(b, reg))
}

func submit(b *testing.B, in *intake.Intake, items []intake.Item) {
	receipts, err := in.Submit(context.Background(), items, false)
	if err != nil {
		b.Error(err)
		return
	}
	for _, r := range receipts {
		if r.Status != intake.StatusAccepted {
			b.Errorf("%+v", r)
			return
		}
	}
}

// BenchmarkSynced is what the singles are measured against: one event after the
// other, stored as it is.
func BenchmarkSynced(b *testing.B) {
	l := ledgertest.New(b)
	data := bytes.Repeat([]byte("x"), 700)
	b.ResetTimer()
	for i := range b.N {
		m := ledger.Message{Subject: "shiplog.ledger.tool.t" + strconv.Itoa(i%1000), Data: data}
		if _, err := l.Append(b.Context(), uint64(i), []ledger.Message{m}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkRejected has the inbox put away what cannot be recorded.
func BenchmarkRejected(b *testing.B) {
	n := newNode(b, intake.Options{})
	js, err := jetstream.New(n.guest, jetstream.WithPublishAsyncMaxPending(1000))
	if err != nil {
		b.Fatal(err)
	}
	for i := range b.N {
		if _, err := js.PublishAsync(inboxLocal, []byte("this is no event: "+strconv.Itoa(i))); err != nil {
			b.Fatal(err)
		}
		if i%500 == 499 {
			<-js.PublishAsyncComplete()
		}
	}
	<-js.PublishAsyncComplete()
	b.ResetTimer()
	n.receive(b, intake.InboxOptions{})
	until(b, "all are put away", func() bool { return n.pending(b) == 0 })
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(0, "ns/op")
}
