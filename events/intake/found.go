package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"shiplog/events"
	"shiplog/events/decide"
	"shiplog/events/ledger"
)

// Founding says what event 1 of a new ledger is to hold.
type Founding struct {
	Ledger      string // a UUID
	Authority   string
	Title       string
	Description string
}

// ErrBeginning is why there is no event 1 to go by: the ledger was damaged, or is
// none of ours.
var ErrBeginning = errors.New("the ledger does not begin as one does")

// foundPatience is how long Found waits for an event 1 that cannot be read yet.
const foundPatience = 15 * time.Second

// Found records event 1, if the ledger is empty, and returns the event 1 that
// is there then: two nodes that begin at once both get the same. Where something
// else is there, or only what comes after it, the error is [ErrBeginning].
//
// In a cluster the event that is ahead of ours is known before it can be read,
// and an answer may be lost: then it looks again.
func Found(ctx context.Context, l *ledger.Ledger, f Founding, now time.Time) (*events.LedgerOpened, error) {
	wait := newPause()
	for late := time.Now().Add(foundPatience); ; wait.sleep(ctx) {
		head, err := l.Head(ctx)
		if err != nil {
			return nil, err
		}
		if head > 0 {
			return opened(ctx, l)
		}
		err = open(ctx, l, f, now)
		switch {
		case err == nil:
		case ctx.Err() == nil && time.Now().Before(late) && (errors.Is(err, ledger.ErrWrongHead) || errors.Is(err, ledger.ErrUnknown)):
		default:
			return nil, fmt.Errorf("open the ledger: %w", err)
		}
	}
}

// open records event 1 in an empty ledger.
func open(ctx context.Context, l *ledger.Ledger, f Founding, now time.Time) error {
	p := &events.LedgerOpened{Ledger: f.Ledger, Authority: f.Authority, Title: f.Title, Description: f.Description}
	first := &events.Event{ID: f.Ledger, Source: decide.IntakeSource, Publisher: "shiplog", Data: p}
	g := newGroup(decide.New(nil), now)
	if err := g.take(&events.Submission{Input: events.InputOf(p, "")}, decide.Decision{Events: []*events.Event{first}}); err != nil {
		return err
	}
	_, err := l.Append(ctx, 0, g.messages)
	return err
}

// opened is event 1.
func opened(ctx context.Context, l *ledger.Ledger) (*events.LedgerOpened, error) {
	raw, err := l.Get(ctx, 1)
	if errors.Is(err, ledger.ErrNotFound) {
		return nil, fmt.Errorf("%w: event 1, which opens it, is missing, though there are others; restore nats/ from a backup", ErrBeginning)
	}
	if err != nil {
		return nil, fmt.Errorf("read event 1: %w", err)
	}
	e, err := events.Decode(1, raw)
	if err != nil {
		return nil, fmt.Errorf("%w: event 1 cannot be read: %w; restore nats/ from a backup, or use the version of shiplog that wrote it", ErrBeginning, err)
	}
	p, ok := e.Data.(*events.LedgerOpened)
	if !ok {
		return nil, fmt.Errorf("%w: event 1 is %s, not the opening of a ledger: this stream is no shiplog ledger", ErrBeginning, e.Type())
	}
	return p, nil
}
