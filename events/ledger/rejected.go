package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"shiplog/events"
)

// The headers a rejected event carries beside its own.
const (
	problemsHeader  = "Shiplog-Problems"
	inboxSeqHeader  = "Shiplog-Inbox-Sequence"
	inboxTimeHeader = "Shiplog-Inbox-Time"
	inboxPartHeader = "Shiplog-Inbox-Part"
)

const (
	// maxHeaders is what fits in a message: the server takes 64 KiB.
	maxHeaders = 60 << 10
	// maxOwnHeaders is what of it the event may take; the rest is for problems.
	maxOwnHeaders = 40 << 10
)

// worthABatch is from how many events on a batch is stored sooner than each alone:
// it is synced about seven times, whatever it holds.
const worthABatch = 10

// A Rejected is an event of the inbox that was not recorded, kept as it came.
type Rejected struct {
	ID        uint64 // the stream sequence, set when it is kept
	Time      time.Time
	Publisher string
	// Inbox is where the event was in the inbox: rejecting it again within two
	// minutes keeps it once, and [Ledger.KeptOfInbox] tells of it later. The zero
	// value if it was not there.
	Inbox InboxPart
	// Header is as sent, without what NATS itself reads; empty if it is larger
	// than 40 KiB.
	Header nats.Header
	Raw    []byte
	// Problems are kept as far as they fit, about 20 KiB.
	Problems events.Problems
}

// Reject keeps an event that cannot be recorded and returns its ID.
func (l *Ledger) Reject(ctx context.Context, r Rejected) (uint64, error) {
	msg, err := r.message()
	if err != nil {
		return 0, err
	}
	ack, err := l.js.PublishMsg(ctx, msg)
	if err != nil {
		return 0, fmt.Errorf("reject an event of %s: %w", r.Publisher, err)
	}
	return ack.Sequence, nil
}

// RejectAll keeps several events in order, and returns how many of the first are
// kept for good: all, unless there is an error. One sync serves as many as fit in
// a batch, but not in a stream that was created before that was so, nor where one
// of the batch is kept already; then it is as [Ledger.Reject] for each.
func (l *Ledger) RejectAll(ctx context.Context, list []Rejected) (kept int, err error) {
	for kept < len(list) {
		msgs, err := firstBatch(list[kept:])
		if err != nil {
			return kept, err
		}
		if len(msgs) >= worthABatch {
			_, err := publishMessages(ctx, l.js, RejectedStream, msgs)
			if err == nil {
				kept += len(msgs)
				continue
			}
			if _, answered := errors.AsType[*jetstream.APIError](err); !answered {
				return kept, fmt.Errorf("reject %d events: %w", len(msgs), err)
			}
		}
		for range msgs {
			if _, err := l.Reject(ctx, list[kept]); err != nil {
				return kept, err
			}
			kept++
		}
	}
	return kept, nil
}

// firstBatch are the messages of as many as fit in one batch, at least of one.
func firstBatch(list []Rejected) (msgs []*nats.Msg, err error) {
	for size := 0; len(msgs) < min(len(list), MaxBatch); {
		msg, err := list[len(msgs)].message()
		if err != nil {
			return nil, err
		}
		if size += msg.Size(); size > events.MaxRequest && len(msgs) > 0 {
			break
		}
		msgs = append(msgs, msg)
	}
	return msgs, nil
}

// message is how a rejected event is kept.
func (r Rejected) message() (*nats.Msg, error) {
	if !isToken(r.Publisher) {
		return nil, fmt.Errorf("reject an event: %q is not the name of a publisher", r.Publisher)
	}
	msg := nats.NewMsg(RejectedPrefix + r.Publisher)
	msg.Data = r.Raw
	msg.Header = ownHeader(r.Header)
	if headerSize(msg.Header) > maxOwnHeaders {
		msg.Header = nats.Header{}
	}
	problems, err := fittingProblems(r.Problems, maxHeaders-headerSize(msg.Header))
	if err != nil {
		return nil, fmt.Errorf("reject an event: %w", err)
	}
	msg.Header.Set(problemsHeader, problems)
	r.Inbox.mark(msg.Header)
	return msg, nil
}

// mark writes what inboxPart reads, and the id by which the server knows it again.
func (p InboxPart) mark(h nats.Header) {
	if p.Seq == 0 {
		return
	}
	seq := strconv.FormatUint(p.Seq, 10)
	at := time.Unix(0, p.At).UTC().Format(time.RFC3339Nano)
	id := "inbox-" + seq + "-" + at
	h.Set(inboxSeqHeader, seq)
	h.Set(inboxTimeHeader, at)
	if p.Part > 0 {
		part := strconv.Itoa(p.Part)
		h.Set(inboxPartHeader, part)
		id += "-" + part
	}
	h.Set(jetstream.MsgIDHeader, id)
}

