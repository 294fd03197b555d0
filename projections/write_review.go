package projections

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"shiplog/events"
)

// said is what an event says of a tool: a review, a revision or, with a review
// of nothing but names and reason, a withdrawal.
type said struct {
	kind     int64
	review   *events.Review
	revision int64
	replaces int64
}

// more holds what most reviews do without.
type more struct {
	Condition  string   `json:"condition,omitempty"`
	Pros       []string `json:"pros,omitempty"`
	Cons       []string `json:"cons,omitempty"`
	Evidence   []string `json:"evidence,omitempty"`
	Disclosure string   `json:"disclosure,omitempty"`
	Reason     string   `json:"reason,omitempty"`
}

func (w *writer) review(e *events.Event, s said) error {
	t, err := w.knownTool(e, s.review.Tool)
	if err != nil {
		return err
	}
	v, err := w.knownReviewer(e, s.review.Reviewer)
	if err != nil {
		return err
	}
	verdict := numberOf(events.Verdict(s.review.Verdict))
	counts := v.seated && (verdict == numShip || verdict == numSkip)
	now := stance{
		seq: e.Seq, verdict: verdict, counts: counts,
		item: e.Seq, itemPublished: w.published, revision: s.revision,
	}
	was, err := w.stance(t, v.id)
	if err != nil {
		return err
	}
	if s.kind == numRevised && was.verdict == verdict {
		now.item, now.itemPublished = was.item, was.itemPublished
	}
	if s.kind == numWithdrawn {
		now.revision = max(was.revision, 1)
		s.replaces = int64(was.seq)
	}
	if err := w.addReview(e, t, v.id, now, was, s); err != nil {
		return err
	}
	w.takeStance(t, v.id, was, now)
	return w.count(e, t, v, was, now, s.kind)
}

func (w *writer) addReview(e *events.Event, t *toolState, reviewer int64, now, was stance, s said) error {
	r := s.review
	flags := int64(0)
	if r.Format == events.FormatMarkdown {
		flags |= flagMarkdown
	}
	if r.Provenance == "inferred" {
		flags |= flagInferred
	}
	if now.counts {
		flags |= flagCounts
	}
	extra, err := moreOf(r)
	if err != nil {
		return eventError(e, err)
	}
	w.reviews.add([]int64{
		int64(e.Seq), t.id, reviewer, t.category, s.kind, int64(now.verdict), int64(was.verdict), flags,
		now.revision, s.replaces, int64(now.item), now.itemPublished, w.written, w.published,
	}, e.Publisher, r.Body, extra)
	w.bytes += len(r.Body)
	return nil
}

// moreOf is the JSON of what most reviews do without, nil for those.
func moreOf(r *events.Review) (any, error) {
	if r.Condition == "" && r.Pros == nil && r.Cons == nil && r.Evidence == nil && r.Disclosure == "" && r.Reason == "" {
		return nil, nil
	}
	b, err := json.Marshal(more{r.Condition, r.Pros, r.Cons, r.Evidence, r.Disclosure, r.Reason})
	if err != nil {
		return nil, fmt.Errorf("encode review: %w", err)
	}
	return string(b), nil
}

// A move is a stance that a reviewer took, to be inserted, or left, to be closed.
type move struct {
	stance
	tool, reviewer   int64
	published, until int64
}

// takeStance makes now the reviewer's current stance. One that waits to be
// inserted is closed before it is.
func (w *writer) takeStance(t *toolState, reviewer int64, was, now stance) {
	if was.seq != 0 {
		left := move{stance: was, tool: t.id, reviewer: reviewer, until: int64(now.seq)}
		if i, waits := slices.BinarySearchFunc(w.moved, was.seq, bySeq); waits {
			w.moved[i].until = left.until
		} else {
			w.closed = append(w.closed, left)
		}
	}
	t.stances[reviewer] = now
	w.moved = append(w.moved, move{now, t.id, reviewer, w.published, current})
}

func bySeq(m move, seq uint64) int { return cmp.Compare(m.seq, seq) }

// count brings tally, scores and label up to date.
func (w *writer) count(e *events.Event, t *toolState, v *reviewerState, was, now stance, kind int64) error {
	before, lone := t.tally, t.lone()
	switch kind {
	case numRevised:
		v.revisions++
	case numWithdrawn:
		v.withdrawn++
	}
	w.score(v)
	if !t.merged {
		v.count(was, -1)
		v.count(now, 1)
	}
	if was.verdict != now.verdict || was.counts != now.counts {
		t.count(v.id, was, -1)
		t.count(v.id, now, 1)
		w.tallies.add([]int64{t.id, int64(e.Seq), int64(t.tally.Ships), int64(t.tally.Skips), int64(t.abstains), t.shipSum, t.skipSum})
	}
	if t.merged {
		return nil
	}
	if err := w.moveLone(lone, t.lone()); err != nil {
		return err
	}
	quorum := w.rules.Quorum
	if from, to := before.Label(quorum), t.tally.Label(quorum); from != to {
		v.flips++
		return w.relabel(e, t, from, to, false)
	}
	return nil
}

// relabel gives a tool another label. Rules tells that it has it because of the
// rules, not of a review.
func (w *writer) relabel(e *events.Event, t *toolState, from, to events.Label, rules bool) error {
	w.addChange(e, t, from, to, rules)
	if !t.listed {
		return nil
	}
	return errors.Join(w.enlist(t, from, -1), w.enlist(t, to, 1))
}

func (w *writer) addChange(e *events.Event, t *toolState, from, to events.Label, rules bool) {
	w.changes++
	w.changed.add([]int64{
		int64(e.Seq), t.id, numberOfLabel(from), numberOfLabel(to),
		int64(t.tally.Ships), int64(t.tally.Skips), int64(t.abstains), int64(w.rules.Quorum), number(rules), t.category, w.published,
	})
}

// moveLone counts the lone dissent of one reviewer for another.
func (w *writer) moveLone(from, to int64) error {
	if from == to {
		return nil
	}
	for _, step := range [...]struct{ id, by int64 }{{from, -1}, {to, 1}} {
		if step.id == 0 {
			continue
		}
		v, err := w.reviewerByID(step.id)
		if err != nil {
			return err
		}
		v.lone += step.by
		w.score(v)
	}
	return nil
}

// count counts a reviewer's stance into the tally (by 1), or out of it (by -1).
func (t *toolState) count(reviewer int64, s stance, by int64) {
	switch {
	case s.verdict == numAbstain:
		t.abstains += int(by)
	case !s.counts:
	case s.verdict == numShip:
		t.tally.Ships += int(by)
		t.shipSum += by * reviewer
	case s.verdict == numSkip:
		t.tally.Skips += int(by)
		t.skipSum += by * reviewer
	}
}

// count counts a stance into the reviewer's scores (by 1), or out of them (by -1).
func (v *reviewerState) count(s stance, by int64) {
	switch {
	case s.verdict == numAbstain:
		v.abstains += by
	case !s.counts:
	case s.verdict == numShip:
		v.ships += by
	case s.verdict == numSkip:
		v.skips += by
	}
}
