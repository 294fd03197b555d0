package intake_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"shiplog/events/intake"
	"shiplog/events/ledger"
	"shiplog/events/logtest"
)

// shortMemory has the server know the rejected by their id for a moment only.
func (n node) shortMemory(t *testing.T) jetstream.JetStream {
	t.Helper()
	js, err := jetstream.New(n.ledger.Conn())
	if err != nil {
		t.Fatal(err)
	}
	n.change(t, js, func(c *jetstream.StreamConfig) { c.Duplicates = 100 * time.Millisecond })
	return js
}

// change edits the stream of the rejected.
func (n node) change(t *testing.T, js jetstream.JetStream, edit func(*jetstream.StreamConfig)) {
	t.Helper()
	stream, err := js.Stream(t.Context(), ledger.RejectedStream)
	if err != nil {
		t.Fatal(err)
	}
	config := stream.CachedInfo().Config
	edit(&config)
	if _, err := js.UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
}

func (n node) reject(t *testing.T, r ledger.Rejected) uint64 {
	t.Helper()
	r.Publisher = "local"
	id, err := n.ledger.Reject(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// rejectBeforeKill keeps events of the inbox as a node does that is killed before it
// acknowledges them, and returns when the server does not know them by id any more.
func (n node) rejectBeforeKill(t *testing.T, list ...ledger.Rejected) {
	t.Helper()
	for _, r := range list {
		n.reject(t, r)
	}
	probe := ledger.Rejected{Inbox: ledger.InboxPart{Seq: 1 << 40}}
	first := n.reject(t, probe)
	last := first
	until(t, "what was rejected is forgotten", func() bool {
		last = n.reject(t, probe)
		return last != first
	})
	for _, id := range []uint64{first, last} {
		if err := n.ledger.DropRejected(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
}

func (n node) wantRejected(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, r := range n.rejected(t) {
		got = append(got, string(r.Raw))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rejected (-want +got):\n%s", diff)
	}
}

// What a node that was killed had put among the rejected, and had not acknowledged
// yet, is there once, however much later the inbox is read again.
func TestInboxRejectsOnceAfterKill(t *testing.T) {
	n := newNode(t, intake.Options{})
	n.shortMemory(t)
	n.drop(t, []byte("kept"))
	n.drop(t, array([]byte(`{"a":1}`), tool("a"), []byte(`{"b":2}`)))
	n.drop(t, []byte("not kept"))
	n.rejectBeforeKill(t,
		ledger.Rejected{Inbox: ledger.InboxPart{Seq: 1}, Raw: []byte("kept")},
		ledger.Rejected{Inbox: ledger.InboxPart{Seq: 2, Part: 1}, Raw: []byte(`{"a":1}`)})
	n.receive(t, intake.InboxOptions{})
	n.empty(t)
	n.wantRejected(t, "kept", `{"a":1}`, `{"b":2}`, "not kept")
	if diff := cmp.Diff([]string{"a"}, n.ids(t)); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}

// The parts of a message are told apart, and each is known again.
func TestInboxRejectsPartsOnce(t *testing.T) {
	n := newNode(t, intake.Options{})
	parts := []ledger.Rejected{
		{Inbox: ledger.InboxPart{Seq: 1, Part: 1}, Raw: []byte(`{"a":1}`)},
		{Inbox: ledger.InboxPart{Seq: 1, Part: 2}, Raw: []byte(`{"b":2}`)},
	}
	for range 2 {
		for _, p := range parts {
			n.reject(t, p)
		}
	}
	n.drop(t, array(parts[0].Raw, parts[1].Raw))
	n.receive(t, intake.InboxOptions{})
	n.empty(t)
	n.wantRejected(t, `{"a":1}`, `{"b":2}`)
}

// A node that has read the inbox before, and is given it again after another had it,
// knows what the other one rejected.
func TestInboxTurnsKnowTheRejected(t *testing.T) {
	n := newNode(t, intake.Options{})
	js := n.shortMemory(t)
	n.receive(t, intake.InboxOptions{})
	n.drop(t, tool("a"))
	n.empty(t)
	n.rejectBeforeKill(t, ledger.Rejected{Inbox: ledger.InboxPart{Seq: 2}, Raw: []byte("kept")})
	stream, err := js.Stream(t.Context(), ledger.InboxStream)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.UnpinConsumer(t.Context(), ledger.InboxConsumer, ledger.InboxGroup); err != nil {
		t.Fatal(err)
	}
	n.drop(t, []byte("kept"))
	n.empty(t)
	n.wantRejected(t, "kept")
}

// What was rejected of an inbox that was made anew since has sequences that other
// messages have now.
func TestInboxMadeAnewLosesNothing(t *testing.T) {
	n := newNode(t, intake.Options{})
	js := n.shortMemory(t)
	stream, err := js.Stream(t.Context(), ledger.InboxStream)
	if err != nil {
		t.Fatal(err)
	}
	n.rejectBeforeKill(t, ledger.Rejected{Inbox: ledger.InboxPart{Seq: 1}, Raw: []byte("of before")})
	if err := js.DeleteStream(t.Context(), ledger.InboxStream); err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), stream.CachedInfo().Config); err != nil {
		t.Fatal(err)
	}
	n.drop(t, tool("a"))
	n.receive(t, intake.InboxOptions{})
	n.empty(t)
	if diff := cmp.Diff([]string{"a"}, n.ids(t)); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}

// While what was rejected cannot be read the inbox waits, and health says why.
func TestInboxWaitsForTheRejected(t *testing.T) {
	n := newNode(t, intake.Options{})
	js := n.shortMemory(t)
	n.drop(t, []byte("kept"))
	n.rejectBeforeKill(t, ledger.Rejected{Inbox: ledger.InboxPart{Seq: 1}, Raw: []byte("kept")})
	n.change(t, js, func(c *jetstream.StreamConfig) { c.ConsumerLimits.InactiveThreshold = time.Second })
	log := new(logtest.Book)
	n.receive(t, intake.InboxOptions{Log: slog.New(slog.NewTextHandler(log, nil))})
	until(t, "health says so", func() bool { return n.in.InboxErr() != nil })
	if n.pending(t) != 1 {
		t.Error("the message did not stay in the inbox")
	}
	n.wantRejected(t, "kept")
	n.change(t, js, func(c *jetstream.StreamConfig) { c.ConsumerLimits.InactiveThreshold = 0 })
	n.empty(t)
	n.wantRejected(t, "kept")
	if err := n.in.InboxErr(); err != nil {
		t.Errorf("health says %v", err)
	}
	if !strings.Contains(log.String(), "what was rejected of the inbox") {
		t.Errorf("the log says %s", log)
	}
}
