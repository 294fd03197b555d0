package decide_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"shiplog/events"
	"shiplog/events/decide"
	"shiplog/events/decide/decidetest"
)

// now is when everything here happens.
var now = decidetest.Now

// An event is a submission in the making: its type without prefix and version,
// and its data. It gets an id of its own when it has none.
type event struct {
	typ  string
	data map[string]any
	id   string
	time string
}

func (e event) with(name string, value any) event {
	e.data = maps.Clone(e.data)
	e.data[name] = value
	return e
}

func (e event) as(id string) event {
	e.id = id
	return e
}

func (e event) at(time string) event {
	e.time = time
	return e
}

func tool(slug string) event {
	return event{typ: "tool.registered", data: map[string]any{"tool": slug, "name": slug}}
}

func inCategory(slug, category string) event { return tool(slug).with("category", category) }

func seat(slug string) event {
	return event{typ: "reviewer.seated", data: map[string]any{"reviewer": slug, "name": slug}}
}

func unseat(slug string) event {
	return event{typ: "reviewer.unseated", data: map[string]any{"reviewer": slug}}
}

func review(tool, reviewer, verdict string) event {
	return event{typ: "review.submitted", data: map[string]any{"tool": tool, "reviewer": reviewer, "verdict": verdict, "body": verdict}}
}

func withdraw(tool, reviewer string) event {
	return event{typ: "review.withdrawn", data: map[string]any{"tool": tool, "reviewer": reviewer, "reason": "wrong"}}
}

func merge(tool, into string) event {
	return event{typ: "tool.merged", data: map[string]any{"tool": tool, "into": into}}
}

func unmerge(tool, into string) event {
	return event{typ: "tool.unmerged", data: map[string]any{"tool": tool, "into": into}}
}

func retire(slug string) event {
	return event{typ: "tool.retired", data: map[string]any{"tool": slug}}
}

func matchup(left, right string) event {
	return event{typ: "matchup.opened", data: map[string]any{"left": left, "right": right}}
}

func reply(slug, body string) event {
	return event{typ: "reply.published", data: map[string]any{"tool": slug, "body": body}}
}

func rules(members map[string]any) event {
	data := map[string]any{"version": 1}
	maps.Copy(data, members)
	return event{typ: "rules.published", data: data}
}

func quorum(n int) event { return rules(map[string]any{"quorum": n}) }

// submission parses the event as a publisher would have sent it.
func (e event) submission(id string) (*events.Submission, error) {
	if e.id != "" {
		id = e.id
	}
	sent := map[string]any{"specversion": "1.0", "id": id, "source": "/test", "type": "shiplog." + e.typ + ".v1", "data": e.data}
	if e.time != "" {
		sent["time"] = e.time
	}
	raw, err := json.Marshal(sent)
	if err != nil {
		return nil, err
	}
	s, ps := events.Parse(raw)
	if len(ps) > 0 {
		return nil, fmt.Errorf("%s: %w", raw, ps)
	}
	s.Publisher = "local"
	return s, nil
}

// A panel decides and records in memory.
type panel struct {
	state *decide.State
	log   []*events.Event
	sent  int
}

func newPanel() *panel { return &panel{state: decide.New(nil)} }

func (p *panel) next(e event) (*events.Submission, error) {
	p.sent++
	return e.submission(fmt.Sprintf("e%d", p.sent))
}

// submit decides an event and folds what comes out.
func (p *panel) submit(e event) (decide.Decision, error) {
	s, err := p.next(e)
	if err != nil {
		return decide.Decision{}, err
	}
	d, err := decide.Decide(p.state, s, now)
	if err != nil {
		return d, err
	}
	return d, p.record(d, s.Input)
}

// record folds a decision's events.
func (p *panel) record(d decide.Decision, input []byte) error {
	list, err := decidetest.Record(p.state, d, input)
	p.log = append(p.log, list...)
	return err
}

// said is a decision in one line.
func said(d decide.Decision) string {
	var parts []string
	switch d.Status {
	case decide.Accepted:
		for _, e := range d.Events {
			parts = append(parts, saidEvent(e))
		}
		return "accepted " + strings.Join(parts, ", ")
	case decide.Duplicate:
		line := fmt.Sprintf("duplicate of %d %s", d.Seq, short(d.Type))
		if !d.Recorded {
			line += ", not recorded"
		}
		return line
	}
	for _, p := range d.Problems {
		parts = append(parts, string(p.Code)+" "+p.Pointer)
	}
	return "rejected " + strings.Join(parts, ", ")
}

func saidEvent(e *events.Event) string {
	line := short(e.Type()) + " " + strings.ReplaceAll(e.Data.Subject()[strings.Index(e.Data.Subject(), ".")+1:], ".", " ")
	if r, ok := e.Data.(*events.ReviewRevised); ok {
		line += fmt.Sprintf(" #%d for %d", r.Revision, r.Replaces)
	}
	return line
}

func short(typ string) string {
	return strings.TrimSuffix(strings.TrimPrefix(typ, "shiplog."), ".v1")
}

// A step is an event and what is to become of it.
type step struct {
	event event
	want  string
}

func play(t *testing.T, steps []step) *panel {
	t.Helper()
	p := newPanel()
	for i, s := range steps {
		d, err := p.submit(s.event)
		if err != nil {
			t.Fatalf("step %d: %v", i+1, err)
		}
		if got := said(d); got != s.want {
			t.Errorf("step %d: %s %v\n got %s\nwant %s\n%v", i+1, s.event.typ, s.event.data, got, s.want, d.Problems)
		}
	}
	return p
}
