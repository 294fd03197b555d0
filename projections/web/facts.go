package web

import (
	"context"
	"encoding/json"
	"errors"

	"shiplog/events"
	"shiplog/projections"
	"shiplog/projections/pages"
)

// facts are what a sentence about an event needs. Names are as of the snapshot;
// what the snapshot does not know yet has the name that the event gives it.
func (r *reading) facts(ctx context.Context, raw []byte, e *events.Event) (pages.EventFacts, error) {
	f := pages.EventFacts{Seq: e.Seq}
	if e.Data == nil {
		f.Unknown = true
		return f, json.Unmarshal(raw, &struct{ Type *string }{&f.Type})
	}
	f.Type, f.Derived = e.Type(), e.Derived()
	var err error
	switch p := e.Data.(type) {
	case *events.LedgerOpened:
		f.Title = p.Title
	case *events.RulesPublished:
		f.Rules = rulesOf(projections.Rules{Rules: p.Rules(e.Seq)})
	case *events.EventSkipped:
		f.Skipped = uint64(p.Seq)
	case *events.MatchupOpened:
		if f.Left, _, err = r.toolRef(ctx, p.Left, e.Seq); err == nil {
			f.Right, _, err = r.toolRef(ctx, p.Right, e.Seq)
		}
	case *events.ReplyPublished:
		f.Author, f.Replaces = p.Author, uint64(p.Replaces)
		f.Tool, _, err = r.toolRef(ctx, p.Tool, e.Seq)
	case *events.ReviewerSeated:
		f.Reviewer, f.Again, err = r.seat(ctx, p.Reviewer, e.Seq)
		f.Reviewer.Name = p.Name
	case *events.ReviewerUnseated:
		f.Reviewer, _, err = r.seat(ctx, p.Reviewer, e.Seq)
	default:
		err = r.toolFacts(ctx, e, &f)
	}
	return f, err
}

func (r *reading) toolFacts(ctx context.Context, e *events.Event, f *pages.EventFacts) (err error) {
	switch p := e.Data.(type) {
	case *events.ToolRegistered:
		f.Tool, f.Again, err = r.toolRef(ctx, p.Tool, e.Seq)
		f.Tool.Name = p.Name
	case *events.ToolMerged:
		if f.Tool, _, err = r.toolRef(ctx, p.Tool, e.Seq); err == nil {
			f.Into, _, err = r.toolRef(ctx, p.Into, e.Seq)
		}
	case *events.ToolUnmerged:
		if f.Tool, _, err = r.toolRef(ctx, p.Tool, e.Seq); err == nil {
			f.Into, _, err = r.toolRef(ctx, p.Into, e.Seq)
		}
	case *events.ToolRetired:
		f.Tool, _, err = r.toolRef(ctx, p.Tool, e.Seq)
	case *events.ReviewSubmitted:
		f.Verdict, f.Revision = p.Verdict, 1
		err = r.pair(ctx, p.Tool, p.Reviewer, e.Seq, f)
	case *events.ReviewRevised:
		f.Verdict, f.Revision, f.Replaces = p.Verdict, int(p.Revision), uint64(p.Replaces)
		if err = r.pair(ctx, p.Tool, p.Reviewer, e.Seq, f); err == nil {
			f.Was, err = r.said(ctx, f.Replaces)
		}
	case *events.ReviewWithdrawn:
		if err = r.pair(ctx, p.Tool, p.Reviewer, e.Seq, f); err == nil {
			f.Of, err = r.withdrawn(ctx, e.Seq)
		}
	}
	return err
}

// pair names the tool and the reviewer of a review.
func (r *reading) pair(ctx context.Context, tool, reviewer string, seq uint64, f *pages.EventFacts) (err error) {
	if f.Tool, _, err = r.toolRef(ctx, tool, seq); err == nil {
		f.Reviewer, _, err = r.seat(ctx, reviewer, seq)
	}
	return err
}

// toolRef names a tool, and tells whether it was there before an event.
func (r *reading) toolRef(ctx context.Context, slug string, seq uint64) (ref pages.Ref, before bool, err error) {
	t, err := r.Tool(ctx, slug)
	if errors.Is(err, projections.ErrNotFound) {
		return pages.Ref{Slug: slug}, false, nil
	}
	if err != nil {
		return pages.Ref{}, false, err
	}
	return refOf(t.Ref), t.Registered.Seq < seq, nil
}

// seat names a reviewer, and tells whether there was a seat before an event.
func (r *reading) seat(ctx context.Context, slug string, seq uint64) (who pages.Reviewer, before bool, err error) {
	v, err := r.Reviewer(ctx, slug)
	if errors.Is(err, projections.ErrNotFound) {
		return pages.Reviewer{Slug: slug}, false, nil
	}
	if err != nil {
		return pages.Reviewer{}, false, err
	}
	return reviewerOf(v), v.Seated.Seq < seq, nil
}

// said is the verdict of a review; none for a tombstone or an event passed over.
func (r *reading) said(ctx context.Context, seq uint64) (string, error) {
	v, err := r.Review(ctx, seq)
	if errors.Is(err, projections.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return string(v.Verdict), nil
}

// withdrawn is the review that a withdrawal took back, as far as the snapshot
// knows of it.
func (r *reading) withdrawn(ctx context.Context, seq uint64) (uint64, error) {
	v, err := r.Review(ctx, seq)
	if errors.Is(err, projections.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return v.Replaces.Seq, nil
}
