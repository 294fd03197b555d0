package feeds_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shiplog/events"
	"shiplog/feeds"
	"shiplog/projections"
	"shiplog/projections/pages"
	"shiplog/projections/projectionstest"
)

// spaced records a log anew, a minute between one event and the next.
func spaced(t *rapid.T, log []*events.Event) []*events.Event {
	list := log[:1:1]
	for _, e := range log[1:] {
		before := list[len(list)-1]
		e.RecordedTime, e.PrevLeaf = before.RecordedTime.Add(time.Minute), before.Leaf
		again, err := events.Decode(e.Seq, e.AppendCanonical(nil))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, again)
	}
	return list
}

// An item is everything a feed says of it, by the names of JSON Feed.
type item = map[string]any

// A watch reads the same feeds after each event.
type watch struct {
	t     *rapid.T
	model *projections.Model
	mux   http.Handler
	stems []string
	had   map[string]string // documents
	items map[string]item   // by id, of all of them
}

func newWatch(t *rapid.T, model *projections.Model, stems ...string) *watch {
	return &watch{t: t, model: model, mux: handlerOf(t, model), stems: stems, had: map[string]string{}, items: map[string]item{}}
}

func handlerOf(t *rapid.T, model *projections.Model) http.Handler {
	h, err := feeds.New(feeds.Options{
		Model: model, Site: pages.Site{BaseURL: base, Title: "The Panel"},
		Now: func() time.Time { return moment("2030-01-01T00:00:00Z") },
	})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	h.Register(mux)
	return mux
}

// read is a feed, "" where there is none.
func read(h http.Handler, stem string) string {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, stem+".json", http.NoBody))
	if w.Code != http.StatusOK {
		return ""
	}
	return w.Body.String()
}

// apply applies an event and holds each item to its word: it is updated then, and
// only then, when it says something else than before.
func (w *watch) apply(e *events.Event) {
	if err := w.model.Apply(w.t.Context(), []*events.Event{e}); err != nil {
		w.t.Fatal(err)
	}
	now := e.RecordedTime.Format(time.RFC3339)
	for _, stem := range w.stems {
		body := read(w.mux, stem)
		if body == w.had[stem] || body == "" {
			continue
		}
		w.had[stem] = body
		var doc struct{ Items []item }
		if err := json.Unmarshal([]byte(body), &doc); err != nil {
			w.t.Fatal(err)
		}
		for _, is := range doc.Items {
			id, updated := is["id"].(string), is["date_modified"]
			was, known := w.items[id]
			w.items[id] = is
			if !known {
				continue
			}
			changed := cmp.Diff(without(was, "date_modified"), without(is, "date_modified"))
			switch moved := updated != was["date_modified"]; {
			case moved && changed == "":
				w.t.Fatalf("event %d (%s) updates %s (from %v to %v) and changes nothing it shows", e.Seq, e.Type(), id, was["date_modified"], updated)
			case changed != "" && updated != now:
				w.t.Fatalf("event %d (%s) of %s changes %s, which is updated %v:\n%s", e.Seq, e.Type(), now, id, updated, changed)
			}
		}
	}
}

func without(of item, name string) item {
	rest := item{}
	for key, value := range of {
		if key != name {
			rest[key] = value
		}
	}
	return rest
}

// TestUpdatedMovesWithWhatIsShown lets any events happen. An item that says
// something else after an event was updated by it, and one that says the same was
// not; what was kept of it all is what is made at the end.
func TestUpdatedMovesWithWhatIsShown(t *testing.T) {
	l := projectionstest.Given(t, projectionstest.Quorum(2), projectionstest.Seat("p"), projectionstest.Seat("q"), projectionstest.Seat("r"))
	for _, slug := range []string{"a", "b", "c"} {
		l.Append(projectionstest.Tool(slug, "x"), projectionstest.Review(slug, "p", events.Ship),
			projectionstest.Review(slug, "q", events.Skip), projectionstest.Review(slug, "r", events.Abstain))
	}
	begun := l.Events(t, 1, l.Append(projectionstest.Match("a", "b"), projectionstest.Match("c", "a")))
	rapid.Check(t, func(t *rapid.T) {
		model := emptyModel(t)
		w := newWatch(t, model, "/feeds/matchups", "/feeds/verdicts", "/feeds/reviews", "/feeds/tools/a")
		for _, e := range spaced(t, history(t, 20, begun...)) {
			w.apply(e)
		}
		anew := handlerOf(t, model)
		for _, stem := range w.stems {
			if diff := cmp.Diff(read(anew, stem), read(w.mux, stem)); diff != "" {
				t.Errorf("%s as made anew and as kept (-anew +kept):\n%s", stem, diff)
			}
		}
	})
}

func inMarkdown(p events.Payload) events.Payload {
	p.(*events.ReviewRevised).Format = events.FormatMarkdown
	return p
}

