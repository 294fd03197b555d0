package projections

import (
	"context"
	"errors"
	"time"

	"shiplog/events"
)

var errUnbuilt = errors.New("not built yet")

// Model is the read model: one SQLite file that the projection "panel" writes
// and that pages, feeds and the API read.
type Model struct{}

// At opens a snapshot as of a sequence; 0 means the newest position applied. It
// fails with [ErrBeforeLedger] while nothing is applied and with
// [ErrBeyondPosition]. The caller closes the snapshot.
func (m *Model) At(ctx context.Context, seq uint64) (*Snapshot, error) { return nil, errUnbuilt }

// AtTime opens a snapshot as of the last event recorded at t or before; it fails
// with [ErrBeforeLedger] before event 1. A t after the newest event is the
// newest event.
func (m *Model) AtTime(ctx context.Context, t time.Time) (*Snapshot, error) { return nil, errUnbuilt }

// Snapshot reads the model as of one position, whatever is applied meanwhile. It
// is not safe for use by several goroutines at once.
type Snapshot struct{}

// Close ends the snapshot.
func (s *Snapshot) Close() error { return errUnbuilt }

// Seq is the position the snapshot speaks as of.
func (s *Snapshot) Seq() uint64 { return 0 }

// Newest is the newest position applied when the snapshot was opened.
func (s *Snapshot) Newest() uint64 { return 0 }

// Ledger says which ledger this is.
func (s *Snapshot) Ledger() Ledger { return Ledger{} }

// Rules are the rules in force.
func (s *Snapshot) Rules() Rules { return Rules{} }

// RulesHistory is every set of rules published, newest first.
func (s *Snapshot) RulesHistory(ctx context.Context) ([]Rules, error) { return nil, errUnbuilt }

// Event is the recording time and leaf of an event up to the snapshot.
func (s *Snapshot) Event(ctx context.Context, seq uint64) (Stamp, events.Hash, error) {
	return Stamp{}, events.Hash{}, errUnbuilt
}

// Tool is a tool by its slug or an alias: Slug differs from what was asked for
// an alias, Merged is set for a duplicate.
func (s *Snapshot) Tool(ctx context.Context, slug string) (*Tool, error) { return nil, errUnbuilt }

// ToolFilter chooses tools. They come by slug.
type ToolFilter struct {
	Category string
	Label    events.Label
	All      bool   // merged and retired ones too
	After    string // only slugs after this one
	Offset   int
	Limit    int // 0 means 50
}

// Tools lists tools; total counts all that match but for After, Offset, Limit.
func (s *Snapshot) Tools(ctx context.Context, f ToolFilter) (list []Tool, total int, err error) {
	return nil, 0, errUnbuilt
}

// NewestTools are the current tools registered last, newest first.
func (s *Snapshot) NewestTools(ctx context.Context, limit int) ([]Tool, error) {
	return nil, errUnbuilt
}

// Labels counts current tools by label, in the order Ship, Split, Skip,
// Pending; within a category unless it is empty.
func (s *Snapshot) Labels(ctx context.Context, category string) ([]LabelCount, error) {
	return nil, errUnbuilt
}

// Categories are the categories of current tools, by slug.
func (s *Snapshot) Categories(ctx context.Context) ([]CategoryCount, error) { return nil, errUnbuilt }

// ToolReviews are the current reviews of a tool, tombstones among them, in
// panel order.
func (s *Snapshot) ToolReviews(ctx context.Context, tool string) ([]Review, error) {
	return nil, errUnbuilt
}

// Revisions are all reviews ever recorded of a tool (tombstones too), newest
// first; by one reviewer unless reviewer is empty. Of each reviewer's only the
// newest perReviewer have their texts (0 means all).
func (s *Snapshot) Revisions(ctx context.Context, tool, reviewer string, perReviewer int) ([]Review, error) {
	return nil, errUnbuilt
}

// Review is the review, revision or tombstone that the event at seq made.
func (s *Snapshot) Review(ctx context.Context, seq uint64) (*Review, error) { return nil, errUnbuilt }

// Replies are the current replies to a tool's panel, newest first.
func (s *Snapshot) Replies(ctx context.Context, tool string) ([]Reply, error) {
	return nil, errUnbuilt
}

// MergedFrom are the duplicates merged into a tool, by event.
func (s *Snapshot) MergedFrom(ctx context.Context, tool string) ([]MergedFrom, error) {
	return nil, errUnbuilt
}

// VerdictHistory is every change of a tool's label, newest first.
func (s *Snapshot) VerdictHistory(ctx context.Context, tool string) ([]VerdictChange, error) {
	return nil, errUnbuilt
}

// Steps is every event that changed a tool's counts or label, oldest first.
func (s *Snapshot) Steps(ctx context.Context, tool string) ([]Step, error) { return nil, errUnbuilt }

// ChangeFilter chooses changes of verdicts. They come newest first.
type ChangeFilter struct {
	Tool     string
	Category string // of that time
	Before   uint64 // only events before this one; 0 for all
	Limit    int    // 0 means 50
}

// VerdictChanges lists changes of labels.
func (s *Snapshot) VerdictChanges(ctx context.Context, f ChangeFilter) ([]VerdictChange, error) {
	return nil, errUnbuilt
}

