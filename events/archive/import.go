package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"shiplog/events/audit"
	"shiplog/events/ledger"
)

// batchBytes bounds what is appended at once.
const batchBytes = 4 << 20

// ErrOther means that the ledger holds something else than the file says: it is
// neither empty nor the beginning of it.
var ErrOther = errors.New("the ledger is another one")

// Imported says what an import did.
type Imported struct {
	Events uint64 // lines of the file
	Had    uint64 // of them the ledger had before
	Leaf   string // of the last
}

// Import appends the lines of a file to a ledger that is empty or holds the
// first of them. What is there is compared byte by byte, what comes after it is
// held to the chain before it is appended. Killed at any moment it has appended
// a part, and can be called again.
//
// What is wrong with the file is a [LineError]; nothing of that line or after it
// is appended.
func Import(ctx context.Context, l *ledger.Ledger, r *Reader, progress func(lines uint64)) (Imported, error) {
	head, err := l.Head(ctx)
	if err != nil {
		return Imported{}, err
	}
	im := &importer{ledger: l, lines: r, progress: progress}
	if err := im.compare(ctx, head); err != nil {
		return Imported{}, err
	}
	if err := im.appendRest(ctx, head); err != nil {
		return Imported{}, err
	}
	last, leaf := im.chain.Position()
	return Imported{Events: last, Had: head, Leaf: leaf.String()}, nil
}

type importer struct {
	ledger   *ledger.Ledger
	lines    *Reader
	chain    audit.Chain
	progress func(uint64)
}

// compare reads the ledger and the beginning of the file side by side.
func (im *importer) compare(ctx context.Context, head uint64) error {
	err := audit.Scan(ctx, im.ledger.Read, 1, head, func(list []audit.Decoded) error {
		for _, d := range list {
			line, err := im.lines.Next()
			switch {
			case errors.Is(err, io.EOF):
				return fmt.Errorf("%w: it has %d events, the file ends after %d; the ledger is ahead of this file", ErrOther, head, im.lines.Line())
			case err != nil:
				return err
			case !bytes.Equal(line, d.Raw):
				return fmt.Errorf("%w: its event %d is not line %d of the file", ErrOther, d.Seq, d.Seq)
			}
			if err := im.chain.Take(d); err != nil {
				return asLine(err)
			}
		}
		im.progress(im.lines.Line())
		return nil
	})
	if fault, ok := errors.AsType[*audit.Fault](err); ok {
		return fmt.Errorf("the ledger is damaged: %w", fault)
	}
	return err
}

// A parcel is what one append takes.
type parcel struct {
	messages []ledger.Message
	bytes    int
}

// appendRest appends what follows, reading and decoding ahead of the disk.
func (im *importer) appendRest(ctx context.Context, head uint64) error {
	ctx, cancel := context.WithCancel(ctx)
	parcels := make(chan parcel, 1)
	failed := make(chan error, 1)
	go func() {
		defer close(parcels)
		failed <- im.parcels(ctx, parcels)
	}()
	var err error
	for p := range parcels {
		if err == nil {
			head, err = im.ledger.Append(ctx, head, p.messages)
		}
		if err != nil {
			cancel() // and the rest is dropped
			continue
		}
		im.progress(head)
	}
	cancel()
	errRead := <-failed
	if err != nil {
		return mend(err)
	}
	return errRead
}

// mend says what to do about an append that failed.
func mend(err error) error {
	switch {
	case errors.Is(err, ledger.ErrWrongHead):
		return fmt.Errorf("somebody else writes to the ledger: %w; stop every node first", err)
	case errors.Is(err, ledger.ErrFull):
		return fmt.Errorf("%w; give it more with --max-bytes, or make room on the disk, and run the import again: it goes on from there", err)
	}
	return fmt.Errorf("%w; run the import again: it goes on from there", err)
}

// parcels hands on what one append takes, what was right before a fault, too.
func (im *importer) parcels(ctx context.Context, to chan<- parcel) error {
	var p parcel
	send := func() error {
		if len(p.messages) == 0 {
			return nil
		}
		select {
		case to <- p:
			p = parcel{}
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	batch := func(list []audit.Decoded) error {
		for _, d := range list {
			m, err := im.message(d)
			if err != nil {
				// Only what follows an event tells that it was not altered.
				p.messages = p.messages[:max(len(p.messages), 1)-1]
				return errors.Join(err, send())
			}
			if len(p.messages) == ledger.MaxBatch || p.bytes >= batchBytes {
				if err := send(); err != nil {
					return err
				}
			}
			p.messages, p.bytes = append(p.messages, m), p.bytes+len(m.Data)
		}
		return nil
	}
	seq, _ := im.chain.Position()
	err := audit.Scan(ctx, im.read, seq+1, endless, batch)
	if err != nil {
		return err
	}
	if last, _ := im.chain.Position(); last == 0 {
		return &LineError{1, "is missing: the file is empty"}
	}
	return send()
}

// endless is beyond every file.
const endless = 1<<63 - 1

// read reads lines as [audit.Read] wants events, to the end of the file.
func (im *importer) read(ctx context.Context, from, _ uint64, fn func(uint64, []byte) error) error {
	for seq := from; ctx.Err() == nil; seq++ {
		line, err := im.lines.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := fn(seq, bytes.Clone(line)); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// message is a line as it is appended. Unlike a reader of a ledger, an import
// has to know every type: it is what the subject is made from.
func (im *importer) message(d audit.Decoded) (ledger.Message, error) {
	if d.Err != nil {
		return ledger.Message{}, &LineError{d.Seq, fmt.Sprintf("is no event that this version of shiplog can read: %v", d.Err)}
	}
	if err := im.chain.Take(d); err != nil {
		return ledger.Message{}, asLine(err)
	}
	return ledger.Message{Subject: d.Event.LedgerSubject(), Data: d.Raw}, nil
}

// asLine is a fault of a chain that was read from a file.
func asLine(err error) error {
	if fault, ok := errors.AsType[*audit.Fault](err); ok {
		return &LineError{fault.Seq, fmt.Sprintf("is wrong: event %d %s", fault.Seq, fault.Cause)}
	}
	return err
}