// TestUpdatedIsTheLastChangeShown follows the items of a matchup and of a review of
// it: what they do not show updates neither.
func TestUpdatedIsTheLastChangeShown(t *testing.T) {
	p := newPanel(t, story()...)
	smolvm := func(tagline, category string) events.Payload {
		return &events.ToolRegistered{Tool: "smolvm", Name: "smolvm", Tagline: tagline, Category: category}
	}
	conditioned := revise("smolvm", "builder", "ship", "Starts in no time.", 2, 8).(*events.ReviewRevised)
	conditioned.Condition = "On Linux."
	for _, tt := range []struct {
		name            string
		event           events.Payload // from 15 on
		matchup, review int            // the events that changed them last
	}{
		{"a tagline", smolvm("Small", "ai-agents"), 14, 8},
		{"what a reviewer is", &events.ReviewerSeated{Reviewer: "builder", Name: "The Builder", Kind: "human", Order: 1}, 14, 8},
		{"a condition, which only the review shows", conditioned, 14, 17},
		{"a place behind another reviewer", seat("skeptic", "The Skeptic", 9), 18, 17},
		{"a place behind the same ones", seat("skeptic", "The Skeptic", 10), 18, 17},
		{"a category of its own", smolvm("Small", "vms"), 20, 17},
		{"another one", smolvm("Small", "containers"), 20, 17},
		{"a tool that is given up", &events.ToolRetired{Tool: "smolvm", Reason: "Gone."}, 22, 17},
		{"and comes back", smolvm("Small", "containers"), 23, 17},
		{"a duplicate", &events.ToolMerged{Tool: "smolvm", Into: "other"}, 24, 17},
		{"a tagline of what it is merged into", &events.ToolRegistered{Tool: "other", Name: "Other", Tagline: "Else"}, 24, 17},
		{"a name of that", &events.ToolRegistered{Tool: "other", Name: "The Other"}, 26, 17},
		{"no duplicate any more", &events.ToolUnmerged{Tool: "smolvm", Into: "other"}, 27, 17},
		{"a quorum that changes no word", &events.RulesPublished{Version: 1, Quorum: 2}, 27, 17},
		{"a seat given up", &events.ReviewerUnseated{Reviewer: "builder"}, 29, 29},
		{"a text that looks the same as Markdown", inMarkdown(revise("smolvm", "skeptic", "skip", "Early & undocumented", 2, 9)), 29, 29},
		{"another text", revise("smolvm", "skeptic", "skip", "Early and *undocumented*", 3, 30), 31, 29},
		{"one that looks different as Markdown", inMarkdown(revise("smolvm", "skeptic", "skip", "Early and *undocumented*", 4, 31)), 32, 29},
		{"and again as it was written", revise("smolvm", "skeptic", "skip", "Early and *undocumented*", 5, 32), 33, 29},
	} {
		p.record(tt.event)
		for path, want := range map[string]string{
			"/feeds/matchups.atom": fmt.Sprintf("matchup/14 | Agency <beta> vs smolvm | %d", tt.matchup),
			"/feeds/reviews.atom":  fmt.Sprintf("review/8 | The Builder on smolvm: Ship | %d", tt.review),
		} {
			if got := p.items(path); !slices.Contains(got, want) {
				t.Errorf("%s: want %q, got %q", tt.name, want, got)
			}
		}
	}
	p.tells("/feeds/matchups.json", "The Builder</span></a> (former)")
}

// TestNewestItemIsTheLastChanged holds the metric of the newest items to what the
// feeds say, whatever it is that changed them.
func TestNewestItemIsTheLastChanged(t *testing.T) {
	p := newPanel(t, story()...)
	for _, event := range []events.Payload{
		revise("smolvm", "skeptic", "skip", "Early and *undocumented*.", 2, 9),
		inMarkdown(revise("smolvm", "skeptic", "skip", "Early and *undocumented*.", 3, 15)),
		inMarkdown(revise("smolvm", "builder", "ship", "Starts in no time.", 2, 8)), // which looks the same
		&events.ToolRegistered{Tool: "smolvm", Name: "smolvm", Tagline: "Small", Category: "ai-agents"},
		seat("skeptic", "The Skeptic", 9),
		seat("futurist", "A Futurist", 9),
		&events.ToolRetired{Tool: "agency", Reason: "Gone."},
		&events.RulesPublished{Version: 1, Quorum: 4},
	} {
		seq := p.record(event)
		for _, kind := range []feeds.Kind{feeds.Matchups, feeds.Verdicts, feeds.Reviews} {
			var doc struct{ Items []item }
			if err := json.Unmarshal([]byte(p.ok("/feeds/"+string(kind)+".json").body), &doc); err != nil {
				t.Fatal(err)
			}
			want := time.Time{}
			for _, is := range doc.Items {
				if at := moment(is["date_modified"].(string)); at.After(want) {
					want = at
				}
			}
			if got := p.value("shiplog_feed_last_item_timestamp_seconds", "feed", string(kind)); got != float64(want.Unix()) {
				t.Errorf("after event %d (%s) the newest item of %s is of %v, the metric says %v", seq, event.Type(), kind, want.Unix(), got)
			}
		}
	}
}
