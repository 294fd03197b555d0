package audit

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"shiplog/events"
	"shiplog/events/ledger"
)

// A Decoded is one event as [events.Decode] gave it.
type Decoded struct {
	Seq   uint64
	Raw   []byte
	Event *events.Event // nil where nothing of it could be read
	Err   error
}

// Read reads events from one sequence to another, both included, as
// [ledger.Ledger.Read] does.
type Read func(ctx context.Context, from, to uint64, fn func(seq uint64, raw []byte) error) error

// What is decoded at once, and handed over: no more events, and about as many bytes
// of them as stored.
const (
	batchEvents = 500
	batchBytes  = 1 << 20
)

// A batch is decoded by a worker while the ones before it are handed over.
type batch struct {
	list  []Decoded
	bytes int
	done  chan struct{}
}

// Scan reads events from one sequence to another, both included, and hands them
// over in order, decoded. It returns the error of fn as it is; a missing sequence
// is a [Fault].
func Scan(ctx context.Context, read Read, from, to uint64, fn func([]Decoded) error) error {
	if to < from {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	workers := runtime.GOMAXPROCS(0)
	work, ordered := make(chan *batch), make(chan *batch, workers)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() { decode(work) })
	}
	failed := make(chan error, 1)
	running.Go(func() {
		defer close(ordered)
		defer close(work)
		failed <- fill(ctx, read, from, to, work, ordered)
	})
	err := handOver(ordered, fn)
	cancel(err)
	for range ordered { // until the reader has returned
	}
	running.Wait()
	if err == nil {
		err = asFault(<-failed)
	}
	return err
}

// asFault is an error of reading; a gap is a fault of the ledger.
func asFault(err error) error {
	if gap, ok := errors.AsType[*ledger.GapError](err); ok {
		cause := "is missing"
		if gap.Got > gap.Want {
			cause = fmt.Sprintf("is missing: the next one is %d", gap.Got)
		} else if gap.Got > 0 {
			cause = fmt.Sprintf("is missing: the ledger ends at %d", gap.Got)
		}
		return &Fault{gap.Want, cause, true}
	}
	return err
}

// fill reads, and gives each batch to a worker and into the queue.
func fill(ctx context.Context, read Read, from, to uint64, work, ordered chan<- *batch) error {
	b := new(batch)
	send := func() error {
		b.done = make(chan struct{})
		for _, to := range []chan<- *batch{work, ordered} {
			select {
			case to <- b:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		b = &batch{list: make([]Decoded, 0, batchEvents)}
		return nil
	}
	err := read(ctx, from, to, func(seq uint64, raw []byte) error {
		b.list = append(b.list, Decoded{Seq: seq, Raw: raw})
		if b.bytes += len(raw); len(b.list) < batchEvents && b.bytes < batchBytes {
			return nil
		}
		return send()
	})
	// What came before a gap is looked at first: it may be worse.
	if len(b.list) > 0 && ctx.Err() == nil {
		if errSend := send(); errSend != nil {
			return errSend
		}
	}
	return err
}

func decode(work <-chan *batch) {
	for b := range work {
		for i := range b.list {
			d := &b.list[i]
			d.Event, d.Err = events.Decode(d.Seq, d.Raw)
		}
		close(b.done)
	}
}

func handOver(ordered <-chan *batch, fn func([]Decoded) error) error {
	for b := range ordered {
		<-b.done
		if err := fn(b.list); err != nil {
			return err
		}
	}
	return nil
}
