package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"

	"github.com/dustin/go-humanize"

	"shiplog/events"
	"shiplog/events/archive"
	"shiplog/events/audit"
	"shiplog/events/ledger"
	"shiplog/ops"
)

// An export writes the events of a server to a file.
type export struct {
	source source
	name   string // of the file, empty for the standard output
	out    *archive.Writer
	chain  *audit.Chain
	bar    *progress
	first  uint64 // sequence of the first event written
	head   uint64 // of the last there was when it began
}

// A source hands over the stored bytes of the events from a sequence on, up to
// the head, which it tells first.
type source func(ctx context.Context, from uint64, begin func(head uint64), fn func(raw []byte) error) error

// Run exports.
func (c *ExportCmd) Run(ctx context.Context, std *stdio) (err error) {
	source, done, err := c.source(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	x := &export{source: source, bar: newCounter(std, "exporting", -1)}
	defer x.bar.done()
	from := max(c.From, 1)
	if c.File == "-" {
		x.out = archive.NewWriter(std.out, false)
		if err := x.from(ctx, from, nil); err != nil {
			return err
		}
		return x.out.Close()
	}
	file, err := c.file()
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no directory %s; make it, or name another file", c.File, filepath.Dir(c.File))
	}
	if err != nil {
		return fmt.Errorf("%s: %s", c.File, reason(err))
	}
	x.name = c.File
	err = x.into(ctx, file, c.From)
	if err == nil {
		if err = file.Commit(); err != nil {
			err = unwritten(c.File, err)
		}
	}
	if errClose := file.Close(); err == nil && errClose != nil { // after another it says the same again
		err = unwritten(c.File, errClose)
	}
	if err != nil {
		return err
	}
	x.bar.done()
	std.note("%s", x.summary(c.File))
	return nil
}

// unwritten says what to do where a file cannot be written.
func unwritten(name string, err error) error {
	return fmt.Errorf("%s cannot be written: %s; mend that, such as by making room, and run the command again: it goes on from there", name, reason(err))
}

// file is what is written to: a new file, or the one to go on with.
func (c *ExportCmd) file() (*archive.File, error) {
	if c.From > 1 {
		file, err := archive.Continue(c.File)
		if !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
	}
	file, err := archive.Create(c.File)
	if err == nil && c.From > 1 {
		// A part of a ledger is not gone on with: line N of it is not event N.
		err = file.Restart()
	}
	return file, err
}

// into writes a file, behind what is there if that is of the same ledger.
func (x *export) into(ctx context.Context, file *archive.File, from uint64) error {
	tail := file.Tail()
	x.out = file.Writer
	switch {
	case tail.Lines == 0:
		return x.from(ctx, max(from, 1), nil)
	case from > 1:
		return x.from(ctx, from, tail.Last)
	}
	// Of an export that was interrupted: line N is event N.
	err := x.from(ctx, tail.Lines+1, tail.Last)
	if _, other := errors.AsType[*otherLedgerError](err); !other {
		return err
	}
	if err := file.Restart(); err != nil {
		return err
	}
	x.out = file.Writer
	return x.from(ctx, 1, nil)
}

// otherLedgerError says that a file cannot be gone on with.
type otherLedgerError struct{ seq uint64 }

func (e *otherLedgerError) Error() string {
	return fmt.Sprintf("the last line of the file is not event %d of this ledger; name the sequence behind its last event with --from, or export to another file", e.seq)
}

