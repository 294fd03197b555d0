package ledger_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

// A follower runs Follow beside the test.
type follower struct {
	t      *testing.T
	next   uint64
	at     chan uint64 // what was read, after each batch
	result chan error
}

func follow(t *testing.T, l *ledger.Ledger, from uint64) *follower {
	ctx, cancel := context.WithCancel(t.Context())
	f := &follower{t: t, next: from, at: make(chan uint64, 1), result: make(chan error, 1)}
	go func() {
		f.result <- l.Follow(ctx, from, func(batch []ledger.Entry) error { return f.take(ctx, batch) })
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-f.result; err == nil {
			t.Error("follow ended without an error")
		}
	})
	return f
}

func (f *follower) take(ctx context.Context, batch []ledger.Entry) error {
	if len(batch) == 0 || len(batch) > 1000 {
		return errors.New("a batch of a wrong size")
	}
	for _, e := range batch {
		if e.Seq != f.next || len(e.Raw) == 0 {
			f.t.Errorf("got event %d of %d bytes, want %d", e.Seq, len(e.Raw), f.next)
		}
		f.next++
	}
	select {
	case f.at <- f.next - 1:
	case <-ctx.Done():
	}
	return nil
}

// reach waits until the follower has read a sequence.
func (f *follower) reach(seq uint64) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), waitLimit)
	defer cancel()
	for at := uint64(0); at < seq; {
		select {
		case at = <-f.at:
		case err := <-f.result:
			f.result <- err
			f.t.Fatalf("follow ended before event %d: %v", seq, err)
		case <-ctx.Done():
			f.t.Fatalf("at event %d, not at %d after %s", at, seq, waitLimit)
		}
	}
}

// end waits for Follow to return.
func (f *follower) end() error {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), waitLimit)
	defer cancel()
	for {
		select {
		case <-f.at:
		case err := <-f.result:
			f.result <- err
			return err
		case <-ctx.Done():
			f.t.Fatalf("follow goes on after %s", waitLimit)
		}
	}
}

func wantGap(t *testing.T, err error, want ledger.GapError) {
	t.Helper()
	var gap *ledger.GapError
	if !errors.As(err, &gap) || *gap != want {
		t.Errorf("got error %v, want %v", err, &want)
	}
}

func TestFollow(t *testing.T) {
	l := ledgertest.New(t)
	head := fill(t, l, 5000)
	all, tail := follow(t, l, 1), follow(t, l, head+1)
	all.reach(head)
	for range 20 {
		head = fill(t, l, 1)
		all.reach(head)
		tail.reach(head)
	}
	head = fill(t, l, 2500)
	all.reach(head)
	tail.reach(head)
}

