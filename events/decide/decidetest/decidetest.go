// Package decidetest draws random submissions for property tests of decisions.
package decidetest

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"pgregory.net/rapid"

	"shiplog/events"
	"shiplog/events/decide"
)

// Now is when everything is recorded.
var Now = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

// The names are few, so that events meet.
var (
	tools      = []string{"a", "b", "c", "d", "e", "f"}
	aliases    = []string{"one", "two", "a", "b"}
	categories = []any{"x", "y", nil}
	reviewers  = []string{"p", "q", "r"}
)

// Submission draws one that is valid by itself; most are accepted or
// duplicates, some are rejected. The head is that of the ledger so far.
func Submission(t *rapid.T, head uint64) *events.Submission {
	typ := rapid.SampledFrom([]string{
		"review.submitted", "review.submitted", "review.submitted", "review.submitted", "review.submitted",
		"tool.registered", "tool.registered", "tool.registered", "reviewer.seated", "reviewer.unseated",
		"review.withdrawn", "review.withdrawn", "matchup.opened", "tool.merged", "tool.unmerged", "tool.retired",
		"reply.published", "rules.published",
	}).Draw(t, "type")
	raw, err := json.Marshal(map[string]any{
		"specversion": "1.0", "source": "/test", "type": "shiplog." + typ + ".v1", "data": data(t, typ, head),
		"id": fmt.Sprint("e", rapid.IntRange(0, 60).Draw(t, "id")),
	})
	if err != nil {
		t.Fatal(err)
	}
	s, ps := events.Parse(raw)
	if len(ps) > 0 {
		t.Fatalf("%s: %v", raw, ps)
	}
	s.Publisher = "local"
	return s
}

func data(t *rapid.T, typ string, head uint64) map[string]any {
	pick := func(name string, from []string) string { return rapid.SampledFrom(from).Draw(t, name) }
	tool := func() string { return pick("tool", append([]string{"one", "two"}, tools...)) }
	seq := func() uint64 { return rapid.Uint64Range(1, head+1).Draw(t, "seq") }
	d := map[string]any{}
	maybe := func(name string, value func() any) {
		if rapid.Bool().Draw(t, name+"?") {
			d[name] = value()
		}
	}
	switch typ {
	case "review.submitted":
		d["tool"], d["reviewer"] = tool(), pick("reviewer", reviewers)
		d["verdict"], d["body"] = pick("verdict", []string{"ship", "skip", "abstain"}), pick("body", []string{"good", "bad"})
		maybe("tool_name", func() any { return "A tool" })
		maybe("reviewer_name", func() any { return "A reviewer" })
		maybe("condition", func() any { return pick("condition", []string{"on Linux", "on a server"}) })
		maybe("format", func() any { return pick("format", []string{"text", "markdown"}) })
		if rapid.IntRange(0, 3).Draw(t, "expects?") == 0 {
			d["expects"] = seq() - 1
		}
	case "tool.registered":
		d["tool"], d["name"] = tool(), "A tool"
		maybe("category", func() any { return rapid.SampledFrom(categories).Draw(t, "category") })
		maybe("tagline", func() any { return pick("tagline", []string{"Does it", "Does it all"}) })
		maybe("aliases", func() any {
			return rapid.SliceOfNDistinct(rapid.SampledFrom(aliases), 0, 2, rapid.ID[string]).Draw(t, "aliases")
		})
	case "reviewer.seated":
		d["reviewer"], d["name"] = pick("reviewer", reviewers), "A reviewer"
		maybe("order", func() any { return rapid.IntRange(1, 3).Draw(t, "order") })
		maybe("kind", func() any { return pick("kind", []string{"human", "ai"}) })
	case "reviewer.unseated":
		d["reviewer"] = pick("reviewer", reviewers)
	case "review.withdrawn":
		d["tool"], d["reviewer"], d["reason"] = tool(), pick("reviewer", reviewers), "wrong"
	case "matchup.opened":
		d["left"], d["right"] = tool(), tool()
	case "tool.merged", "tool.unmerged":
		d["tool"], d["into"] = tool(), tool()
	case "tool.retired":
		d["tool"] = tool()
	case "reply.published":
		d["tool"], d["body"] = tool(), "We mended it."
		maybe("replaces", func() any { return seq() })
	case "rules.published":
		d["version"] = 1
		maybe("quorum", func() any { return rapid.IntRange(1, 3).Draw(t, "quorum") })
		maybe("max_matchups_per_tool", func() any { return rapid.IntRange(0, 4).Draw(t, "max") })
		maybe("matchmaking", func() any { return pick("matchmaking", []string{"category", "manual"}) })
	}
	return d
}

// Record folds the events of a decision into a layer, after it has sealed them
// as the intake does and brought them through their stored form. The salts are
// made from the sequence.
func Record(layer *decide.State, d decide.Decision, input []byte) ([]*events.Event, error) {
	main := layer.Head().Seq + 1 + uint64(d.Main)
	var list []*events.Event
	for i, e := range d.Events {
		seal(e, layer.Head())
		if i == d.Main {
			e.InputHash = events.InputHash(e.Salt, input)
		} else {
			e.Cause = main
		}
		decoded, err := events.Decode(e.Seq, e.AppendCanonical(nil))
		if err != nil {
			return nil, err
		}
		if err := layer.Evolve(decoded); err != nil {
			return nil, err
		}
		list = append(list, decoded)
	}
	return list, nil
}

func seal(e *events.Event, head decide.Head) {
	e.Seq = head.Seq + 1
	e.RecordedTime = Now
	if e.Time == "" {
		e.Time = Now.Format(events.TimeFormat)
	}
	binary.BigEndian.PutUint64(e.Salt[:], e.Seq)
	e.PrevLeaf = head.Leaf
}

// A Dump is what layers hand to a store, as a comparable value.
type Dump map[string]any

// Of is the dump of layers, the lowest first.
func Of(layers ...*decide.State) Dump {
	d := Dump{}
	for _, layer := range layers {
		layer.Write(d)
	}
	return d
}

func (d Dump) put(value any, there bool, key ...any) {
	k := fmt.Sprint(key...)
	if delete(d, k); there {
		d[k] = value
	}
}

// PutIdentity implements [decide.Changes], and so on.
func (d Dump) PutIdentity(k decide.Key, v decide.Identity) { d.put(v, true, "identity ", k) }

// PutTool implements [decide.Changes].
func (d Dump) PutTool(slug string, t decide.Tool) {
	if len(t.Aliases) == 0 {
		t.Aliases = nil
	}
	d.put(t, true, "tool ", slug)
}

// PutAlias implements [decide.Changes].
func (d Dump) PutAlias(alias, tool string) { d.put(tool, tool != "", "alias ", alias) }

// PutReviewer implements [decide.Changes].
func (d Dump) PutReviewer(slug string, r decide.Reviewer) { d.put(r, true, "reviewer ", slug) }

// PutReview implements [decide.Changes].
func (d Dump) PutReview(a decide.About, r decide.Review) { d.put(r, true, "review ", a) }

// PutPair implements [decide.Changes].
func (d Dump) PutPair(p decide.Pair, seq uint64) { d.put(seq, true, "pair ", p) }

// PutReply implements [decide.Changes].
func (d Dump) PutReply(seq uint64, tool string) { d.put(tool, tool != "", "reply ", seq) }

// PutRank implements [decide.Changes].
func (d Dump) PutRank(r decide.Rank, present bool) { d.put(true, present, "rank ", r) }

// PutHead implements [decide.Changes].
func (d Dump) PutHead(h decide.Head, r events.Rules) { d.put([]any{h, r}, true, "head") }
