package ledger_test

import (
	"errors"
	"testing"

	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

// TestCluster is the ledger on three servers, one of which goes away.
func TestCluster(t *testing.T) {
	cluster := ledgertest.NewCluster(t)
	options := ledger.Options{Create: true, Replicas: 3, MaxBytes: streamBytes}
	open := func() *ledger.Ledger {
		l, err := ledger.Open(t.Context(), ledgertest.ConnectURL(t, ledgertest.URLs(cluster)), options)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	l, other := open(), open()
	head := fill(t, l, 1500)
	expectClusterErrors(t, other, head)

	f := follow(t, other, 1)
	f.reach(head)
	stream, err := jetStream(t, l).Stream(t.Context(), ledger.Stream)
	if err != nil {
		t.Fatal(err)
	}
	leader := stream.CachedInfo().Cluster.Leader
	for i, e := range cluster {
		if e.Name() == leader {
			cluster[i].Stop()
			defer cluster[i].Start()
		}
	}
	// An unknown outcome is what reading on is for.
	for n := 0; n < 20; {
		last, err := l.Append(t.Context(), head, messages(2, 100))
		switch {
		case err == nil:
			head = last
			n++
		case errors.Is(err, ledger.ErrUnknown), errors.Is(err, ledger.ErrWrongHead):
			eventually(t, "read the head", func() bool {
				now, err := l.Head(t.Context())
				head = max(head, now)
				return err == nil
			})
		default:
			t.Fatal(err)
		}
	}
	f.reach(head)
}

func expectClusterErrors(t *testing.T, l *ledger.Ledger, head uint64) {
	t.Helper()
	for _, n := range []int{1, 5} {
		if _, err := l.Append(t.Context(), head-1, messages(n, 100)); !errors.Is(err, ledger.ErrWrongHead) {
			t.Errorf("%d events at the wrong head: got error %v, want %v", n, err, ledger.ErrWrongHead)
		}
	}
	if _, err := l.Append(t.Context(), head, messages(20, 300<<10)); !errors.Is(err, ledger.ErrFull) {
		t.Errorf("more than fits: got error %v, want %v", err, ledger.ErrFull)
	}
	if err := l.Assert(t.Context()); err != nil {
		t.Error(err)
	}
}

// A server that leads the ledger and hears from nobody any more answers for a while,
// but not for the head that nobody is ahead of.
func TestAgreedHead(t *testing.T) {
	cluster := ledgertest.NewCluster(t)
	l, err := ledger.Open(t.Context(), ledgertest.ConnectURL(t, ledgertest.URLs(cluster)), ledger.Options{Create: true, Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	head := fill(t, l, 10)
	eventually(t, "all agree", func() bool {
		agreed, err := l.AgreedHead(t.Context())
		return err == nil && agreed == head
	})
	stream, err := jetStream(t, l).Stream(t.Context(), ledger.Stream)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range cluster {
		if e.Name() != stream.CachedInfo().Cluster.Leader {
			e.Stop()
		}
	}
	eventually(t, "the one that leads is alone", func() bool {
		_, err := l.AgreedHead(t.Context())
		now, errHead := l.Head(t.Context())
		return errors.Is(err, ledger.ErrUnknown) && errHead == nil && now == head
	})
}
