package ledger_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"shiplog/events"
	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

func rejection() ledger.Rejected {
	return ledger.Rejected{
		Publisher: "local",
		Inbox:     ledger.InboxPart{Seq: 7},
		Header:    nats.Header{"ce-type": {"shiplog.review.submitted.v1"}, "content-type": {"application/json"}},
		Raw:       []byte("{\"a\":\n\x00\xff"),
		Problems: events.Problems{{
			Pointer: "/data/verdict", Code: events.CodeNotOneOf,
			Detail: "verdict must be ship, skip or abstain; got \"vielleicht – später\"\nand more",
		}},
	}
}

func list(t *testing.T, l *ledger.Ledger) []ledger.Rejected {
	t.Helper()
	var all []ledger.Rejected
	err := l.ListRejected(t.Context(), func(r ledger.Rejected) error {
		all = append(all, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func reject(t *testing.T, l *ledger.Ledger, r ledger.Rejected) uint64 {
	t.Helper()
	id, err := l.Reject(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestRejectedIsKeptAsItCame(t *testing.T) {
	l := ledgertest.New(t)
	want := rejection()
	want.ID = reject(t, l, want)
	got, err := l.GetRejected(t.Context(), want.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(ledger.Rejected{}, "Time")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.Time.IsZero() {
		t.Error("no time")
	}
	if diff := cmp.Diff([]ledger.Rejected{got}, list(t, l)); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

func TestRejectingAgainKeepsOne(t *testing.T) {
	l := ledgertest.New(t)
	first := reject(t, l, rejection())
	if again := reject(t, l, rejection()); again != first {
		t.Errorf("got ID %d, want %d again", again, first)
	}
	if n, err := l.RejectedCount(t.Context()); err != nil || n != 1 {
		t.Errorf("%d are kept (%v), want 1", n, err)
	}
}

// rejections are events of different publishers, each with a text of its own.
func rejections(count int) []ledger.Rejected {
	var list []ledger.Rejected
	for i := range count {
		r := rejection()
		r.Publisher, r.Inbox.Seq, r.Raw = fmt.Sprintf("p%d", i%3), uint64(i)+1, fmt.Appendf(nil, "junk %d", i)
		list = append(list, r)
	}
	return list
}

func rejectAll(t *testing.T, l *ledger.Ledger, list []ledger.Rejected) {
	t.Helper()
	if kept, err := l.RejectAll(t.Context(), list); err != nil || kept != len(list) {
		t.Fatalf("%d of %d are kept (%v)", kept, len(list), err)
	}
}

// wantRejected is that these are kept, once, in this order, as they came.
func wantRejected(t *testing.T, l *ledger.Ledger, want []ledger.Rejected) {
	t.Helper()
	if diff := cmp.Diff(want, list(t, l), cmpopts.IgnoreFields(ledger.Rejected{}, "ID", "Time"), cmp.Comparer(bytes.Equal)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRejectAll(t *testing.T) {
	for _, stream := range []struct {
		name   string
		atomic bool
	}{{"now", true}, {"of before there were batches", false}} {
		t.Run(stream.name, func(t *testing.T) {
			l := ledgertest.New(t)
			change(t, l, ledger.RejectedStream, func(c *jetstream.StreamConfig) { c.AllowAtomicPublish = stream.atomic })
			l = ledgertest.Open(t, l.Conn())
			all := rejections(ledger.MaxBatch + 200)
			rejectAll(t, l, nil)
			rejectAll(t, l, all[:1])
			rejectAll(t, l, all[:30]) // the first again, as after a crash
			rejectAll(t, l, all[30:60])
			rejectAll(t, l, all)
			wantRejected(t, l, all)
			if err := l.Assert(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRejectAllOfAnySize has more bytes than a batch may have.
func TestRejectAllOfAnySize(t *testing.T) {
	l := ledgertest.New(t)
	all := rejections(40)
	for i := range all {
		all[i].Raw = bytes.Repeat([]byte{byte(i)}, ledger.MaxMessage)
	}
	rejectAll(t, l, all)
	wantRejected(t, l, all)
}

// TestRejectAllTellsHowFarItCame has an event that cannot be kept among others.
func TestRejectAllTellsHowFarItCame(t *testing.T) {
	l := ledgertest.New(t)
	all := rejections(20)
	change(t, l, ledger.RejectedStream, func(c *jetstream.StreamConfig) { c.MaxMsgSize = 10_000 })
	all[13].Raw = make([]byte, 20_000)
	kept, err := l.RejectAll(t.Context(), all)
	if err == nil || kept != 13 {
		t.Errorf("%d are kept (%v), want 13 and an error", kept, err)
	}
	wantRejected(t, l, all[:13])
}

// TestRejectTakesAnything makes sure that no event is so bad that it cannot even
// be rejected: it would come out of the inbox for ever.
func TestRejectTakesAnything(t *testing.T) {
	l := ledgertest.New(t)
	long := make(events.Problems, 5000)
	for i := range long {
		long[i] = events.Problem{Pointer: fmt.Sprintf("/data/%d", i), Code: events.CodeUnknownField, Detail: strings.Repeat("x", 100)}
	}
	tests := []struct {
		name string
		edit func(*ledger.Rejected)
	}{
		{"empty", func(r *ledger.Rejected) { *r = ledger.Rejected{Publisher: "local"} }},
		{"the largest message", func(r *ledger.Rejected) { r.Raw = make([]byte, ledger.MaxMessage) }},
		{"thousands of problems", func(r *ledger.Rejected) { r.Problems = long }},
		{"one endless problem", func(r *ledger.Rejected) {
			r.Problems = events.Problems{{Detail: strings.Repeat("x", 1<<20)}}
		}},
		{"a large header", func(r *ledger.Rejected) {
			r.Header.Set("ce-subject", strings.Repeat("x", 60<<10))
			r.Problems = long
		}},
		{"many headers", func(r *ledger.Rejected) {
			for i := range 1500 {
				r.Header.Set(fmt.Sprintf("ce-x%d", i), "12345678")
			}
			r.Problems = long
		}},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := rejection()
			r.Inbox.Seq = uint64(i) + 1
			tt.edit(&r)
			got, err := l.GetRejected(t.Context(), reject(t, l, r))
			if err != nil || len(got.Raw) != len(r.Raw) {
				t.Errorf("kept %d bytes (%v), want %d", len(got.Raw), err, len(r.Raw))
			}
			if len(r.Problems) > 1 && len(got.Problems) == 0 {
				t.Error("no problem was kept")
			}
		})
	}
}

func TestRejectRefusesBadPublishers(t *testing.T) {
	l := ledgertest.New(t)
	for _, name := range []string{"", "a.b", "*", ">", "a b", "a\r\nb"} {
		if _, err := l.Reject(t.Context(), ledger.Rejected{Publisher: name}); err == nil {
			t.Errorf("rejected for publisher %q", name)
		}
	}
}

func TestRetryRejected(t *testing.T) {
	l := ledgertest.New(t)
	r := rejection()
	r.Header.Set("Nats-Msg-Id", "once")
	id := reject(t, l, r)
	if err := l.RetryRejected(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	msgs, _ := consume(t, l)
	m := receive(t, msgs)
	if diff := cmp.Diff(string(r.Raw), string(m.Data())); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	header := m.Headers()
	header.Del("Nats-Pin-Id") // the consumer's
	if diff := cmp.Diff(rejection().Header, header); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	if m.Subject() != "shiplog.inbox.local" {
		t.Errorf("is back on %s", m.Subject())
	}
	if left := list(t, l); len(left) > 0 {
		t.Errorf("%d are still rejected", len(left))
	}
}

func TestDropRejected(t *testing.T) {
	l := ledgertest.New(t)
	var ids []uint64
	for i := range uint64(3) {
		r := rejection()
		r.Inbox.Seq = i + 1
		ids = append(ids, reject(t, l, r))
	}
	if err := l.DropRejected(t.Context(), ids[1]); err != nil {
		t.Fatal(err)
	}
	left := list(t, l)
	if len(left) != 2 || left[0].ID != ids[0] || left[1].ID != ids[2] {
		t.Errorf("left are %v, want %d and %d", left, ids[0], ids[2])
	}
	for _, id := range []uint64{ids[1], 0, 99} {
		_, getErr := l.GetRejected(t.Context(), id)
		for _, err := range []error{getErr, l.DropRejected(t.Context(), id), l.RetryRejected(t.Context(), id)} {
			if !errors.Is(err, ledger.ErrNotFound) {
				t.Errorf("ID %d: got error %v, want %v", id, err, ledger.ErrNotFound)
			}
		}
	}
}
