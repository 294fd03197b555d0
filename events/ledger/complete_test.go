package ledger

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// startStaged returns a server and its ledger, whose batches may be staged in
// memory.
func startStaged(t *testing.T, dir string) (*Server, *Ledger) {
	t.Helper()
	s, err := StartServer(ServerOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	nc, err := s.Connect(ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		nc.Close()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	l, err := Open(t.Context(), nc, Options{Create: true, Server: s})
	if err != nil {
		t.Fatal(err)
	}
	return s, l
}

// What a loss of power leaves: a batch in the journal, and in the stream as much of
// it as had been written.
func TestOpenCompletesABatch(t *testing.T) {
	batch := joined(5)
	other := append([]Message(nil), batch...)
	other[1].Data = []byte("another event")
	for _, c := range []struct {
		name   string
		stored []Message
		want   []Message // in the end, after the first event
	}{
		{"nothing of it is stored", nil, nil},
		{"a part of it is stored", batch[:2], batch},
		{"all but its last is stored", batch[:4], batch},
		{"all of it is stored", batch, batch},
		{"something else is stored", other[:2], other[:2]},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, l := startStaged(t, t.TempDir())
			head, err := l.Append(t.Context(), 0, joined(1))
			if err != nil {
				t.Fatal(err)
			}
			cutOff(t, s, l, head, batch, c.stored)
			for range 2 { // the second time there is nothing left to do
				if l, err = Open(t.Context(), l.nc, Options{Create: true, Server: s}); err != nil {
					t.Fatal(err)
				}
				expect(t, l, head, c.want)
			}
			if _, err := l.Append(t.Context(), head+uint64(len(c.want)), joined(3)); err != nil {
				t.Error(err)
			}
		})
	}
}

// cutOff has the journal hold a batch of which a part is stored.
func cutOff(t *testing.T, s *Server, l *Ledger, head uint64, batch, stored []Message) {
	t.Helper()
	for i, m := range stored {
		if _, err := l.publish(t.Context(), head+uint64(i), []Message{m}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.journal.keep(t.Context(), head, batch); err != nil {
		t.Fatal(err)
	}
}

// Whatever cut a batch off, nothing is appended before it is whole, and what was
// decided without the rest of it is refused.
func TestAppendCompletesABatch(t *testing.T) {
	batch := joined(5)
	for _, c := range []struct {
		name   string
		happen func(t *testing.T, s *Server, l *Ledger)
	}{
		{"the server goes on", func(*testing.T, *Server, *Ledger) {}},
		{"the server is started anew", func(t *testing.T, s *Server, l *Ledger) {
			t.Helper()
			s.journal.open.Store(false)
			back := l.nc.StatusChanged(nats.CONNECTED)
			if err := s.Restart(); err != nil {
				t.Fatal(err)
			}
			<-back
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, l := startStaged(t, t.TempDir())
			cutOff(t, s, l, 0, batch, batch[:2])
			c.happen(t, s, l)
			if _, err := l.Append(t.Context(), 2, joined(1)); !errors.Is(err, ErrWrongHead) {
				t.Errorf("appended to a part of a batch: %v", err)
			}
			expect(t, l, 0, batch)
			if _, err := l.Append(t.Context(), 5, joined(1)); err != nil {
				t.Error(err)
			}
		})
	}
}

// expect compares what is stored after a sequence.
func expect(t *testing.T, l *Ledger, after uint64, want []Message) {
	t.Helper()
	head, err := l.Head(t.Context())
	if err != nil || head != after+uint64(len(want)) {
		t.Fatalf("the head is %d (%v), want %d", head, err, after+uint64(len(want)))
	}
	err = l.Read(t.Context(), after+1, head, func(seq uint64, raw []byte) error {
		if w := want[seq-after-1].Data; string(raw) != string(w) {
			t.Errorf("event %d is %s, want %s", seq, raw, w)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// While batches are stored, the head stands inside of one now and then; the settled
// one never does.
func TestSettledHead(t *testing.T) {
	_, l := startStaged(t, t.TempDir())
	const size = 500
	ctx, cancel := context.WithCancel(t.Context())
	written := make(chan error, 1)
	go func() {
		for head := uint64(0); ctx.Err() == nil; head += size {
			if _, err := l.Append(t.Context(), head, joined(size)); err != nil {
				written <- err
				return
			}
		}
		written <- nil
	}()
	inside := 0
	for range 300 {
		head, err := l.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if head%size != 0 {
			inside++
		}
		if head, err = l.SettledHead(t.Context()); err != nil || head%size != 0 {
			t.Errorf("settled inside a batch, at %d (%v)", head, err)
		}
	}
	cancel()
	if err := <-written; err != nil {
		t.Error(err)
	}
	t.Logf("%d of 300 heads stood inside a batch", inside)
}
