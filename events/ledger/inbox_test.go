package ledger_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

// put publishes to the inbox as a guest does.
func put(t *testing.T, js jetstream.JetStream, text string) {
	t.Helper()
	if _, err := js.Publish(t.Context(), ledger.InboxPrefix+ledger.LocalPublisher, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// consume reads the inbox as the intake does, until the test ends.
func consume(t *testing.T, l *ledger.Ledger) (<-chan jetstream.Msg, jetstream.ConsumeContext) {
	t.Helper()
	inbox, err := l.Inbox(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	msgs := make(chan jetstream.Msg, 100)
	consuming, err := inbox.Consume(func(m jetstream.Msg) { msgs <- m },
		jetstream.PullPriorityGroup(ledger.InboxGroup), jetstream.PullExpiry(ledger.InboxPullExpiry))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		consuming.Stop()
		<-consuming.Closed()
	})
	return msgs, consuming
}

func receive(t *testing.T, msgs <-chan jetstream.Msg) jetstream.Msg {
	t.Helper()
	select {
	case m := <-msgs:
		return m
	case <-time.After(waitLimit):
		t.Fatalf("no message after %s", waitLimit)
		return nil
	}
}

func TestInboxIsAQueue(t *testing.T) {
	s := ledgertest.NewServer(t)
	l := ledgertest.Open(t, ledgertest.Connect(t, s))
	js, err := jetstream.New(ledgertest.Guest(t, s))
	if err != nil {
		t.Fatal(err)
	}
	put(t, js, "before")
	msgs, _ := consume(t, l)
	put(t, js, "after")
	for _, want := range []string{"before", "after"} {
		m := receive(t, msgs)
		if string(m.Data()) != want || ledger.InboxPublisher(m.Subject()) != "local" {
			t.Errorf("got %q on %s, want %q", m.Data(), m.Subject(), want)
		}
		if err := m.DoubleAck(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := l.InboxPending(t.Context()); err != nil || n != 0 {
		t.Errorf("%d events wait (%v), want none: all are acknowledged", n, err)
	}
}

// What the server keeps of the inbox's consumer may be damaged: what was handed out
// and not acknowledged comes again, and nothing else.
func TestInboxOutlivesItsConsumer(t *testing.T) {
	dir := t.TempDir()
	open := func() (*ledger.Server, *nats.Conn, *ledger.Ledger) {
		s := startIn(t, dir)
		nc, err := s.Connect(ledger.ConnectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		l, err := ledger.Open(t.Context(), nc, ledger.Options{Create: true, Server: s})
		if err != nil {
			t.Fatal(err)
		}
		return s, nc, l
	}
	s, nc, l := open()
	put(t, jetStream(t, l), "done")
	put(t, jetStream(t, l), "not done")
	msgs, consuming := consume(t, l)
	if err := receive(t, msgs).DoubleAck(t.Context()); err != nil {
		t.Fatal(err)
	}
	receive(t, msgs)
	consuming.Stop()
	<-consuming.Closed()
	nc.Close()
	closeServer(t, s)

	kept := filepath.Join(dir, "jetstream", "SHIPLOG", "streams", ledger.InboxStream, "obs", ledger.InboxConsumer, "o.dat")
	if _, err := os.Stat(kept); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(kept, []byte("not what the server wrote"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, nc, l = open()
	msgs, consuming = consume(t, l)
	m := receive(t, msgs)
	if err := m.DoubleAck(t.Context()); err != nil || string(m.Data()) != "not done" {
		t.Errorf("got %q (%v), want what was not done", m.Data(), err)
	}
	if n, err := l.InboxPending(t.Context()); err != nil || n != 0 {
		t.Errorf("%d events wait (%v), want none", n, err)
	}
	consuming.Stop()
	<-consuming.Closed()
	nc.Close()
	closeServer(t, s)
}

func TestInboxServesOneNode(t *testing.T) {
	s := ledgertest.NewServer(t)
	js := jetStream(t, ledgertest.Open(t, ledgertest.Connect(t, s)))
	stream, err := js.Stream(t.Context(), ledger.InboxStream)
	if err != nil {
		t.Fatal(err)
	}
	first, consuming := consume(t, ledgertest.Open(t, ledgertest.Connect(t, s)))
	put(t, js, "1")
	if err := receive(t, first).DoubleAck(t.Context()); err != nil {
		t.Fatal(err)
	}
	second, _ := consume(t, ledgertest.Open(t, ledgertest.Connect(t, s)))
	for _, text := range []string{"2", "3"} {
		put(t, js, text)
		if m := receive(t, first); string(m.Data()) != text {
			t.Errorf("got %q, want %q", m.Data(), text)
		} else if err := m.DoubleAck(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(second) > 0 {
		t.Error("the second node was served while the first one lives")
	}
	consuming.Stop()
	// The server does this by itself when the first has not pulled for a while.
	if err := stream.UnpinConsumer(t.Context(), "intake", ledger.InboxGroup); err != nil {
		t.Fatal(err)
	}
	put(t, js, "4")
	if m := receive(t, second); string(m.Data()) != "4" {
		t.Errorf("got %q, want 4", m.Data())
	}
}

func TestInboxPublisher(t *testing.T) {
	for subject, want := range map[string]string{
		"shiplog.inbox.local":     "local",
		"shiplog.submit.acme-ci":  "acme-ci",
		"shiplog.inbox.":          "",
		"shiplog.inbox.a.b":       "",
		"shiplog.inbox.*":         "",
		"shiplog.inbox.a b":       "",
		"shiplog.ledger.rules":    "",
		"shiplog.rejected.local":  "",
		"other.shiplog.inbox.abc": "",
	} {
		if got := ledger.InboxPublisher(subject); got != want {
			t.Errorf("%s: got %q, want %q", subject, got, want)
		}
	}
}