// from writes the events from a sequence on. Where the one before it is given,
// it has to be the same.
func (x *export) from(ctx context.Context, from uint64, before []byte) error {
	x.first, x.chain = from, new(audit.Chain)
	ask := from
	if before != nil {
		ask--
	}
	if from > 1 {
		x.chain = nil // begins with the first event that comes
	}
	next := ask
	err := x.source(ctx, ask, func(head uint64) {
		x.head = head
		x.bar.set(0, head-min(head, from-1))
	}, func(raw []byte) error {
		seq := next
		next++
		if seq < from {
			if string(raw) != string(before) {
				return &otherLedgerError{seq}
			}
			return x.take(seq, raw)
		}
		if err := x.take(seq, raw); err != nil {
			return err
		}
		x.bar.add(1)
		err := x.out.Write(raw)
		if err != nil && x.name != "" {
			err = unwritten(x.name, err)
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case x.head < ask:
		return fmt.Errorf("the ledger ends at event %d: there is no event %d yet to go on from", x.head, ask)
	case next != x.head+1:
		return fmt.Errorf("the server sent events up to %d of %d; run the command again: it goes on from there", next-1, x.head)
	}
	if x.chain != nil {
		return damagedLedger(x.chain.End())
	}
	return nil
}

// take holds an event to the chain: a backup that is not whole is none.
func (x *export) take(seq uint64, raw []byte) error {
	e, err := events.Decode(seq, raw)
	if x.chain == nil && e != nil {
		x.chain = audit.From(seq-1, e.PrevLeaf)
	}
	if x.chain == nil {
		x.chain = audit.From(seq-1, events.Hash{})
	}
	return damagedLedger(x.chain.Take(audit.Decoded{Seq: seq, Raw: raw, Event: e, Err: err}))
}

func damagedLedger(err error) error {
	if err == nil {
		return nil
	}
	return no("the ledger is damaged: %s; see shiplog verify", err)
}

// summary is the last line.
func (x *export) summary(name string) string {
	if x.head < x.first {
		return fmt.Sprintf("nothing new to export: %s has the ledger up to event %d", name, x.head)
	}
	_, leaf := x.chain.Position()
	return fmt.Sprintf("exported %s events, %d to %d, into %s; last leaf %s",
		humanize.Comma(int64(x.head-x.first+1)), x.first, x.head, name, leaf)
}

// source is where to export from, and what lets go of it.
func (c *ExportCmd) source(ctx context.Context) (from source, done func() error, err error) {
	done = func() error { return nil }
	switch {
	case c.Data != "" || c.NATS != "":
		s, err := c.open(ctx, ledger.Options{})
		if err != nil {
			return nil, nil, err
		}
		return fromStore(s), s.close, nil
	case c.To != "":
		client, err := newClient(c.To, "--to")
		return fromAPI(client), done, err
	}
	client, err := c.client()
	return fromLedger(client), done, err
}

// fromStore reads a ledger without a node.
func fromStore(s *store) source {
	return func(ctx context.Context, from uint64, begin func(uint64), fn func([]byte) error) error {
		head, err := s.ledger.Head(ctx)
		if err != nil {
			return err
		}
		begin(head)
		err = s.ledger.Read(ctx, from, head, func(_ uint64, raw []byte) error { return fn(raw) })
		if gap, ok := errors.AsType[*ledger.GapError](err); ok {
			return no("the export was cut short: the ledger is damaged: %s", gap)
		}
		return err
	}
}

// fromLedger reads from the operator's listener: the ledger itself.
func fromLedger(c *client) source {
	return func(ctx context.Context, from uint64, begin func(uint64), fn func([]byte) error) error {
		s, err := c.stream(ctx, fmt.Sprintf("/admin/v1/export?from=%d", from))
		if err != nil {
			return err
		}
		defer s.close()
		head, err := strconv.ParseUint(s.Header.Get(ops.HeadHeader), 10, 64)
		if err != nil {
			return fmt.Errorf("%s answers something else than Shiplog would; name another server with %s", c.name(), c.flag)
		}
		begin(head)
		in, err := archive.NewReader(s)
		if err != nil {
			return err
		}
		for {
			raw, err := in.Next()
			switch {
			case ctx.Err() != nil:
				return context.Canceled
			case s.Trailer.Get(ops.ErrorTrailer) != "":
				return no("the export was cut short: %s", oneLine(s.Trailer.Get(ops.ErrorTrailer)))
			case errors.Is(err, io.EOF):
				return nil
			case err != nil:
				return fmt.Errorf("%s went away; run the command again: it goes on where it stopped", c.name())
			}
			if err := fn(raw); err != nil {
				return err
			}
		}
	}
}

// exportPage is how many events are asked for at once.
const exportPage = 1000

// fromAPI reads over the public API, as anyone may.
func fromAPI(c *client) source {
	return func(ctx context.Context, from uint64, begin func(uint64), fn func([]byte) error) error {
		next, head := from, uint64(0)
		for {
			var page rawPage
			r, err := c.get(ctx, eventsPath(next-1, exportPage), &page)
			if err != nil {
				return err
			}
			if head == 0 {
				head = position(r)
				begin(head)
			}
			for _, e := range page.Events {
				if e.Seq != next {
					return no("the export was cut short: the server has no event %d", next)
				}
				if next++; e.Seq > head {
					return nil
				}
				if err := fn(e.Event); err != nil {
					return err
				}
			}
			if page.Next == nil || next > head {
				return nil
			}
		}
	}
}

// A rawPage is an answer of GET /api/v1/events with the events as they are.
type rawPage struct {
	Events []struct {
		Seq   uint64          `json:"seq"`
		Event json.RawMessage `json:"event"`
	} `json:"events"`
	Next *uint64 `json:"next"`
}
