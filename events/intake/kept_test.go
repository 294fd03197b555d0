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

// inInbox names a message of the inbox, or a part of it.
func (n node) inInbox(t *testing.T, js jetstream.JetStream, seq uint64, part int) ledger.InboxPart {
	t.Helper()
	stream, err := js.Stream(t.Context(), ledger.InboxStream)
	if err != nil {
		t.Fatal(err)
	}
	msg, err := stream.GetMsg(t.Context(), seq)
	if err != nil {
		t.Fatal(err)
	}
	return ledger.InboxPart{Seq: seq, At: msg.Time.UnixNano(), Part: part}
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
	js := n.shortMemory(t)
	n.drop(t, []byte("kept"))
	n.drop(t, array([]byte(`{"a":1}`), tool("a"), []byte(`{"b":2}`)))
	n.drop(t, []byte("not kept"))
	n.rejectBeforeKill(t,
		ledger.Rejected{Inbox: n.inInbox(t, js, 1, 0), Raw: []byte("kept")},
		ledger.Rejected{Inbox: n.inInbox(t, js, 2, 1), Raw: []byte(`{"a":1}`)})
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
	js := n.shortMemory(t)
	n.drop(t, array([]byte(`{"a":1}`), []byte(`{"b":2}`)))
	parts := []ledger.Rejected{
		{Inbox: n.inInbox(t, js, 1, 1), Raw: []byte(`{"a":1}`)},
		{Inbox: n.inInbox(t, js, 1, 2), Raw: []byte(`{"b":2}`)},
	}
	for range 2 {
		for _, p := range parts {
			n.reject(t, p)
		}
	}
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
	stream, err := js.Stream(t.Context(), ledger.InboxStream)
	if err == nil {
		_, err = stream.PauseConsumer(t.Context(), ledger.InboxConsumer, time.Now().Add(time.Hour))
	}
	if err != nil {
		t.Fatal(err)
	}
	n.drop(t, []byte("kept"))
	n.rejectBeforeKill(t, ledger.Rejected{Inbox: n.inInbox(t, js, 2, 0), Raw: []byte("kept")})
	err = stream.UnpinConsumer(t.Context(), ledger.InboxConsumer, ledger.InboxGroup)
	if err == nil {
		_, err = stream.ResumeConsumer(t.Context(), ledger.InboxConsumer)
	}
	if err != nil {
		t.Fatal(err)
	}
	n.empty(t)
	n.wantRejected(t, "kept")
}

// What was rejected of an inbox that was made anew since has sequences that other
// messages have now. The server does not take it for those either.
func TestInboxMadeAnewLosesNothing(t *testing.T) {
	n := newNode(t, intake.Options{})
	js, err := jetstream.New(n.ledger.Conn())
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), ledger.InboxStream)
	if err != nil {
		t.Fatal(err)
	}
	n.drop(t, []byte("one before"))
	n.drop(t, []byte("another before"))
	for i, raw := range []string{"one before", "another before"} {
		n.reject(t, ledger.Rejected{Inbox: n.inInbox(t, js, uint64(i)+1, 0), Raw: []byte(raw)})
	}
	if err := js.DeleteStream(t.Context(), ledger.InboxStream); err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), stream.CachedInfo().Config); err != nil {
		t.Fatal(err)
	}
	n.drop(t, tool("a"))
	n.drop(t, []byte("one now"))
	n.receive(t, intake.InboxOptions{})
	n.empty(t)
	n.wantRejected(t, "one before", "another before", "one now")
	if diff := cmp.Diff([]string{"a"}, n.ids(t)); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}

// While what was rejected cannot be read the inbox waits, and health says why.
func TestInboxWaitsForTheRejected(t *testing.T) {
	n := newNode(t, intake.Options{})
	js := n.shortMemory(t)
	n.drop(t, []byte("kept"))
	n.rejectBeforeKill(t, ledger.Rejected{Inbox: n.inInbox(t, js, 1, 0), Raw: []byte("kept")})
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
