package ledger_test

import (
	"testing"

	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

// TestKeptOfInbox has more among the rejected than is asked for at once, of a message
// that is in the inbox no more, of one that is, and of those behind it.
func TestKeptOfInbox(t *testing.T) {
	l := ledgertest.New(t)
	want := func(count int) map[ledger.InboxPart]struct{} {
		t.Helper()
		kept, err := l.KeptOfInbox(t.Context())
		if err != nil || len(kept) != count {
			t.Fatalf("%d are kept (%v), want %d", len(kept), err, count)
		}
		return kept
	}
	all := rejections(1200)
	for i := range all {
		all[i].Inbox = ledger.InboxPart{Seq: uint64(i/2) + 1, Part: i%2 + 1}
	}
	rejectAll(t, l, all)
	want(0) // the inbox is empty
	js := jetStream(t, l)
	put(t, js, "done")
	put(t, js, "not done")
	want(len(all))
	msgs, _ := consume(t, l)
	if err := receive(t, msgs).DoubleAck(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept := want(len(all) - 2)
	for _, r := range all[2:] {
		if _, is := kept[r.Inbox]; !is {
			t.Errorf("%+v is not kept", r.Inbox)
		}
	}
	wantRejected(t, l, all)
}