// inboxPart is the zero value where it cannot be read.
func inboxPart(h nats.Header) (p InboxPart) {
	p.Seq, _ = strconv.ParseUint(h.Get(inboxSeqHeader), 10, 64)
	if at, err := time.Parse(time.RFC3339Nano, h.Get(inboxTimeHeader)); err == nil {
		p.At = at.UnixNano()
	}
	p.Part, _ = strconv.Atoi(h.Get(inboxPartHeader))
	return p
}

// RejectedCount is how many rejected events are kept.
func (l *Ledger) RejectedCount(ctx context.Context) (uint64, error) {
	state, err := l.streamInfo(ctx, RejectedStream)
	if err != nil {
		return 0, err
	}
	return state.State.Msgs, nil
}

// ListRejected calls fn with every rejected event, oldest first.
func (l *Ledger) ListRejected(ctx context.Context, fn func(Rejected) error) error {
	stream, err := l.js.Stream(ctx, RejectedStream)
	if err != nil {
		return jetStreamError(RejectedStream, err)
	}
	for seq := uint64(1); ; seq++ {
		msg, err := stream.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(RejectedPrefix+"*"))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("list rejected events: %w", err)
		}
		if err := fn(rejectedFrom(msg)); err != nil {
			return err
		}
		seq = msg.Sequence
	}
}

// GetRejected returns one rejected event, or [ErrNotFound].
func (l *Ledger) GetRejected(ctx context.Context, id uint64) (Rejected, error) {
	stream, err := l.js.Stream(ctx, RejectedStream)
	if err != nil {
		return Rejected{}, jetStreamError(RejectedStream, err)
	}
	// Sequence 0 would ask for the first of a subject.
	msg, err := stream.GetMsg(ctx, max(id, 1))
	if id == 0 || errors.Is(err, jetstream.ErrMsgNotFound) {
		return Rejected{}, fmt.Errorf("rejected event %d: %w", id, ErrNotFound)
	}
	if err != nil {
		return Rejected{}, fmt.Errorf("rejected event %d: %w", id, err)
	}
	return rejectedFrom(msg), nil
}

// RetryRejected puts a rejected event back into the inbox, then forgets it.
func (l *Ledger) RetryRejected(ctx context.Context, id uint64) error {
	r, err := l.GetRejected(ctx, id)
	if err != nil {
		return err
	}
	msg := nats.NewMsg(InboxPrefix + r.Publisher)
	msg.Data, msg.Header = r.Raw, r.Header
	if _, err := l.js.PublishMsg(ctx, msg); err != nil {
		return fmt.Errorf("put rejected event %d into the inbox: %w", id, err)
	}
	return l.DropRejected(ctx, id)
}

// DropRejected forgets a rejected event.
func (l *Ledger) DropRejected(ctx context.Context, id uint64) error {
	stream, err := l.js.Stream(ctx, RejectedStream)
	if err != nil {
		return jetStreamError(RejectedStream, err)
	}
	if err := stream.DeleteMsg(ctx, id); err != nil {
		if _, getErr := l.GetRejected(ctx, id); errors.Is(getErr, ErrNotFound) {
			return getErr
		}
		return fmt.Errorf("drop rejected event %d: %w", id, err)
	}
	return nil
}

// rejectedFrom reads a message that Reject wrote.
func rejectedFrom(msg *jetstream.RawStreamMsg) Rejected {
	r := Rejected{
		ID:        msg.Sequence,
		Time:      msg.Time,
		Publisher: strings.TrimPrefix(msg.Subject, RejectedPrefix),
		Header:    ownHeader(msg.Header),
		Raw:       msg.Data,
	}
	// What cannot be read is left empty: the event itself is what matters.
	r.Inbox = inboxPart(msg.Header)
	_ = json.Unmarshal([]byte(msg.Header.Get(problemsHeader)), &r.Problems)
	return r
}

// ownHeader is the header without what NATS reads, which would act again when
// the event is published again, and without what Reject adds.
func ownHeader(h nats.Header) nats.Header {
	own := nats.Header{}
	for name, values := range h {
		lower := strings.ToLower(name)
		if !strings.HasPrefix(lower, "nats-") && !strings.HasPrefix(lower, "shiplog-") {
			own[name] = values
		}
	}
	return own
}

// headerSize is how many bytes a header takes in a message, about.
func headerSize(h nats.Header) int {
	size := 0
	for name, values := range h {
		for _, v := range values {
			size += len(name) + len(v) + len(": \r\n")
		}
	}
	return size
}

// fittingProblems encodes as many of the problems as fit in room bytes.
func fittingProblems(ps events.Problems, room int) (string, error) {
	if ps == nil {
		ps = events.Problems{}
	}
	for {
		text, err := json.Marshal(ps)
		if err != nil {
			return "", err
		}
		if len(text) <= room || len(ps) == 0 {
			return string(text), nil
		}
		ps = ps[:len(ps)/2]
	}
}
