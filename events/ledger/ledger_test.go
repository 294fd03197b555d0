package ledger_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

const streamBytes = 4 << 20

// jetStream is the API an operator has.
func jetStream(tb testing.TB, l *ledger.Ledger) jetstream.JetStream {
	tb.Helper()
	js, err := jetstream.New(l.Conn())
	if err != nil {
		tb.Fatal(err)
	}
	return js
}

// change changes one setting of a stream behind Shiplog's back.
func change(tb testing.TB, l *ledger.Ledger, name string, edit func(*jetstream.StreamConfig)) {
	tb.Helper()
	js := jetStream(tb, l)
	stream, err := js.Stream(tb.Context(), name)
	if err != nil {
		tb.Fatal(err)
	}
	config := stream.CachedInfo().Config
	edit(&config)
	if _, err := js.UpdateStream(tb.Context(), config); err != nil {
		tb.Fatal(err)
	}
}

func TestOpenMakesTheStreams(t *testing.T) {
	l := ledgertest.New(t)
	js := jetStream(t, l)
	config := func(name string) jetstream.StreamConfig {
		stream, err := js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return stream.CachedInfo().Config
	}
	type summary struct {
		Subjects              string
		Storage               jetstream.StorageType
		Retention             jetstream.RetentionPolicy
		Discard               jetstream.DiscardPolicy
		MaxBytes, MaxAgeHours int64
		MaxMsgSize            int32
		Deny, Atomic          bool
	}
	summarise := func(c jetstream.StreamConfig) summary {
		return summary{
			strings.Join(c.Subjects, ","), c.Storage, c.Retention, c.Discard, c.MaxBytes, int64(c.MaxAge.Hours()),
			c.MaxMsgSize, c.DenyDelete && c.DenyPurge, c.AllowAtomicPublish,
		}
	}
	want := map[string]summary{
		"SHIPLOG_LEDGER": {
			Subjects: "shiplog.ledger.>", Discard: jetstream.DiscardNew,
			MaxBytes: ledger.DefaultMaxBytes, MaxMsgSize: 320 << 10, Deny: true, Atomic: true,
		},
		"SHIPLOG_INBOX": {
			Subjects: "shiplog.inbox.*", Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew,
			MaxBytes: ledger.DefaultInboxMaxBytes, MaxMsgSize: 320 << 10,
		},
		"SHIPLOG_REJECTED": {
			Subjects: "shiplog.rejected.*", Discard: jetstream.DiscardOld,
			MaxBytes: 256 << 20, MaxAgeHours: 90 * 24, MaxMsgSize: -1, Atomic: true,
		},
	}
	for name, w := range want {
		if diff := cmp.Diff(w, summarise(config(name))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if err := l.Assert(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestOpenWithoutCreate(t *testing.T) {
	nc := ledgertest.Connect(t, ledgertest.NewServer(t))
	if _, err := ledger.Open(t.Context(), nc, ledger.Options{}); !errors.Is(err, ledger.ErrNoLedger) {
		t.Errorf("got error %v, want %v", err, ledger.ErrNoLedger)
	}
	ledgertest.Open(t, nc)
	if _, err := ledger.Open(t.Context(), nc, ledger.Options{MaxBytes: streamBytes}); err != nil {
		t.Errorf("open the ledger as it is: %v", err)
	}
}

func TestOpenChangesMaxBytes(t *testing.T) {
	nc := ledgertest.Connect(t, ledgertest.NewServer(t))
	for _, size := range []int64{64 << 20, streamBytes, 128 << 20} {
		l, err := ledger.Open(t.Context(), nc, ledger.Options{Create: true, MaxBytes: size})
		if err != nil {
			t.Fatal(err)
		}
		info, err := l.Info(t.Context())
		if err != nil || info.MaxBytes != size {
			t.Errorf("max bytes are %d (%v), want %d", info.MaxBytes, err, size)
		}
	}
	l := ledgertest.Open(t, nc)
	info, err := l.Info(t.Context())
	if err != nil || info.MaxBytes != 128<<20 {
		t.Errorf("max bytes are %d (%v), want those that were set", info.MaxBytes, err)
	}
}

func TestOpenNeverShrinksBelowTheLedger(t *testing.T) {
	l := ledgertest.New(t)
	head, err := l.Append(t.Context(), 0, messages(1000, 1000))
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int64{ledger.MaxMessage * 2, 1000} {
		_, err := ledger.Open(t.Context(), l.Conn(), ledger.Options{Create: true, MaxBytes: size})
		if err == nil || !strings.Contains(err.Error(), "--max-bytes") {
			t.Errorf("max bytes %d: got error %v, want one about --max-bytes", size, err)
		}
	}
	if got, err := l.Head(t.Context()); err != nil || got != head {
		t.Errorf("head is %d (%v), want %d", got, err, head)
	}
}

func TestAssertFindsDrift(t *testing.T) {
	tests := []struct {
		stream, setting string
		edit            func(*jetstream.StreamConfig)
	}{
		{ledger.Stream, "max_bytes", func(c *jetstream.StreamConfig) { c.MaxBytes = streamBytes }},
		{ledger.Stream, "max_msgs", func(c *jetstream.StreamConfig) { c.MaxMsgs = 10 }},
		{ledger.Stream, "max_msgs_per_subject", func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 1 }},
		{ledger.Stream, "max_age", func(c *jetstream.StreamConfig) { c.MaxAge = 1e12; c.Duplicates = 1e9 }},
		{ledger.Stream, "max_msg_size", func(c *jetstream.StreamConfig) { c.MaxMsgSize = 1000 }},
		{ledger.Stream, "discard", func(c *jetstream.StreamConfig) { c.Discard = jetstream.DiscardOld }},
		{ledger.Stream, "subjects", func(c *jetstream.StreamConfig) { c.Subjects = []string{"shiplog.ledger.*"} }},
		{ledger.Stream, "allow_msg_ttl", func(c *jetstream.StreamConfig) { c.AllowMsgTTL = true }},
		{ledger.Stream, "allow_atomic", func(c *jetstream.StreamConfig) { c.AllowAtomicPublish = false }},
		{ledger.Stream, "allow_direct", func(c *jetstream.StreamConfig) { c.AllowDirect = true }},
		{ledger.Stream, "no_ack", func(c *jetstream.StreamConfig) { c.NoAck = true }},
		{ledger.Stream, "subject_transform", func(c *jetstream.StreamConfig) {
			c.SubjectTransform = &jetstream.SubjectTransformConfig{Source: ">", Destination: "x.>"}
		}},
		{ledger.Stream, "sealed", func(c *jetstream.StreamConfig) { c.Sealed = true }},
		{ledger.InboxStream, "max_bytes", func(c *jetstream.StreamConfig) { c.MaxBytes = streamBytes }},
		{ledger.InboxStream, "discard", func(c *jetstream.StreamConfig) { c.Discard = jetstream.DiscardOld }},
		{ledger.RejectedStream, "max_age", func(c *jetstream.StreamConfig) { c.MaxAge *= 2 }},
	}
	for _, tt := range tests {
		t.Run(tt.stream+" "+tt.setting, func(t *testing.T) {
			l := ledgertest.New(t)
			change(t, l, tt.stream, tt.edit)
			var drift *ledger.DriftError
			if err := l.Assert(t.Context()); !errors.As(err, &drift) {
				t.Fatalf("got error %v, want a DriftError", err)
			}
			if drift.Stream != tt.stream || drift.Setting != tt.setting || drift.Want == drift.Got {
				t.Errorf("got %v, want %s of %s", drift, tt.setting, tt.stream)
			}
			if tt.setting == "max_bytes" {
				return
			}
			if _, err := ledger.Open(t.Context(), l.Conn(), ledger.Options{Create: true}); !errors.As(err, &drift) {
				t.Errorf("open: got error %v, want a DriftError", err)
			}
		})
	}
}

func TestAssertMissesAStream(t *testing.T) {
	l := ledgertest.New(t)
	if err := jetStream(t, l).DeleteStream(t.Context(), ledger.InboxStream); err != nil {
		t.Fatal(err)
	}
	if err := l.Assert(t.Context()); !errors.Is(err, ledger.ErrNoLedger) {
		t.Errorf("got error %v, want %v", err, ledger.ErrNoLedger)
	}
}

func TestInfo(t *testing.T) {
	l := ledgertest.New(t)
	info, err := l.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if info.First != 0 || info.Last != 0 || info.Messages != 0 || info.Created.IsZero() {
		t.Errorf("empty ledger: %+v", info)
	}
	fill(t, l, 3)
	if info, err = l.Info(t.Context()); err != nil {
		t.Fatal(err)
	}
	if info.First != 1 || info.Last != 3 || info.Messages != 3 || info.Bytes == 0 || info.Replicas != 1 {
		t.Errorf("three events: %+v", info)
	}
}
