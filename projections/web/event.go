package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"

	"shiplog/events"
	"shiplog/projections"
	"shiplog/projections/pages"
	"shiplog/projections/readhttp"
)

func (h *Handler) event(req *http.Request, _ query) (target, error) {
	text := req.PathValue("seq")
	seq, err := strconv.ParseUint(text, 10, 64)
	if err != nil || seq == 0 {
		return target{}, &missing{detail: "An event has the address of its number, as in /events/1; “" + short(text) + "” is none."}
	}
	if plain := strconv.FormatUint(seq, 10); plain != text {
		return target{}, &moved{status: http.StatusMovedPermanently, to: "/events/" + plain}
	}
	return target{
		path: "/events/" + text,
		find: func(ctx context.Context, r *reading) (draw, error) { return h.findEvent(ctx, r, seq) },
	}, nil
}

// findEvent reads an event as of itself, so that its page stays as it was but for
// the link to the next one.
func (h *Handler) findEvent(ctx context.Context, r *reading, seq uint64) (draw, error) {
	own, leaf, err := r.Event(ctx, seq)
	if errors.Is(err, projections.ErrNotFound) {
		return nil, &missing{detail: "There is no event " + strconv.FormatUint(seq, 10) + "; the last one is " + strconv.FormatUint(r.Seq(), 10) + "."}
	}
	if err != nil {
		return nil, err
	}
	v := pages.EventView{Leaf: leaf.String()}
	r.shows(own)
	if r.Seq() > seq {
		next, _, err := r.Event(ctx, seq+1)
		if err != nil {
			return nil, err
		}
		r.shows(next)
	} else {
		r.watches(projections.ScopeAll, "")
	}
	skip, err := r.Skipped(ctx, seq)
	if err != nil {
		return nil, err
	}
	if skip != nil {
		v.SkippedBy, v.Reason = skip.Event.Seq, skip.Reason
		r.shows(skip.Event)
	}
	last := r.Seq()
	if v.Page, err = r.footer(ctx); err != nil {
		return nil, err
	}
	if err := r.move(ctx, seq); err != nil {
		return nil, err
	}
	v.Page.Rules = rulesOf(r.Rules())
	if err := r.addEvent(ctx, &v, seq, last); err != nil {
		return nil, err
	}
	return func(w io.Writer) error { return h.o.Pages.Event(w, v) }, nil
}

// addEvent fills what the stored event says and what it changed.
func (r *reading) addEvent(ctx context.Context, v *pages.EventView, seq, last uint64) error {
	raw, e, err := r.h.stored(ctx, seq)
	if err != nil {
		return err
	}
	if v.Facts, err = r.facts(ctx, raw, e); err != nil {
		return err
	}
	v.Raw, v.Source, v.ID, v.Recorded = string(raw), e.Source, e.ID, e.RecordedTime
	v.Publisher, v.Cause, v.PrevLeaf = e.Publisher, e.Cause, e.PrevLeaf.String()
	if seq == 1 {
		v.PrevLeaf = ""
	}
	if written := e.Written(); !written.Equal(e.RecordedTime) {
		v.Written = written
	}
	effects, err := r.Effects(ctx)
	if err != nil {
		return err
	}
	v.Effects = effectsOf(effects)
	if seq > 1 {
		if v.Prev, err = r.line(ctx, seq-1); err != nil {
			return err
		}
	}
	if seq < last {
		v.Next, err = r.line(ctx, seq+1)
	}
	return err
}

func effectsOf(effects *projections.Effects) []pages.Effect {
	var out []pages.Effect
	for _, t := range effects.Tools {
		tool := refOf(t.Tool)
		out = append(out, pages.Effect{Tool: &tool, Before: verdictOf(t.Before), After: verdictOf(t.After)})
	}
	for _, m := range effects.Matchups {
		out = append(out, pages.Effect{Matchup: &pages.Move{
			Left: refOf(m.Left), Right: refOf(m.Right),
			From: resultOf(m.Before, m.Left, m.Right), To: resultOf(m.After, m.Left, m.Right),
		}})
	}
	return out
}

// stored reads an event. One of a type that this version does not know, or whose
// data it cannot read, has no data; it is shown by what all events have.
func (h *Handler) stored(ctx context.Context, seq uint64) ([]byte, *events.Event, error) {
	raw, err := h.o.Event(ctx, seq)
	if refusal, ok := errors.AsType[*readhttp.Refusal](err); ok {
		return nil, nil, refusal
	}
	if err != nil && ctx.Err() != nil {
		return nil, nil, readhttp.GivenUp()
	}
	if err != nil {
		return nil, nil, unavailable("the ledger cannot be read now, so event "+strconv.FormatUint(seq, 10)+" cannot be shown; ask again in a moment", err)
	}
	e, err := events.Decode(seq, raw)
	if e == nil {
		return nil, nil, err
	}
	return raw, e, nil
}

// line tells an event in one line.
func (r *reading) line(ctx context.Context, seq uint64) (*pages.EventLine, error) {
	raw, e, err := r.h.stored(ctx, seq)
	if err != nil {
		return nil, err
	}
	facts, err := r.facts(ctx, raw, e)
	return &pages.EventLine{Event: pages.Event{Seq: seq, Time: e.Published()}, Facts: facts, Publisher: e.Publisher}, err
}
