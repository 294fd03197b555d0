package ledger_test

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nats.go/micro"

	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

// quiet keeps the client from printing the errors that a test is about.
func quiet() nats.Option {
	return nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})
}

func TestGuestIsRefused(t *testing.T) {
	s := ledgertest.NewServer(t)
	l := ledgertest.Open(t, ledgertest.Connect(t, s))

	publish := func(subject string) func(*nats.Conn) error {
		return func(nc *nats.Conn) error { return nc.Publish(subject, []byte("{}")) }
	}
	subscribe := func(subject string) func(*nats.Conn) error {
		return func(nc *nats.Conn) error {
			_, err := nc.SubscribeSync(subject)
			return err
		}
	}
	tests := []struct {
		name string
		act  func(*nats.Conn) error
	}{
		{"publish to the ledger", publish("shiplog.ledger.tool.smolvm")},
		{"publish event 1", publish("shiplog.ledger.opened")},
		{"publish as another publisher", publish("shiplog.inbox.acme")},
		{"publish below the inbox", publish("shiplog.inbox.local.x")},
		{"submit as another publisher", publish("shiplog.submit.acme")},
		{"publish a rejection", publish("shiplog.rejected.local")},
		{"ask for stream info", publish("$JS.API.STREAM.INFO.SHIPLOG_LEDGER")},
		{"ask for account info", publish("$JS.API.INFO")},
		{"delete the stream", publish("$JS.API.STREAM.DELETE.SHIPLOG_LEDGER")},
		{"purge the inbox", publish("$JS.API.STREAM.PURGE.SHIPLOG_INBOX")},
		{"create a consumer", publish("$JS.API.CONSUMER.CREATE.SHIPLOG_LEDGER")},
		{"take from the inbox", publish("$JS.API.CONSUMER.MSG.NEXT.SHIPLOG_INBOX.intake")},
		{"acknowledge", publish("$JS.ACK.SHIPLOG_INBOX.intake.1.1.1.1.1")},
		{"ping every service", publish("$SRV.PING")},
		{"ping another service", publish("$SRV.PING.other")},
		{"ask the system", publish("$SYS.REQ.SERVER.PING")},
		{"answer another guest", publish("_INBOX.x.y")},
		{"answer Shiplog", publish("_SHIPLOG_INBOX.x.y")},
		{"read everything", subscribe(">")},
		{"read the ledger", subscribe("shiplog.ledger.>")},
		{"read the inbox", subscribe("shiplog.inbox.local")},
		{"pose as the service", subscribe("shiplog.submit.local")},
		{"read Shiplog's answers", subscribe("_SHIPLOG_INBOX.>")},
		{"read forwarded answers", subscribe("_R_.>")},
		{"read system events", subscribe("$SYS.>")},
		{"read advisories", subscribe("$JS.EVENT.>")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			guest := ledgertest.Guest(t, s, quiet())
			if err := tt.act(guest); err != nil {
				t.Fatal(err)
			}
			if err := guest.Flush(); err != nil {
				t.Fatal(err)
			}
			if err := guest.LastError(); !errors.Is(err, nats.ErrPermissionViolation) {
				t.Errorf("got error %v, want %v", err, nats.ErrPermissionViolation)
			}
		})
	}
	if err := l.Assert(t.Context()); err != nil {
		t.Error(err)
	}
	if head, err := l.Head(t.Context()); err != nil || head != 0 {
		t.Errorf("head is %d (%v) after what guests may not do, want 0", head, err)
	}
}

