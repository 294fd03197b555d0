package feeds

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"shiplog/projections"
	"shiplog/projections/kept"
)

// itemsAtOnce is how many items are made before it is seen whether more fit.
const itemsAtOnce = windowItems

// gather makes the items of the feed, the newest first, until no more fit.
func (b *builder) gather(ctx context.Context) error {
	refs, err := b.snapshot.FeedWindow(ctx, b.key.history())
	if err != nil {
		return err
	}
	for some := range slices.Chunk(refs, itemsAtOnce) {
		if err := b.make(ctx, some); err != nil {
			return err
		}
		if Sort(b.items); len(Window(b.items)) < len(b.items) {
			break
		}
	}
	return nil
}

// make makes the items that are named.
func (b *builder) make(ctx context.Context, refs []projections.ItemRef) error {
	items, err := b.snapshot.Items(ctx, refs)
	if err != nil {
		return err
	}
	return errors.Join(b.matchups(ctx, items.Matchups), b.verdicts(ctx, items.Verdicts), b.reviews(ctx, items.Reviews))
}

// cardsAtOnce is how many scorecards are read in one go: each holds the texts of
// two tools' reviews.
const cardsAtOnce = 25

// matchups makes matchup items. Making one takes a whole scorecard, so items are
// taken over from the build before where nothing they show has changed.
func (b *builder) matchups(ctx context.Context, list []projections.MatchupItem) error {
	if len(list) == 0 {
		return nil
	}
	if b.panel == 0 {
		var err error
		if b.panel, err = kept.LastSeat(ctx, b.snapshot); err != nil {
			return err
		}
	}
	for i := range list {
		for _, t := range [...]*projections.Tool{&list[i].Matchup.Left, &list[i].Matchup.Right} {
			b.watch.Add(projections.ScopeTool, t.Slug)
			if t.Merged != nil { // into one whose name is shown
				b.watch.Add(projections.ScopeTool, t.Merged.Into.Slug)
			}
		}
	}
	last, err := lastOfTools(ctx, b.snapshot, list)
	if err != nil {
		return err
	}
	var stale []projections.MatchupItem
	for _, in := range list {
		v := &in.Matchup
		from := [3]uint64{max(v.Changed.Seq, b.panel, b.snapshot.Rules().Event.Seq), last[v.Left.Slug], last[v.Right.Slug]}
		made, ok := b.before[in.Seq]
		if !ok || made.from != from {
			made = keptItem{from: from}
			stale = append(stale, in)
		}
		b.kept[in.Seq] = made
	}
	for some := range slices.Chunk(stale, cardsAtOnce) {
		if err := b.makeMatchups(ctx, some); err != nil {
			return err
		}
	}
	for _, in := range list {
		b.add(projections.ItemMatchup, b.kept[in.Seq].item)
	}
	return nil
}

// lastOfTools are the last events of the tools of some matchups.
func lastOfTools(ctx context.Context, s *projections.Snapshot, list []projections.MatchupItem) (map[string]uint64, error) {
	var tools []string
	for i := range list {
		tools = append(tools, list[i].Matchup.Left.Slug, list[i].Matchup.Right.Slug)
	}
	slices.Sort(tools)
	return s.LastOfTools(ctx, slices.Compact(tools))
}

// makeMatchups makes items anew.
func (b *builder) makeMatchups(ctx context.Context, list []projections.MatchupItem) error {
	seqs := make([]uint64, len(list))
	for i := range list {
		seqs[i] = list[i].Seq
	}
	cards, err := b.snapshot.Scorecards(ctx, seqs)
	if err != nil {
		return err
	}
	for _, in := range list {
		item, err := b.Matchup(in, cards[in.Seq])
		if err != nil {
			return err
		}
		b.kept[in.Seq] = keptItem{from: b.kept[in.Seq].from, item: item}
	}
	return nil
}

// add adds an item and remembers which of its event's it is.
func (b *builder) add(kind projections.ItemKind, item Item) {
	b.items = append(b.items, item)
	b.placed[item.ID] = place{kind, item.Seq}
}

// verdicts makes items of verdict changes. Those of a rules event are one item in
// the feed of all verdicts and items of their own in the tools'; a category's
// feed has neither.
func (b *builder) verdicts(ctx context.Context, list []projections.VerdictItem) error {
	var seqs []uint64
	for i := range list {
		if in := &list[i]; in.Rules == nil && in.Change.Cause.Kind != projections.CauseRules {
			seqs = append(seqs, in.Seq)
		}
	}
	causes, err := b.snapshot.ReviewsBySeq(ctx, seqs)
	if err != nil {
		return err
	}
	for _, in := range list {
		if in.Rules != nil {
			if err := b.rules(ctx, in); err != nil {
				return err
			}
			continue
		}
		item, err := b.Verdict(in, causes[in.Seq])
		if err != nil {
			return err
		}
		b.add(projections.ItemVerdict, item)
	}
	return nil
}

// rules tells what one rules event changed. Changes come newest first, so those
// of the event are the first before the next one.
func (b *builder) rules(ctx context.Context, in projections.VerdictItem) error {
	list, err := b.snapshot.VerdictChanges(ctx, projections.ChangeFilter{Before: in.Seq + 1, Limit: ruledMost})
	if err != nil {
		return fmt.Errorf("rules %d: %w", in.Seq, err)
	}
	list = slices.DeleteFunc(list, func(v projections.VerdictChange) bool { return v.Event.Seq != in.Seq })
	for i := range list {
		in.Updated = later(in.Updated, list[i].Shown.Time)
	}
	b.add(projections.ItemVerdict, b.Rules(in, list))
	return nil
}

// reviews makes items of reviews. One shows beside the review itself which one
// opened the item and which it takes the place of.
func (b *builder) reviews(ctx context.Context, list []projections.ReviewItem) error {
	var seqs []uint64
	for i := range list {
		r := &list[i].Review
		b.watch.Add(projections.ScopeTool, r.Tool.Slug)
		if r.Event.Seq != list[i].Seq {
			seqs = append(seqs, list[i].Seq)
		}
		if r.Replaces.Seq > 0 && !r.Gone() {
			seqs = append(seqs, r.Replaces.Seq)
		}
	}
	others, err := b.snapshot.ReviewsBySeq(ctx, seqs)
	if err != nil {
		return err
	}
	for _, in := range list {
		var replaced *projections.Review
		if !in.Review.Gone() {
			replaced = others[in.Review.Replaces.Seq] // nil for one that was passed over
		}
		item, err := b.Review(in, others[in.Seq], replaced)
		if err != nil {
			return err
		}
		b.add(projections.ItemReview, item)
	}
	return nil
}
