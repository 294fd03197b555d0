package pages

import (
	"encoding/json"
	"slices"
)

// FieldNote explains one field of a stored event.
type FieldNote struct{ Name, Text string }

// Notes explain the fields this event has, in the order of reading.
func (v EventView) Notes() []FieldNote {
	var stored map[string]json.RawMessage
	var data map[string]json.RawMessage
	if json.Unmarshal([]byte(v.Raw), &stored) != nil {
		return nil
	}
	if json.Unmarshal(stored["data"], &data) != nil {
		data = nil
	}
	return slices.DeleteFunc(allNotes(v.Facts.Seq), func(n FieldNote) bool {
		_, outer := stored[n.Name]
		_, inner := data[n.Name]
		return !outer && !inner
	})
}

// allNotes is every explanation. A field that explains itself has none.
func allNotes(seq uint64) []FieldNote {
	before := "event #" + seqText(seq-1)
	if seq <= 1 {
		before = "nothing: this is the first event"
	}
	return []FieldNote{
		{"id", "The publisher’s name for the event, together with source. Sent twice, it is recorded once."},
		{"source", "Who says so, in the publisher’s own words."},
		{"time", "When it was written, as the publisher says. Order and verdicts never depend on it."},
		{"recordedtime", "When it was recorded here. It never runs backwards."},
		{"publisher", "Who sent it, as the server knows it. “local” is this machine."},
		{"cause", "The event that made this one follow, in the same batch."},
		{"revision", "How many times the review has been written, this one included."},
		{"replaces", "The event this text supersedes. It stays in the ledger."},
		{"expects", "The review the publisher thought current. Had it been another, this event would have been rejected."},
		{"provenance", "Whether the verdict was stated by the reviewer or inferred from the text."},
		{"quorum", "How many reviews a tool needs before it has a verdict, and how many shared reviewers a comparison needs."},
		{"matchmaking", "Whether tools of one category are paired when they reach the quorum, or only by hand."},
		{"authority", "The name under which the ids of feed items are minted, for ever."},
		{"into", "The tool that is kept."},
		{"inputhash", "A keyed hash of what was sent. It tells the same event sent again from another one under its name."},
		{"prevleaf", "The hash of " + before + ". A changed, lost or reordered event would no longer fit."},
		{"salt", "Lets a text be erased one day while the hashes still hold."},
	}
}
