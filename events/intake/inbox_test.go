package intake_test

import (
	"bytes"
	"context"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"shiplog/events"
	"shiplog/events/intake"
	"shiplog/events/intake/intaketest"
	"shiplog/events/ledger"
)

const inboxLocal = ledger.InboxPrefix + "local"

// receive runs the inbox until the test ends, or stop is called.
func (n node) receive(t testing.TB, o intake.InboxOptions) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		intake.RunInbox(ctx, n.in, n.ledger, o)
	}()
	stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(stop)
	return stop
}

// drop leaves messages in the inbox as a guest.
func (n node) drop(t *testing.T, body []byte, headers ...string) {
	t.Helper()
	js, err := jetstream.New(n.guest)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.PublishMsg(t.Context(), message(inboxLocal, body, headers...)); err != nil {
		t.Fatal(err)
	}
}

func (n node) pending(t testing.TB) uint64 {
	t.Helper()
	pending, err := n.ledger.InboxPending(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return pending
}

func (n node) empty(t *testing.T) {
	t.Helper()
	until(t, "the inbox is empty", func() bool { return n.pending(t) == 0 })
}

func (n node) rejected(t *testing.T) []ledger.Rejected {
	t.Helper()
	var list []ledger.Rejected
	err := n.ledger.ListRejected(t.Context(), func(r ledger.Rejected) error {
		list = append(list, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// ids are the ids of what publishers sent, in the order it was recorded.
func (n node) ids(t *testing.T) []string {
	t.Helper()
	var ids []string
	for _, e := range intaketest.Events(t, n.ledger) {
		if !e.Derived() {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

func tool(id string) []byte {
	return intaketest.Event(id, "tool.registered", map[string]string{"tool": id, "name": id})
}

// review is of a tool and by a reviewer that must be known.
func review(id, tool, reviewer, body string) []byte {
	return intaketest.Event(id, "review.submitted", map[string]any{"tool": tool, "reviewer": reviewer, "verdict": "ship", "body": body})
}

func seat(id string) []byte {
	return intaketest.Event(id, "reviewer.seated", map[string]string{"reviewer": id, "name": id})
}

func TestInboxForms(t *testing.T) {
	n := newNode(t, intake.Options{})
	n.drop(t, tool("a"), "content-type: application/cloudevents+json")
	n.drop(t, tool("b"))
	n.drop(t, []byte(`{"tool":"c","name":"c"}`), "ce-specversion: 1.0", "CE-ID: c", "Ce-Source: /test", "ce-type: shiplog.tool.registered.v1")
	n.drop(t, array(tool("d"), tool("e")))
	n.drop(t, array())
	n.receive(t, intake.InboxOptions{})
	n.empty(t)
	if diff := cmp.Diff([]string{"a", "b", "c", "d", "e"}, n.ids(t)); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
	for _, e := range intaketest.Events(t, n.ledger)[1:] {
		if e.Publisher != "local" {
			t.Errorf("event %d: publisher %q", e.Seq, e.Publisher)
		}
	}
	if list := n.rejected(t); len(list) > 0 {
		t.Errorf("rejected: %+v", list)
	}
}

func TestInboxRejects(t *testing.T) {
	n := newNode(t, intake.Options{})
	tests := []struct {
		body    string
		headers []string
		code    events.Code
	}{
		{"hello", nil, events.CodeInvalidJSON},
		{`{"specversion":"1.0","id":"x`, nil, events.CodeInvalidJSON},
		{`{"id":"x","id":"y"}`, nil, events.CodeDuplicateKey},
		{`[{"id":"x"`, nil, events.CodeInvalidJSON},
		{"{\"id\":\"\xff\"}", nil, events.CodeInvalidUTF8},
		{string(review("late", "a", "b", strings.Repeat("x", 300<<10))), nil, events.CodeTooLarge},
		{`{"tool":"*","name":"x"}`, []string{"ce-specversion: 1.0", "ce-id: x", "ce-source: /test", "ce-type: shiplog.tool.registered.v1"}, events.CodeInvalidSlug},
		{string(intaketest.Event("m", "matchup.opened", map[string]string{"left": "good", "right": "good"})), nil, events.CodeSamePair},
	}
	n.drop(t, tool("good"))
	for _, tt := range tests {
		n.drop(t, []byte(tt.body), tt.headers...)
	}
	n.drop(t, tool("after"))
	n.receive(t, intake.InboxOptions{})
	n.empty(t)
	if diff := cmp.Diff([]string{"good", "after"}, n.ids(t)); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
	list := n.rejected(t)
	if len(list) != len(tests) {
		t.Fatalf("%d rejected, want %d", len(list), len(tests))
	}
	for i, r := range list {
		if string(r.Raw) != tests[i].body || r.Publisher != "local" || !r.Problems.Has(tests[i].code) {
			t.Errorf("rejected as %s with %v: %.80q", r.Publisher, r.Problems, r.Raw)
		}
		for _, h := range tests[i].headers {
			name, value, _ := strings.Cut(h, ": ")
			if got := r.Header[name]; len(got) != 1 || got[0] != value {
				t.Errorf("header %s is %q, want %q", name, got, value)
			}
		}
	}
}

// warned is a log that only tells that there was something to say.
type warned chan struct{}

func (w warned) Write(p []byte) (int, error) {
	select {
	case w <- struct{}{}:
	default:
	}
	return len(p), nil
}

// TestInboxKeepsWhatCannotBeRejected has the stream of the rejected take nothing
// for a while: nothing is acknowledged that is kept nowhere.
func TestInboxKeepsWhatCannotBeRejected(t *testing.T) {
	n := newNode(t, intake.Options{})
	js, err := jetstream.New(n.ledger.Conn())
	if err != nil {
		t.Fatal(err)
	}
	takes := func(bytes int32) {
		t.Helper()
		stream, err := js.Stream(t.Context(), ledger.RejectedStream)
		if err != nil {
			t.Fatal(err)
		}
		config := stream.CachedInfo().Config
		config.MaxMsgSize = bytes
		if _, err := js.UpdateStream(t.Context(), config); err != nil {
			t.Fatal(err)
		}
	}
	takes(1)
	const count = 50
	for i := range count {
		n.drop(t, []byte("junk "+strconv.Itoa(i)))
	}
	n.drop(t, tool("good"))
	waits := make(warned, 1)
	n.receive(t, intake.InboxOptions{Log: slog.New(slog.NewTextHandler(waits, nil))})
	<-waits
	if pending := n.pending(t); pending < count || len(n.rejected(t)) > 0 {
		t.Fatalf("%d are left in the inbox, want %d", pending, count)
	}
	takes(-1)
	n.empty(t)
	list := n.rejected(t)
	if len(list) != count {
		t.Fatalf("%d rejected, want %d", len(list), count)
	}
	for i, r := range list {
		if string(r.Raw) != "junk "+strconv.Itoa(i) {
			t.Errorf("rejected %d is %q", i, r.Raw)
		}
	}
	if diff := cmp.Diff([]string{"good"}, n.ids(t)); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}

func TestInboxRejectsOnlyThePart(t *testing.T) {
	n := newNode(t, intake.Options{})
	bad := []byte(`{"specversion":"1.0","id":"bad","source":"/test","type":"shiplog.tool.retired.v1","data":{"tool":"Not A Slug"}}`)
	worse := []byte(`{}`)
	n.drop(t, array(tool("a"), bad, tool("b"), worse))
	n.receive(t, intake.InboxOptions{})
	n.empty(t)
	if diff := cmp.Diff([]string{"a", "b"}, n.ids(t)); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
	list := n.rejected(t)
	if len(list) != 2 || !bytes.Equal(list[0].Raw, bad) || !bytes.Equal(list[1].Raw, worse) {
		t.Errorf("rejected %+v", list)
	}
}

func TestInboxWaitsForToolAndReviewer(t *testing.T) {
	n := newNode(t, intake.Options{})
	n.receive(t, intake.InboxOptions{})
	n.drop(t, review("r1", "late-tool", "late-reviewer", "It works."))
	for i := range 20 {
		n.drop(t, tool("t"+strconv.Itoa(i)))
	}
	until(t, "only what waits is left", func() bool { return n.pending(t) == 1 })
	n.drop(t, seat("late-reviewer"))
	until(t, "only what waits is left", func() bool { return n.pending(t) == 1 })
	n.drop(t, tool("late-tool"))
	n.empty(t)
	ids := n.ids(t)
	if len(ids) != 23 || ids[22] != "r1" {
		t.Errorf("recorded %v", ids)
	}
	if list := n.rejected(t); len(list) > 0 {
		t.Errorf("rejected %+v", list)
	}
}

func TestInboxWaitEnds(t *testing.T) {
	n := newNode(t, intake.Options{})
	n.receive(t, intake.InboxOptions{Wait: 300 * time.Millisecond})
	lost := review("r1", "nosuch", "nobody", "It works.")
	n.drop(t, lost)
	n.empty(t)
	list := n.rejected(t)
	if len(list) != 1 || !bytes.Equal(list[0].Raw, lost) || !list[0].Problems.Has(events.CodeUnknownTool) || !list[0].Problems.Has(events.CodeUnknownPerson) {
		t.Errorf("rejected %+v", list)
	}
}

func TestInboxParksNoMoreThanItMay(t *testing.T) {
	n := newNode(t, intake.Options{})
	n.receive(t, intake.InboxOptions{Parked: 3})
	for i := range 8 {
		n.drop(t, review("r"+strconv.Itoa(i), "nosuch"+strconv.Itoa(i), "nobody", "It works."))
	}
	until(t, "the oldest are rejected", func() bool { return n.pending(t) == 3 })
	list := n.rejected(t)
	if len(list) != 5 {
		t.Fatalf("%d rejected, want 5", len(list))
	}
	for i, r := range list {
		if !bytes.Contains(r.Raw, []byte(`"r`+strconv.Itoa(i)+`"`)) {
			t.Errorf("rejected %s, want r%d", r.Raw, i)
		}
	}
}

// TestInboxKeepsTheOrderOfWhatWaits has a review wait for its tool, which is
// registered before the next review of the same reviewer.
func TestInboxKeepsTheOrderOfWhatWaits(t *testing.T) {
	n := newNode(t, intake.Options{})
	for _, body := range [][]byte{
		seat("builder"), review("r1", "late", "builder", "one"), tool("late"),
		review("r2", "late", "builder", "two"), review("r3", "late", "builder", "three"),
	} {
		n.drop(t, body)
	}
	n.receive(t, intake.InboxOptions{})
	n.empty(t)
	if diff := cmp.Diff([]string{"builder", "late", "r1", "r2", "r3"}, n.ids(t)); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}

func TestInboxRedelivered(t *testing.T) {
	reg := prometheus.NewRegistry()
	n := newNode(t, intake.Options{Registerer: reg})
	// As after a crash between the commit and the acknowledgement.
	intaketest.Accept(t, n.in, tool("a"))
	n.drop(t, tool("a"))
	n.receive(t, intake.InboxOptions{Poll: 10 * time.Millisecond})
	n.empty(t)
	if diff := cmp.Diff([]string{"a"}, n.ids(t)); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
	if got := counter(t, reg, "shiplog_submissions_total", "inbox", "duplicate"); got != 1 {
		t.Errorf("%v duplicates counted, want 1", got)
	}
	n.drop(t, []byte("hello"))
	until(t, "the gauges follow", func() bool {
		return counter(t, reg, "shiplog_rejected_events") == 1 && counter(t, reg, "shiplog_inbox_pending") == 0
	})
}

func TestInboxStaysWhileRefused(t *testing.T) {
	var refuse atomic.Bool
	var asked atomic.Int64
	refuse.Store(true)
	n := newNode(t, intake.Options{Admit: func() *intake.Refusal {
		if asked.Add(1); refuse.Load() {
			return &intake.Refusal{Busy: true, Reason: "busy", RetryAfter: time.Second}
		}
		return nil
	}})
	n.drop(t, tool("a"))
	n.receive(t, intake.InboxOptions{})
	until(t, "it was refused more than once", func() bool { return asked.Load() > 2 })
	if n.pending(t) != 1 || len(n.rejected(t)) != 0 {
		t.Error("a refused event did not stay in the inbox")
	}
	refuse.Store(false)
	n.empty(t)
	if diff := cmp.Diff([]string{"a"}, n.ids(t)); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}

func TestInboxGivesBackWhatWaits(t *testing.T) {
	n := newNode(t, intake.Options{})
	stop := n.receive(t, intake.InboxOptions{})
	n.drop(t, review("r1", "late", "builder", "It works."))
	n.drop(t, seat("builder"))
	until(t, "only what waits is left", func() bool { return n.pending(t) == 1 })
	stop()
	intaketest.Accept(t, n.in, tool("late"))
	start := time.Now()
	n.receive(t, intake.InboxOptions{})
	n.empty(t)
	if took := time.Since(start); took > ledger.InboxAckWait/2 {
		t.Errorf("what waited came again only after %s", took)
	}
	if diff := cmp.Diff([]string{"builder", "late", "r1"}, n.ids(t)); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}

// TestInboxMany commits in groups, and in order.
func TestInboxMany(t *testing.T) {
	const count = 3000
	reg := prometheus.NewRegistry()
	n := newNode(t, intake.Options{Registerer: reg})
	js, err := jetstream.New(n.guest, jetstream.WithPublishAsyncMaxPending(count))
	if err != nil {
		t.Fatal(err)
	}
	intaketest.Accept(t, n.in, tool("a"), seat("builder"))
	for i := range count {
		body := review("r"+strconv.Itoa(i), "a", "builder", strconv.Itoa(i))
		if _, err := js.PublishAsync(inboxLocal, body); err != nil {
			t.Fatal(err)
		}
	}
	<-js.PublishAsyncComplete()
	n.receive(t, intake.InboxOptions{})
	n.empty(t)
	list := intaketest.Events(t, n.ledger)
	if len(list) != count+3 {
		t.Fatalf("%d events, want %d", len(list), count+3)
	}
	for i, e := range list[4:] {
		if r, ok := e.Data.(*events.ReviewRevised); !ok || r.Body != strconv.Itoa(i+1) || r.Revision != int64(i+2) {
			t.Fatalf("event %d is %+v", e.Seq, e.Data)
		}
	}
	if commits := counter(t, reg, "shiplog_submissions_total", "inbox", "accepted"); commits != count {
		t.Errorf("%v accepted, want %d", commits, count)
	}
}
