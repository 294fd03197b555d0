package ledger_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

func TestRead(t *testing.T) {
	l := ledgertest.New(t)
	head := fill(t, l, 9500)
	tests := []struct {
		name     string
		from, to uint64
		count    uint64
	}{
		{"all", 1, head, head},
		{"from 0", 0, 3, 3},
		{"the first", 1, 1, 1},
		{"the last", head, head, 1},
		{"the middle", 4000, 8001, 4002},
		{"nothing", 5, 4, 0},
		{"nothing at the end", head + 1, head, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			next, count := max(tt.from, 1), uint64(0)
			err := l.Read(t.Context(), tt.from, tt.to, func(seq uint64, raw []byte) error {
				if seq != next || len(raw) == 0 {
					t.Fatalf("got event %d of %d bytes, want %d", seq, len(raw), next)
				}
				next++
				count++
				return nil
			})
			if err != nil || count != tt.count {
				t.Errorf("read %d events (%v), want %d", count, err, tt.count)
			}
		})
	}
}

func TestReadLargeEvents(t *testing.T) {
	l := ledgertest.New(t)
	var head uint64
	var err error
	for range 4 {
		if head, err = l.Append(t.Context(), head, messages(25, 300<<10)); err != nil {
			t.Fatal(err)
		}
	}
	count := uint64(0)
	err = l.Read(t.Context(), 1, head, func(_ uint64, raw []byte) error {
		if len(raw) == 300<<10 {
			count++
		}
		return nil
	})
	if err != nil || count != head {
		t.Errorf("read %d events (%v), want %d", count, err, head)
	}
}

func TestReadReturnsTheErrorOfItsUser(t *testing.T) {
	l := ledgertest.New(t)
	head := fill(t, l, 10)
	stop := errors.New("enough")
	calls := 0
	err := l.Read(t.Context(), 1, head, func(seq uint64, _ []byte) error {
		calls++
		if seq == 4 {
			return stop
		}
		return nil
	})
	if err != stop || calls != 4 { //nolint:errorlint // the very same error is promised
		t.Errorf("got error %v after %d events, want %v after 4", err, calls, stop)
	}
}

func TestReadBeyondTheHead(t *testing.T) {
	l := ledgertest.New(t)
	head := fill(t, l, 3)
	err := l.Read(t.Context(), 1, head+5, func(uint64, []byte) error { return nil })
	wantGap(t, err, ledger.GapError{Want: head + 1, Got: head})
}

func TestGetAndLast(t *testing.T) {
	l := ledgertest.New(t)
	if _, err := l.Last(t.Context()); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("last of an empty ledger: got error %v, want %v", err, ledger.ErrNotFound)
	}
	batch := messages(3, 100)
	if _, err := l.Append(t.Context(), 0, batch); err != nil {
		t.Fatal(err)
	}
	for i, m := range batch {
		raw, err := l.Get(t.Context(), uint64(i)+1)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(m.Data), string(raw)); diff != "" {
			t.Errorf("event %d (-want +got):\n%s", i+1, diff)
		}
	}
	for _, seq := range []uint64{0, 4} {
		if _, err := l.Get(t.Context(), seq); !errors.Is(err, ledger.ErrNotFound) {
			t.Errorf("event %d: got error %v, want %v", seq, err, ledger.ErrNotFound)
		}
	}
	last, err := l.Last(t.Context())
	if err != nil || last.Seq != 3 || string(last.Raw) != string(batch[2].Data) {
		t.Errorf("last is %d %q (%v)", last.Seq, last.Raw, err)
	}
}