func TestFollowEnds(t *testing.T) {
	l := ledgertest.New(t)
	fill(t, l, 5)
	stop := errors.New("enough")
	if err := l.Follow(t.Context(), 1, func([]ledger.Entry) error { return stop }); err != stop { //nolint:errorlint // the very same error is promised
		t.Errorf("got error %v, want %v", err, stop)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	err := l.Follow(ctx, 1, func([]ledger.Entry) error {
		cancel(stop)
		return nil
	})
	if !errors.Is(err, stop) {
		t.Errorf("got error %v, want the cause %v", err, stop)
	}
}

func TestFollowSurvivesRestarts(t *testing.T) {
	external := ledgertest.NewExternal(t)
	l := ledgertest.Open(t, external.Connect())
	head := fill(t, l, 3000)
	f := follow(t, l, 1)
	f.reach(head)
	for range 2 {
		external.Stop()
		external.Start()
		eventually(t, "append", func() bool {
			last, err := l.Append(t.Context(), head, messages(10, 100))
			if err == nil {
				head = last
			}
			return err == nil
		})
		f.reach(head)
	}
}

func TestFollowSurvivesALostConsumer(t *testing.T) {
	l := ledgertest.New(t)
	head := fill(t, l, 10)
	f := follow(t, l, 1)
	f.reach(head)
	stream, err := jetStream(t, l).Stream(t.Context(), ledger.Stream)
	if err != nil {
		t.Fatal(err)
	}
	names := stream.ConsumerNames(t.Context())
	for name := range names.Name() {
		if err := stream.DeleteConsumer(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	f.reach(fill(t, l, 1))
}

// holed makes a ledger of n events whose middle ones are gone.
func holed(t *testing.T, n int, gone ...uint64) *ledger.Ledger {
	t.Helper()
	l := ledgertest.New(t)
	js := jetStream(t, l)
	stream, err := js.Stream(t.Context(), ledger.Stream)
	if err != nil {
		t.Fatal(err)
	}
	config := stream.CachedInfo().Config
	if err := js.DeleteStream(t.Context(), ledger.Stream); err != nil {
		t.Fatal(err)
	}
	config.DenyDelete = false
	if stream, err = js.CreateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	fill(t, l, n)
	for _, seq := range gone {
		if err := stream.DeleteMsg(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
	}
	config.DenyDelete = true
	if _, err := js.UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	if err := l.Assert(t.Context()); err != nil {
		t.Fatal(err)
	}
	return l
}

func TestGaps(t *testing.T) {
	tests := []struct {
		name string
		n    int
		gone []uint64
		from uint64
		want ledger.GapError
	}{
		{"one in the middle", 2000, []uint64{1500}, 1, ledger.GapError{Want: 1500, Got: 1501}},
		{"two in the middle", 20, []uint64{7, 8}, 1, ledger.GapError{Want: 7, Got: 9}},
		{"the next", 20, []uint64{5}, 5, ledger.GapError{Want: 5, Got: 6}},
		{"the first", 20, []uint64{1}, 1, ledger.GapError{Want: 1, Got: 2}},
		{"the last", 20, []uint64{19, 20}, 1, ledger.GapError{Want: 19}},
		{"all that is left", 20, []uint64{20}, 20, ledger.GapError{Want: 20}},
		{"the position is beyond the head", 20, nil, 30, ledger.GapError{Want: 29, Got: 20}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := holed(t, tt.n, tt.gone...)
			wantGap(t, follow(t, l, tt.from).end(), tt.want)
			if tt.from <= uint64(tt.n) {
				err := l.Read(t.Context(), tt.from, uint64(tt.n), func(uint64, []byte) error { return nil })
				wantGap(t, err, tt.want)
			}
		})
	}
}

func TestFollowNoticesAnotherLedger(t *testing.T) {
	l := ledgertest.New(t)
	f := follow(t, l, 1)
	f.reach(fill(t, l, 10))
	js := jetStream(t, l)
	stream, err := js.Stream(t.Context(), ledger.Stream)
	if err != nil {
		t.Fatal(err)
	}
	config := stream.CachedInfo().Config
	if err := js.DeleteStream(t.Context(), ledger.Stream); err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	// In between the stream was not there, which is as good.
	err = f.end()
	var gap *ledger.GapError
	if !errors.As(err, &gap) && !errors.Is(err, ledger.ErrNoLedger) {
		t.Errorf("got error %v, want a GapError", err)
	}
}

func TestFollowNoticesADeletedLedger(t *testing.T) {
	l := ledgertest.New(t)
	f := follow(t, l, 1)
	f.reach(fill(t, l, 10))
	if err := jetStream(t, l).DeleteStream(t.Context(), ledger.Stream); err != nil {
		t.Fatal(err)
	}
	if err := f.end(); !errors.Is(err, ledger.ErrNoLedger) {
		t.Errorf("got error %v, want %v", err, ledger.ErrNoLedger)
	}
}

// TestDamagedFile flips one byte of a stored event while the server is down.
// The server's idea of the stream may stay perfect; reading must find it.
func TestDamagedFile(t *testing.T) {
	external := ledgertest.NewExternal(t)
	nc := external.Connect()
	l := ledgertest.Open(t, nc)
	head := fill(t, l, 3000)
	external.Stop()
	block := filepath.Join(external.StoreDir(), "jetstream", "$G", "streams", ledger.Stream, "msgs", "1.blk")
	data, err := os.ReadFile(block)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 0xff
	if err := os.WriteFile(block, data, 0o600); err != nil {
		t.Fatal(err)
	}
	external.Start()
	eventually(t, "connection", nc.IsConnected)
	count := uint64(0)
	err = l.Read(t.Context(), 1, head, func(uint64, []byte) error {
		count++
		return nil
	})
	var gap *ledger.GapError
	if !errors.As(err, &gap) || gap.Want != count+1 || count >= head {
		t.Errorf("read %d of %d events, got error %v, want a GapError", count, head, err)
	}
}
