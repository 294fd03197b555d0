package ops

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"shiplog/events/audit"
	"shiplog/events/ledger"
)

const (
	// chainWait is how long a node that has begun is not ready for its chain not
	// having been read.
	chainWait = 5 * time.Second
	// chainEvery is how often the chain is read again.
	chainEvery = 24 * time.Hour
	// chainRetry is how long a reading that failed waits to be tried again.
	chainRetry = time.Minute
	// chainRest is how long a reading rests for each second it works, so that
	// live work comes first. In the first seconds there is none.
	chainRest = 3
)

// ChainOptions set up a [ChainWatch]. The zero value will do.
type ChainOptions struct {
	Now   func() time.Time // nil means the clock
	Every time.Duration    // 0 means a day
	// Fault is damage that was found before the watch was made. It stays where a
	// reading finds none, as one of an empty ledger.
	Fault error
	// Gap is called when events are found missing; nil for nobody.
	Gap func()
	Log *slog.Logger // nil means none
}

// ChainWatch reads the whole ledger in the background, when a node begins and
// each day, and holds it to its chain. A damaged block can leave JetStream's own
// account of a stream looking perfect: only reading finds it.
type ChainWatch struct {
	ledger *ledger.Ledger
	o      ChainOptions
	began  time.Time

	mu    sync.Mutex
	seq   uint64    // read so far in this reading
	head  uint64    // its end
	whole uint64    // up to where the last reading found all well
	at    time.Time // when that was
	fault error     // what it found
	err   error     // what kept it from finding out
}

// NewChainWatch makes a watch. It does nothing before Run.
func NewChainWatch(l *ledger.Ledger, o ChainOptions) *ChainWatch {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Every <= 0 {
		o.Every = chainEvery
	}
	if o.Gap == nil {
		o.Gap = func() {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &ChainWatch{ledger: l, o: o, began: o.Now(), fault: o.Fault}
}

// Run reads again and again until the context ends.
func (w *ChainWatch) Run(ctx context.Context) {
	for ctx.Err() == nil {
		wait := w.o.Every
		if err := w.read(ctx); err != nil && w.Fault() == nil {
			wait = min(wait, chainRetry)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
}

// read reads the ledger once.
func (w *ChainWatch) read(ctx context.Context) error {
	start := w.o.Now()
	head, err := w.ledger.Head(ctx)
	var chain audit.Chain
	if err == nil {
		w.set(func() { w.seq, w.head = 0, head })
		worked := time.Now()
		err = audit.Check(ctx, w.ledger.Read, &chain, head, func(seq uint64) {
			w.set(func() { w.seq = seq })
			w.rest(ctx, time.Since(worked))
			worked = time.Now()
		})
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	fault, damaged := errors.AsType[*audit.Fault](err)
	w.set(func() {
		w.err = err
		switch {
		case damaged:
			w.fault = &ChainError{fault}
		case err == nil:
			w.fault, w.whole, w.at = w.o.Fault, head, w.o.Now()
		}
	})
	w.report(ctx, err, head, start)
	return err
}

func (w *ChainWatch) report(ctx context.Context, err error, head uint64, start time.Time) {
	fault, damaged := errors.AsType[*audit.Fault](err)
	switch {
	case damaged:
		w.o.Log.LogAttrs(ctx, slog.LevelError, "ledger is damaged", slog.Uint64("seq", fault.Seq), slog.Any("error", w.Fault()))
		if fault.Missing {
			w.o.Gap()
		}
	case err != nil:
		w.o.Log.LogAttrs(ctx, slog.LevelWarn, "ledger not re-read, trying again", slog.Any("error", err))
	case w.o.Fault == nil:
		w.o.Log.LogAttrs(ctx, slog.LevelInfo, "ledger re-read, its chain is whole",
			slog.Uint64("events", head), slog.Duration("took", w.o.Now().Sub(start).Round(time.Millisecond)))
	}
}

// rest lets live work come first.
func (w *ChainWatch) rest(ctx context.Context, worked time.Duration) {
	if w.o.Now().Sub(w.began) < chainWait {
		return
	}
	timer := time.NewTimer(chainRest * worked)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (w *ChainWatch) set(fn func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fn()
}

// A ChainError says that the ledger is damaged, and what to do.
type ChainError struct{ Fault *audit.Fault }

func (e *ChainError) Error() string {
	return fmt.Sprintf("the ledger is damaged: %s; see shiplog verify, then restore it from a backup", e.Fault)
}

func (e *ChainError) Unwrap() error { return e.Fault }

// Fault is the damage the last reading found, a [ChainError], or what was known
// before; nil for none.
func (w *ChainWatch) Fault() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fault
}

// Check is for /readyz. It waits for nothing: within the first seconds a node is
// not ready while its ledger is being re-read, after that it is until damage is
// found.
func (w *ChainWatch) Check(context.Context) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	reading := fmt.Sprintf("re-reading the ledger: event %d of %d", w.seq, w.head)
	switch {
	case w.fault != nil:
		return "", w.fault
	case !w.at.IsZero():
		return fmt.Sprintf("whole up to event %d at the last full reading, %s", w.whole, w.at.UTC().Format(time.RFC3339)), nil
	case w.o.Now().Sub(w.began) < chainWait && w.err == nil:
		return reading, errors.New(reading)
	case w.err != nil:
		return fmt.Sprintf("the ledger was not re-read yet: %s", oneLine(w.err)), nil
	}
	return reading, nil
}