// MatchupFilter chooses matchups. They come newest first.
type MatchupFilter struct {
	Tool     string
	Category string // that both tools share at the snapshot
	Before   uint64 // only those opened before this event; 0 for all
	Offset   int
	Limit    int // 0 means 50
}

// Matchups lists matchups with their results; total counts all that match but
// for Before, Offset and Limit.
func (s *Snapshot) Matchups(ctx context.Context, f MatchupFilter) (list []Matchup, total int, err error) {
	return nil, 0, errUnbuilt
}

// Matchup is the matchup of two tools, by slug or alias in either order: Left
// and Right are as first opened.
func (s *Snapshot) Matchup(ctx context.Context, left, right string) (*Matchup, error) {
	return nil, errUnbuilt
}

// MatchupBySeq is the matchup that the event at seq opened.
func (s *Snapshot) MatchupBySeq(ctx context.Context, seq uint64) (*Matchup, error) {
	return nil, errUnbuilt
}

// Comparison is the matchup with its scorecard and neighbours.
func (s *Snapshot) Comparison(ctx context.Context, left, right string) (*Comparison, error) {
	return nil, errUnbuilt
}

// Compare sets any 2 to 5 tools side by side. A slug that is unknown fails with
// an error that wraps [ErrNotFound] and names it.
func (s *Snapshot) Compare(ctx context.Context, tools []string) (*Matrix, error) {
	return nil, errUnbuilt
}

// Reviewers are all reviewers in panel order, former ones too.
func (s *Snapshot) Reviewers(ctx context.Context) ([]Reviewer, error) { return nil, errUnbuilt }

// Reviewer is a reviewer by slug.
func (s *Snapshot) Reviewer(ctx context.Context, slug string) (*Reviewer, error) {
	return nil, errUnbuilt
}

// ReviewerDetail is a reviewer with what only the own page shows.
func (s *Snapshot) ReviewerDetail(ctx context.Context, slug string) (*ReviewerDetail, error) {
	return nil, errUnbuilt
}

// ReviewerFilter chooses from a reviewer's current reviews. They come newest
// first.
type ReviewerFilter struct {
	Before uint64
	Offset int
	Limit  int // 0 means 50
}

// ReviewerReviews lists a reviewer's current reviews and tombstones; total
// counts all of them.
func (s *Snapshot) ReviewerReviews(ctx context.Context, slug string, f ReviewerFilter) (list []ReviewerReview, total int, err error) {
	return nil, 0, errUnbuilt
}

// FeedFilter narrows a feed; at most one of the three is set. The category is
// the one of the time of the item.
type FeedFilter struct {
	Tool     string
	Reviewer string // reviews, and verdicts that a reviewer's event changed
	Category string
}

// FeedReviews are the items of a review feed: the newest 50, plus all within 14
// days of the newest, at most 200; by published, then sequence, descending.
func (s *Snapshot) FeedReviews(ctx context.Context, f FeedFilter) ([]ReviewItem, error) {
	return nil, errUnbuilt
}

// FeedVerdicts are the items of a verdict feed, in the same window and order.
// The label changes of a rules event are one item unless Tool is set.
func (s *Snapshot) FeedVerdicts(ctx context.Context, f FeedFilter) ([]VerdictItem, error) {
	return nil, errUnbuilt
}

// FeedMatchups are the items of a matchup feed, in the same window and order.
func (s *Snapshot) FeedMatchups(ctx context.Context, f FeedFilter) ([]MatchupItem, error) {
	return nil, errUnbuilt
}

// Search looks for tools by name, slug and alias, for reviewers by name and
// slug, and for matchups of the tools found; case and accents do not matter.
// Names that begin with q come first.
func (s *Snapshot) Search(ctx context.Context, q string, limit int) (*Found, error) {
	return nil, errUnbuilt
}

// Stats are counts.
func (s *Snapshot) Stats(ctx context.Context) (Stats, error) { return Stats{}, errUnbuilt }

// Scope is a part of the model that can change.
type Scope string

// The scopes of [Snapshot.LastChange]. A list changes also by what leaves it.
const (
	ScopeAll       Scope = "all"
	ScopeTools     Scope = "tools"     // any tool's facts, counts or label
	ScopeReviewers Scope = "reviewers" // any reviewer's facts or counts
	ScopeMatchups  Scope = "matchups"  // any matchup or its result
	ScopeVerdicts  Scope = "verdicts"  // any label
	ScopeRules     Scope = "rules"
	ScopeTool      Scope = "tool"     // of a slug: facts, reviews, replies, merges into it
	ScopeReviewer  Scope = "reviewer" // of a slug: facts, reviews
	ScopeCategory  Scope = "category" // of a slug: its tools and their verdicts
)

// LastChange is the last event that changed anything in a scope. Of a page it
// is to be combined by [Stamp.Later] with the Changed of what else it shows.
func (s *Snapshot) LastChange(ctx context.Context, scope Scope, slug string) (Stamp, error) {
	return Stamp{}, errUnbuilt
}

// Skipped tells whether an event is passed over, and by which; nil if not.
func (s *Snapshot) Skipped(ctx context.Context, seq uint64) (*Skip, error) { return nil, errUnbuilt }

// Effects are what the event at the snapshot's position changed.
func (s *Snapshot) Effects(ctx context.Context) (*Effects, error) { return nil, errUnbuilt }
