package projections

import "math"

// schemaVersion names the tables below and what the events put into them. A
// file of another version is built anew, so it grows with every change of a
// table and of a rule. Until that is done the old file is read, if it can be:
// see [outdated].
const schemaVersion = 3

// current is the until of a row that no later event has replaced.
const current = math.MaxInt64

// The tables keep history: a row says from which sequence on it holds and,
// where it can be replaced, until which (until is the sequence of the event
// that replaced it). So the model as of any past event is read by the query
// that reads the present. Times are Unix milliseconds; tools, reviewers and
// categories have small numbers, given out in the order of the ledger.
//
// A column with a default is one that an older file may lack: the default is what
// readers meet until a new file is built.
//
// What every review writes is kept narrow: stances and tallies hold numbers
// only, texts lie apart in reviews, which are only ever appended.
var schema = []string{
	`CREATE TABLE meta (
		one INTEGER PRIMARY KEY CHECK (one = 1),
		seq INTEGER NOT NULL, leaf BLOB NOT NULL,
		ledger TEXT NOT NULL, authority TEXT NOT NULL, title TEXT NOT NULL, description TEXT NOT NULL
	)`,
	`INSERT INTO meta VALUES (1, 0, zeroblob(32), '', '', '', '')`,

	// log knows the two times of every event, and its leaf.
	`CREATE TABLE log (seq INTEGER PRIMARY KEY, recorded INTEGER NOT NULL, published INTEGER NOT NULL, leaf BLOB NOT NULL)`,
	`CREATE TABLE passed (seq INTEGER PRIMARY KEY)`,
	`CREATE TABLE skips (target INTEGER PRIMARY KEY, seq INTEGER NOT NULL, reason TEXT NOT NULL)`,

	`CREATE TABLE rules (
		seq INTEGER PRIMARY KEY, version INTEGER NOT NULL, quorum INTEGER NOT NULL, matchmaking TEXT NOT NULL,
		most INTEGER NOT NULL, publisher TEXT NOT NULL, changed INTEGER NOT NULL DEFAULT 0
	)`,
	`CREATE TABLE categories (id INTEGER PRIMARY KEY, slug TEXT NOT NULL UNIQUE)`,

	`CREATE TABLE tools (
		id INTEGER PRIMARY KEY, slug TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL, publisher TEXT NOT NULL
	)`,
	// freed is the last event that ended a merge or a retirement, 0 for none.
	`CREATE TABLE tool_versions (
		seq INTEGER PRIMARY KEY, tool INTEGER NOT NULL, until INTEGER NOT NULL,
		name TEXT NOT NULL, folded TEXT NOT NULL, named INTEGER NOT NULL, category INTEGER NOT NULL,
		tagline TEXT NOT NULL, description TEXT NOT NULL, homepage TEXT NOT NULL,
		pricing TEXT NOT NULL, pricing_note TEXT NOT NULL,
		into_tool INTEGER NOT NULL, merged INTEGER NOT NULL, merge_reason TEXT NOT NULL,
		retired INTEGER NOT NULL, retire_reason TEXT NOT NULL, retired_by TEXT NOT NULL, freed INTEGER NOT NULL DEFAULT 0
	)`,
	`CREATE INDEX tool_versions_tool ON tool_versions (tool, seq)`,
	`CREATE INDEX tool_versions_now ON tool_versions (tool, into_tool, retired) WHERE until = ` + forever,
	`CREATE INDEX tool_versions_category ON tool_versions (category, tool, seq)`,
	`CREATE INDEX tool_versions_into ON tool_versions (into_tool, seq) WHERE into_tool > 0`,
	`CREATE TABLE aliases (
		alias TEXT NOT NULL, seq INTEGER NOT NULL, until INTEGER NOT NULL, tool INTEGER NOT NULL,
		PRIMARY KEY (alias, seq)
	) WITHOUT ROWID`,
	`CREATE INDEX aliases_tool ON aliases (tool)`,

	`CREATE TABLE reviewers (
		id INTEGER PRIMARY KEY, slug TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL, publisher TEXT NOT NULL
	)`,
	// named is the last event that changed the name or the seat, kinded the one
	// that changed the kind, 0 for none.
	`CREATE TABLE reviewer_versions (
		seq INTEGER PRIMARY KEY, reviewer INTEGER NOT NULL, until INTEGER NOT NULL,
		name TEXT NOT NULL, folded TEXT NOT NULL, named INTEGER NOT NULL, kind TEXT NOT NULL,
		motto TEXT NOT NULL, lens TEXT NOT NULL, place INTEGER,
		former INTEGER NOT NULL, former_reason TEXT NOT NULL, former_by TEXT NOT NULL, kinded INTEGER NOT NULL DEFAULT 0
	)`,
	`CREATE INDEX reviewer_versions_reviewer ON reviewer_versions (reviewer, seq)`,

	// A row of reviews is what one event said. Its item is the event that opened
	// the feed item which shows it.
	`CREATE TABLE reviews (
		seq INTEGER PRIMARY KEY, tool INTEGER NOT NULL, reviewer INTEGER NOT NULL, category INTEGER NOT NULL,
		kind INTEGER NOT NULL, verdict INTEGER NOT NULL, previous INTEGER NOT NULL, flags INTEGER NOT NULL,
		revision INTEGER NOT NULL, replaces INTEGER NOT NULL, item INTEGER NOT NULL, item_published INTEGER NOT NULL,
		written INTEGER NOT NULL, published INTEGER NOT NULL, publisher TEXT NOT NULL, body TEXT NOT NULL, more TEXT
	)`,
	`CREATE INDEX reviews_items ON reviews (published) WHERE item = seq`,
	`CREATE INDEX reviews_category ON reviews (category, published) WHERE item = seq AND category > 0`,

	// stances tell which of the reviews of a tool are current.
	`CREATE TABLE stances (
		tool INTEGER NOT NULL, reviewer INTEGER NOT NULL, seq INTEGER NOT NULL, until INTEGER NOT NULL,
		verdict INTEGER NOT NULL, counts INTEGER NOT NULL, item INTEGER NOT NULL, published INTEGER NOT NULL,
		PRIMARY KEY (tool, reviewer, seq)
	) WITHOUT ROWID`,
	`CREATE INDEX stances_reviewer ON stances (reviewer, seq)`,
	// tallies and scores hold, each, until the next row of the tool or reviewer.
	// The sums are of the reviewers' numbers: of a lone one it is the number.
	`CREATE TABLE tallies (
		tool INTEGER NOT NULL, seq INTEGER NOT NULL, ships INTEGER NOT NULL, skips INTEGER NOT NULL,
		abstains INTEGER NOT NULL, ship_sum INTEGER NOT NULL, skip_sum INTEGER NOT NULL,
		PRIMARY KEY (tool, seq)
	) WITHOUT ROWID`,
	`CREATE TABLE scores (
		reviewer INTEGER NOT NULL, seq INTEGER NOT NULL, ships INTEGER NOT NULL, skips INTEGER NOT NULL,
		abstains INTEGER NOT NULL, lone INTEGER NOT NULL, flips INTEGER NOT NULL, revisions INTEGER NOT NULL,
		withdrawn INTEGER NOT NULL,
		PRIMARY KEY (reviewer, seq)
	) WITHOUT ROWID`,
	// totals hold, each, until the next row of the category: how many current
	// tools have each label, and of how many matchups both tools are in it.
	// Category 0 is of the tools without one.
	`CREATE TABLE totals (
		category INTEGER NOT NULL, seq INTEGER NOT NULL, pending INTEGER NOT NULL, ships INTEGER NOT NULL,
		skips INTEGER NOT NULL, splits INTEGER NOT NULL, matchups INTEGER NOT NULL,
		PRIMARY KEY (category, seq)
	) WITHOUT ROWID`,
	// The number of a change counts them all. Of a tool that is no duplicate the
	// label is what the last one says, and Pending before the first.
	`CREATE TABLE changes (
		id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, tool INTEGER NOT NULL, was INTEGER NOT NULL, now INTEGER NOT NULL,
		ships INTEGER NOT NULL, skips INTEGER NOT NULL, abstains INTEGER NOT NULL, quorum INTEGER NOT NULL,
		rules INTEGER NOT NULL, category INTEGER NOT NULL, published INTEGER NOT NULL
	)`,
	`CREATE INDEX changes_seq ON changes (seq)`,
	`CREATE INDEX changes_tool ON changes (tool, seq, now)`,
	`CREATE INDEX changes_items ON changes (published) WHERE rules = 0`,
	`CREATE INDEX changes_category ON changes (category, published) WHERE rules = 0 AND category > 0`,

	`CREATE TABLE matchups (
		seq INTEGER PRIMARY KEY, ord INTEGER NOT NULL, left_tool INTEGER NOT NULL, right_tool INTEGER NOT NULL,
		category INTEGER NOT NULL, published INTEGER NOT NULL, publisher TEXT NOT NULL, matchmade INTEGER NOT NULL
	)`,
	`CREATE UNIQUE INDEX matchups_left ON matchups (left_tool, right_tool)`,
	`CREATE INDEX matchups_right ON matchups (right_tool)`,
	`CREATE INDEX matchups_items ON matchups (published)`,
	`CREATE INDEX matchups_category ON matchups (category, published) WHERE category > 0`,
	// shared_categories tell since when both tools of a matchup are in a category.
	`CREATE TABLE shared_categories (
		category INTEGER NOT NULL, matchup INTEGER NOT NULL, seq INTEGER NOT NULL, until INTEGER NOT NULL,
		PRIMARY KEY (category, matchup, seq)
	) WITHOUT ROWID`,

	`CREATE TABLE replies (
		seq INTEGER PRIMARY KEY, tool INTEGER NOT NULL, until INTEGER NOT NULL, author TEXT NOT NULL,
		body TEXT NOT NULL, publisher TEXT NOT NULL, replaces INTEGER NOT NULL
	)`,
	`CREATE INDEX replies_tool ON replies (tool, seq)`,
}

// tables are those that hold rows of the ledger, each with the columns of its
// key, for [Snapshot.Dump].
var tables = [][2]string{
	{"meta", "1"},
	{"log", "1"},
	{"passed", "1"},
	{"skips", "1"},
	{"rules", "1"},
	{"categories", "1"},
	{"tools", "1"},
	{"tool_versions", "1"},
	{"aliases", "1, 2"},
	{"reviewers", "1"},
	{"reviewer_versions", "1"},
	{"reviews", "1"},
	{"stances", "1, 2, 3"},
	{"tallies", "1, 2"},
	{"scores", "1, 2"},
	{"totals", "1, 2"},
	{"changes", "1"},
	{"matchups", "1"},
	{"shared_categories", "1, 2, 3"},
	{"replies", "1"},
}

// The numbers of verdicts, labels and kinds in the tables.
const (
	numNone    = 0
	numShip    = 1
	numSkip    = 2
	numAbstain = 3

	numPending = 0
	numSplit   = 3

	numSubmitted = 1
	numRevised   = 2
	numWithdrawn = 3

	flagMarkdown = 1
	flagInferred = 2
	flagCounts   = 4
)
