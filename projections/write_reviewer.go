package projections

import (
	"context"

	"shiplog/events"
)

// seat is a row of reviewer_versions but for seq, reviewer and until.
type seat struct {
	name, folded           string
	named                  uint64
	kind, motto, lens      string
	place                  any // NULL when the event gave no order
	former                 uint64
	formerReason, formerBy string
	kinded                 uint64
}

func (w *writer) reviewerSeated(e *events.Event, p *events.ReviewerSeated) error {
	v, err := w.reviewer(p.Reviewer)
	if err != nil {
		return err
	}
	s := seat{kind: events.Human}
	if v == nil {
		v, err = w.newReviewer(e, p.Reviewer)
	} else {
		s, err = w.closeSeat(e, v)
	}
	if err != nil {
		return err
	}
	kind := s.kind
	update(p, "kind", &kind, p.Kind)
	if kind == "" {
		kind = events.Human
	}
	if s.name != p.Name || s.former != 0 {
		s.name, s.folded, s.named = p.Name, fold(p.Name), e.Seq
	}
	if s.kind != kind {
		s.kind, s.kinded = kind, e.Seq
	}
	update(p, "motto", &s.motto, p.Motto)
	update(p, "lens", &s.lens, p.Lens)
	switch {
	case events.IsNull(p, "order"):
		s.place = nil
	case events.Has(p, "order"):
		s.place = p.Order
	}
	s.former, s.formerReason, s.formerBy = 0, "", ""
	v.seated = true
	return w.openSeat(e, v, &s)
}

func (w *writer) reviewerUnseated(e *events.Event, p *events.ReviewerUnseated) error {
	v, err := w.knownReviewer(e, p.Reviewer)
	if err != nil {
		return err
	}
	s, err := w.closeSeat(e, v)
	if err != nil {
		return err
	}
	s.former, s.formerReason, s.formerBy, s.named = e.Seq, p.Reason, e.Publisher, e.Seq
	v.seated = false
	return w.openSeat(e, v, &s)
}

func (w *writer) newReviewer(e *events.Event, slug string) (*reviewerState, error) {
	v := &reviewerState{id: w.lastSeat + 1, slug: slug}
	if err := w.c.exec(`INSERT INTO reviewers VALUES (?, ?, ?, ?)`, v.id, slug, e.Seq, e.Publisher); err != nil {
		return nil, err
	}
	w.lastSeat = v.id
	w.keepReviewer(v)
	return v, nil
}

// closeSeat ends the reviewer's current version, which is returned.
func (w *writer) closeSeat(e *events.Event, v *reviewerState) (s seat, err error) {
	var seq uint64
	err = w.c.query(context.Background(), `SELECT seq, name, folded, named, kind, motto, lens, place, former, former_reason, former_by, kinded
		FROM reviewer_versions WHERE reviewer = ? ORDER BY seq DESC LIMIT 1`, []any{v.id}, func(r *row) {
		seq = r.seq()
		s = seat{
			name: r.text(), folded: r.text(), named: r.seq(), kind: r.text(), motto: r.text(), lens: r.text(),
			place: r.value(), former: r.seq(), formerReason: r.text(), formerBy: r.text(), kinded: r.seq(),
		}
	})
	if err != nil {
		return s, err
	}
	return s, w.c.exec(`UPDATE reviewer_versions SET until = ? WHERE seq = ?`, e.Seq, seq)
}

// openSeat begins a version of the reviewer.
func (w *writer) openSeat(e *events.Event, v *reviewerState, s *seat) error {
	return w.c.exec(`INSERT INTO reviewer_versions VALUES (?,?,?, ?,?,?,?, ?,?,?, ?,?,?,?)`,
		e.Seq, v.id, int64(current), s.name, s.folded, s.named, s.kind,
		s.motto, s.lens, s.place, s.former, s.formerReason, s.formerBy, s.kinded)
}
