package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

const (
	// lastEvents is how many events tail begins with.
	lastEvents = 10
	// tailPage is how many it reads at once.
	tailPage = 500
	// tailPoll is how often it looks for more.
	tailPoll = 500 * time.Millisecond
)

// A tail follows a ledger.
type tail struct {
	cmd    *TailCmd
	std    *stdio
	client *client
	from   uint64 // the first sequence to print, 0 for the last ten
	after  uint64 // the last sequence printed
	lost   bool   // the server does not answer, and that was said
	behind bool   // the server knows less than was printed, and that was said
}

// An eventPage is an answer of GET /api/v1/events.
type eventPage struct {
	Events []json.RawMessage `json:"events"`
	Next   *uint64           `json:"next"`
}

// A tailEvent is one event of it.
type tailEvent struct {
	Seq   uint64 `json:"seq"`
	Event event  `json:"event"`
}

// Run prints events until the context ends.
func (c *TailCmd) Run(ctx context.Context, std *stdio) error {
	if c.From != nil && *c.From == 0 {
		return errors.New("--from 0: the first event is 1; write --from 1 for all, or leave --from out for the last ten")
	}
	client, err := c.client()
	if err != nil {
		return err
	}
	t := &tail{cmd: c, std: std, client: client}
	if c.From != nil {
		t.from = *c.From
	}
	return interrupted(ctx, t.run(ctx))
}

func (t *tail) run(ctx context.Context) error {
	head, err := t.head(ctx)
	if err != nil {
		return err
	}
	switch {
	case t.from > 0:
		t.after = t.from - 1
		if t.after > head {
			t.std.note("the ledger ends at event %d; waiting for event %d", head, t.from)
		}
	case head > lastEvents:
		t.after = head - lastEvents
	}
	for pause := tailPoll; ; {
		more, err := t.page(ctx)
		switch {
		case err != nil && !t.passing(err):
			return err
		case err != nil:
			pause = min(2*pause, lastPause/2)
		case more:
			pause = tailPoll
			continue
		default:
			pause = tailPoll
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// head is the position of the server. A server that has recorded nothing yet is
// at 0.
func (t *tail) head(ctx context.Context) (uint64, error) {
	var page eventPage
	r, err := t.client.get(ctx, eventsPath(0, 1), &page)
	if refused, ok := errors.AsType[*refusal](err); ok && refused.passing() {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return position(r), nil
}

func position(r *reply) uint64 {
	seq, _ := strconv.ParseUint(r.header.Get("Shiplog-Seq"), 10, 64)
	return seq
}

func eventsPath(after uint64, limit int) string {
	return fmt.Sprintf("/api/v1/events?after=%d&limit=%d", after, limit)
}

// page prints the next events, and reports whether there were any.
func (t *tail) page(ctx context.Context) (more bool, err error) {
	var page eventPage
	r, err := t.client.get(ctx, eventsPath(t.after, tailPage), &page)
	if err != nil {
		return false, err
	}
	t.lost = false
	seq := position(r)
	if len(page.Events) == 0 && seq > 0 && seq < t.after && t.from <= seq && !t.behind {
		t.std.note("the server is at event %d, before event %d that was printed: it is catching up, or has another ledger", seq, t.after)
		t.behind = true
	}
	verdicts := map[uint64]string{}
	for _, raw := range page.Events {
		var e tailEvent
		if err := json.Unmarshal(raw, &e); err != nil || e.Seq <= t.after {
			return false, t.client.strange(r)
		}
		verdicts[e.Seq] = e.Event.Data.Verdict
		if err := t.print(ctx, raw, e, verdicts); err != nil {
			return false, err
		}
		t.after, t.behind = e.Seq, false
	}
	return len(page.Events) > 0, nil
}

func (t *tail) print(ctx context.Context, raw json.RawMessage, e tailEvent, verdicts map[uint64]string) error {
	if t.cmd.JSON {
		return t.std.printJSON(raw)
	}
	before := ""
	if replaced := e.Event.Data.Replaces; replaced > 0 && e.Event.Data.Verdict != "" {
		before = t.verdictOf(ctx, replaced, verdicts)
	}
	_, err := fmt.Fprintf(t.std.out, "#%d %s %s\n", e.Seq, e.Event.Recorded.UTC().Format("2 Jan 2006 15:04"), e.Event.sentence(before))
	return err
}

// verdictOf looks up what a replaced review said. A line without it is better
// than none, so what cannot be read is unknown.
func (t *tail) verdictOf(ctx context.Context, seq uint64, known map[uint64]string) string {
	if verdict, ok := known[seq]; ok {
		return orWithdrawn(verdict)
	}
	var page struct {
		Events []tailEvent `json:"events"`
	}
	if _, err := t.client.get(ctx, eventsPath(seq-1, 1), &page); err != nil || len(page.Events) == 0 || page.Events[0].Seq != seq {
		return ""
	}
	return orWithdrawn(page.Events[0].Event.Data.Verdict)
}

// orWithdrawn is a verdict, or what a withdrawal has in place of one.
func orWithdrawn(verdict string) string {
	if verdict == "" {
		return "withdrawn"
	}
	return verdict
}

// passing reports whether an error may pass while a server restarts, and says
// so once.
func (t *tail) passing(err error) bool {
	_, gone := errors.AsType[*offline](err)
	refused, ok := errors.AsType[*refusal](err)
	if !gone && (!ok || !refused.passing()) {
		return false
	}
	if !t.lost {
		t.std.note("%s; trying again", err)
		t.lost = true
	}
	return true
}
