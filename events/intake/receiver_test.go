package intake_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"shiplog/events/intake"
	"shiplog/events/ledger"
	"shiplog/events/logtest"
)

// An inbox that stays unreadable is tried again and again, and told of once.
func TestUnreadableInboxIsToldOnce(t *testing.T) {
	n := newNode(t, intake.Options{})
	js, err := jetstream.New(n.ledger.Conn())
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), ledger.InboxStream)
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteStream(t.Context(), ledger.InboxStream); err != nil {
		t.Fatal(err)
	}
	tries := make(chan *nats.Msg, 100)
	if _, err := n.ledger.Conn().ChanSubscribe("$JS.API.CONSUMER.CREATE."+ledger.InboxStream+".>", tries); err != nil {
		t.Fatal(err)
	}
	log := new(logtest.Book)
	n.receive(t, intake.InboxOptions{Log: slog.New(slog.NewTextHandler(log, nil))})
	for range 4 {
		<-tries
	}
	if told := strings.Count(log.String(), "level=WARN"); told != 1 {
		t.Errorf("it is told %d times:\n%s", told, log)
	}
	if _, err := js.CreateStream(t.Context(), stream.CachedInfo().Config); err != nil {
		t.Fatal(err)
	}
	until(t, "it is told that this is over", func() bool {
		return strings.Contains(log.String(), "the inbox can be read again")
	})
	n.drop(t, tool("a"))
	n.empty(t)
}