// TestGuestCannotBorrowTheServersHand has the server answer to a subject the
// guest may not publish to.
func TestGuestCannotBorrowTheServersHand(t *testing.T) {
	s := ledgertest.NewServer(t)
	own := ledgertest.Connect(t, s)
	l := ledgertest.Open(t, own)
	serve(t, own)
	guest := ledgertest.Guest(t, s, quiet())
	for _, request := range []string{"shiplog.inbox.local", "shiplog.submit.local", "$SRV.PING.shiplog"} {
		for _, reply := range []string{
			"shiplog.ledger.opened", "$JS.API.STREAM.DELETE.SHIPLOG_LEDGER",
			"$JS.API.STREAM.PURGE.SHIPLOG_INBOX", "shiplog.inbox.acme", "shiplog.rejected.local",
		} {
			if err := guest.PublishRequest(request, reply, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	traced := nats.NewMsg("shiplog.inbox.local")
	traced.Header.Set("Nats-Trace-Dest", "shiplog.ledger.opened")
	if err := guest.PublishMsg(traced); err != nil {
		t.Fatal(err)
	}
	// What comes after all of them is answered after all of them.
	if _, err := guest.Request("shiplog.submit.local", nil, waitLimit); err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(guest)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "shiplog.inbox.local", nil); err != nil {
		t.Fatal(err)
	}
	if err := own.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := l.Assert(t.Context()); err != nil {
		t.Error(err)
	}
	head, err := l.Head(t.Context())
	if err != nil || head != 0 {
		t.Errorf("head is %d (%v), want 0", head, err)
	}
	if n, err := l.RejectedCount(t.Context()); err != nil || n != 0 {
		t.Errorf("%d rejected events (%v), want none", n, err)
	}
}

// serve runs the service that the intake will run.
func serve(t *testing.T, nc *nats.Conn) {
	t.Helper()
	service, err := micro.AddService(nc, micro.Config{
		Name:    "shiplog",
		Version: "1.0.0",
		Endpoint: &micro.EndpointConfig{
			Subject: ledger.SubmitPrefix + "*",
			Handler: micro.HandlerFunc(func(r micro.Request) {
				if err := r.Respond([]byte(ledger.InboxPublisher(r.Subject()))); err != nil {
					t.Error(err)
				}
			}),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := service.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
}

// A node that is pointed at the embedded server of another is told so.
func TestGuestCannotOpenTheLedger(t *testing.T) {
	s := ledgertest.NewServer(t)
	guest := ledgertest.Guest(t, s, nats.CustomInboxPrefix("_SHIPLOG_INBOX"))
	for _, create := range []bool{true, false} {
		_, err := ledger.Open(t.Context(), guest, ledger.Options{Create: create})
		if !errors.Is(err, ledger.ErrDenied) {
			t.Fatalf("create %t: got error %v, want %v", create, err, ledger.ErrDenied)
		}
	}
}

func TestGuestMay(t *testing.T) {
	s := ledgertest.NewServer(t)
	own := ledgertest.Connect(t, s)
	l := ledgertest.Open(t, own)
	serve(t, own)
	guest := ledgertest.Guest(t, s)

	js, err := jetstream.New(guest)
	if err != nil {
		t.Fatal(err)
	}
	ack, err := js.Publish(t.Context(), "shiplog.inbox.local", []byte(`{"a":1}`))
	if err != nil {
		t.Fatalf("publish to the inbox: %v", err)
	}
	if ack.Stream != ledger.InboxStream || ack.Sequence != 1 {
		t.Errorf("acknowledged by %s as %d, want %s as 1", ack.Stream, ack.Sequence, ledger.InboxStream)
	}
	if n, err := l.InboxPending(t.Context()); err != nil || n != 1 {
		t.Errorf("%d events wait (%v), want 1", n, err)
	}
	answer, err := guest.Request("shiplog.submit.local", []byte("{}"), waitLimit)
	if err != nil {
		t.Fatalf("submit: %v", err)
	}
	if string(answer.Data) != "local" {
		t.Errorf("submitted as %q, want local", answer.Data)
	}
	for _, verb := range []string{"PING", "INFO", "STATS"} {
		if _, err := guest.Request("$SRV."+verb+".shiplog", nil, waitLimit); err != nil {
			t.Errorf("%s: %v", verb, err)
		}
	}
}

func TestGuestSubmitWithoutServiceFailsAtOnce(t *testing.T) {
	guest := ledgertest.Guest(t, ledgertest.NewServer(t))
	_, err := guest.Request("shiplog.submit.local", nil, waitLimit)
	if !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("got error %v, want %v", err, nats.ErrNoResponders)
	}
}

func TestStrangerIsRefused(t *testing.T) {
	s := ledgertest.NewServer(t)
	for _, user := range []string{"shiplog", "guest", "admin"} {
		nc, err := nats.Connect(s.Addr(), nats.UserInfo(user, "guess"), nats.Timeout(5*time.Second))
		if err == nil {
			nc.Close()
		}
		if !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("%s: got error %v, want %v", user, err, nats.ErrAuthorization)
		}
	}
}
