package feeds_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mmcdole/gofeed"

	"shiplog/events"
	"shiplog/feeds"
	"shiplog/projections"
	"shiplog/projections/pages"
	"shiplog/projections/projectionstest"
)

// items reads a feed as lines of id, title and the second of its date of change.
func (p *panel) items(path string) []string {
	p.t.Helper()
	f, err := gofeed.NewParser().ParseString(p.ok(path).body)
	if err != nil {
		p.t.Fatal(err)
	}
	var out []string
	for _, item := range f.Items {
		_, id, _ := strings.Cut(item.GUID, ":feed/")
		if id == "" {
			id = strings.TrimPrefix(item.GUID, "tag:panel.example,2026-03-02:")
		}
		updated := item.UpdatedParsed.Sub(projectionstest.Time(1))/time.Second + 1
		out = append(out, fmt.Sprintf("%s | %s | %d", id, item.Title, updated))
	}
	return out
}

func (p *panel) shows(path string, want ...string) {
	p.t.Helper()
	if diff := cmp.Diff(want, p.items(path)); diff != "" {
		p.t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// TestItemsThroughTime follows one tool's feeds event by event. In the test
// ledger event N is recorded at second N.
func TestItemsThroughTime(t *testing.T) {
	p := newPanel(t, story()...)
	p.record(revise("smolvm", "skeptic", "skip", "Early and still undocumented.", 2, 9)) // 15
	p.shows("/feeds/reviewers/skeptic.atom",
		"review/12 | The Skeptic on Agency <beta>: Ship | 12",
		"review/9 | The Skeptic on smolvm: Skip | 15",
	)
	p.shows("/feeds/matchups.atom", "matchup/14 | Agency <beta> vs smolvm | 15")
	p.tells("/feeds/reviewers/skeptic.json", "<strong>Skip</strong>. Revision 2 changes the text.", "Why it was revised: ", "A new version.")

	p.record(revise("smolvm", "skeptic", "ship", "Documented now.", 3, 15)) // 16
	p.shows("/feeds/reviewers/skeptic.atom",
		"review/16 | The Skeptic on smolvm: Skip → Ship | 16",
		"review/12 | The Skeptic on Agency <beta>: Ship | 12",
		"review/9 | The Skeptic on smolvm: Skip | 15",
	)
	p.tells("/feeds/reviewers/skeptic.json", "<strong>Ship</strong>, was skip. Revision 3 changes the verdict and the text.")
	p.record(revise("smolvm", "builder", "skip", "The licence changed.", 2, 8))                                                                                                   // 17
	p.record(&events.ReviewWithdrawn{Tool: "smolvm", Reviewer: "skeptic", Reason: "Tested the wrong build."})                                                                     // 18: Pending
	p.record(submit("other", "builder", "skip", "Elsewhere."))                                                                                                                    // 19
	p.record(&events.ReviewRevised{Review: events.Review{Tool: "smolvm", Reviewer: "skeptic", Verdict: "skip", Body: "Again, with the right build."}, Revision: 4, Replaces: 18}) // 20: Skip 1 of 3
	p.shows("/feeds/tools/smolvm.atom",
		"review/20 | The Skeptic on smolvm: Skip | 20",
		"verdict/20/smolvm | smolvm: Pending → Skip, 1 of 3 | 20",
		"review/18 | The Skeptic on smolvm: withdrawn | 18",
		"verdict/18/smolvm | smolvm: Ship → Pending, 2 of 3 reviews | 18",
		"review/17 | The Builder on smolvm: Ship → Skip | 17",
		"review/16 | The Skeptic on smolvm: Skip → Ship | 16",
		"matchup/14 | Agency <beta> vs smolvm | 20",
		"review/10 | The Futurist on smolvm: Ship | 10",
		"verdict/10/smolvm | smolvm: Pending → Ship, 2 of 3 | 10",
		"review/9 | The Skeptic on smolvm: Skip | 15",
		"review/8 | The Builder on smolvm: Ship | 8",
	)
	p.tells("/feeds/tools/smolvm.json", "<strong>withdrawn</strong>, was ship.", "Reason: ", "Tested the wrong build.", "Revision 4 comes after a withdrawal.")
}

// tells checks that a JSON feed says something in the content of an item.
func (p *panel) tells(path string, texts ...string) {
	p.t.Helper()
	body := p.ok(path).body
	for _, text := range texts {
		if !strings.Contains(body, text) {
			p.t.Errorf("%s does not say %q:\n%s", path, text, body)
		}
	}
}

// TestRebuild checks that feeds kept from one database are not served once
// another, in which an event is passed over, has taken its place.
func TestRebuild(t *testing.T) {
	p := newPanel(t, append(story(), tool("agency-2", "Agency II"), &events.ToolMerged{Tool: "agency-2", Into: "agency"})...)
	p.tells("/feeds/verdicts.json", "Pending → Ship, 3 of 3")
	p.ok("/feeds/reviews/archive/6.atom")
	fresh, err := p.model.Fresh()
	if err != nil {
		t.Fatal(err)
	}
	list := p.ledger.Events(t, 1, 16)
	list[12].Data = nil // the third review of agency
	if err := fresh.Apply(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	if err := fresh.Switch(); err != nil {
		t.Fatal(err)
	}
	p.shows("/feeds/verdicts.atom", "verdict/10/smolvm | smolvm: Pending → Ship, 2 of 3 | 10")
	if a := p.get("/feeds/reviews/archive/6.atom"); a.status != 404 {
		t.Errorf("a document of the archive of six reviews: %d, want 404 now that there are five", a.status)
	}
}

// TestNamesMayChange checks that a new name moves dates and titles, never ids.
func TestNamesMayChange(t *testing.T) {
	p := newPanel(t, story()...)
	before := p.items("/feeds/tools/smolvm.atom")
	p.record(&events.ToolRegistered{Tool: "smolvm", Name: "SmolVM"}) // 15
	p.shows("/feeds/tools/smolvm.atom",
		"matchup/14 | Agency <beta> vs SmolVM | 15",
		"review/10 | The Futurist on SmolVM: Ship | 15",
		"verdict/10/smolvm | SmolVM: Pending → Ship, 2 of 3 | 15",
		"review/9 | The Skeptic on SmolVM: Skip | 15",
		"review/8 | The Builder on SmolVM: Ship | 15",
	)
	p.record(&events.ReviewerSeated{Reviewer: "builder", Name: "Builder"}) // 16
	p.shows("/feeds/tools/smolvm.atom",
		"matchup/14 | Agency <beta> vs SmolVM | 16",
		"review/10 | The Futurist on SmolVM: Ship | 15",
		"verdict/10/smolvm | SmolVM: Pending → Ship, 2 of 3 | 15",
		"review/9 | The Skeptic on SmolVM: Skip | 15",
		"review/8 | Builder on SmolVM: Ship | 16",
	)
	p.serve(feeds.Options{Site: pages.Site{BaseURL: "http://other.example/panel", Title: "Elsewhere"}})
	for i, line := range p.items("/feeds/tools/smolvm.rss") {
		id, _, _ := strings.Cut(line, " ")
		if !strings.HasPrefix(before[i], id+" ") {
			t.Errorf("item %d has the id %s under another address, had %s", i, id, before[i])
		}
	}
	if a := p.get("/feeds/tools/small-vm.atom"); a.header.Get("Location") != "/panel/feeds/tools/smolvm.atom" {
		t.Errorf("an alias leads to %q", a.header.Get("Location"))
	}
}

// TestRulesChange checks where label changes by rules are told: as one item of
// all verdicts, one by one in the tools' feeds, and nowhere else.
func TestRulesChange(t *testing.T) {
	p := newPanel(t, story()...)
	p.record(&events.RulesPublished{Version: 1, Quorum: 4}) // 15
	p.shows("/feeds/verdicts.atom",
		"rules/15 | Rules changed: 2 verdicts | 15",
		"verdict/13/agency | Agency <beta>: Pending → Ship, 3 of 3 | 13",
		"verdict/10/smolvm | smolvm: Pending → Ship, 2 of 3 | 10",
	)
	body := p.ok("/feeds/verdicts.json").body
	for _, text := range []string{"Agency &lt;beta&gt;</span></a>: Ship → Pending, 3 of 4 reviews", "A verdict needs 4 reviews now"} {
		if !strings.Contains(body, text) {
			t.Errorf("the item of the rules does not say %q:\n%s", text, body)
		}
	}
	if got := p.items("/feeds/tools/agency.atom")[0]; got != "verdict/15/agency | Agency <beta>: Ship → Pending, 3 of 4 reviews | 15" {
		t.Errorf("the tool's feed begins with %s", got)
	}
	for _, line := range p.items("/feeds/categories/ai-agents.atom") {
		if strings.Contains(line, "/15") {
			t.Errorf("the category's feed has %s", line)
		}
	}
}

// TestDatesComeFromThePast checks that an import takes its place by its own
// dates and never comes from the future.
func TestDatesComeFromThePast(t *testing.T) {
	p := newPanel(t, story()...)
	p.ledger.Written = "2024-05-06T07:08:09.5+02:00"
	p.record(submit("other", "builder", "skip", "Long ago.")) // 15
	p.ledger.Written = "2026-03-02T10:00:00Z"
	p.record(submit("other", "skeptic", "skip", "Ahead of the clock.")) // 16
	f, err := gofeed.NewParser().ParseString(p.ok("/feeds/reviews.atom").body)
	if err != nil {
		t.Fatal(err)
	}
	first, last := f.Items[0], f.Items[len(f.Items)-1]
	if !strings.HasSuffix(first.GUID, "review/16") || !first.PublishedParsed.Equal(projectionstest.Time(16)) {
		t.Errorf("first is %s of %s", first.GUID, first.Published)
	}
	if !strings.HasSuffix(last.GUID, "review/15") || last.Published != "2024-05-06T05:08:09.500Z" || !last.UpdatedParsed.Equal(projectionstest.Time(15)) {
		t.Errorf("last is %s of %s, %s", last.GUID, last.Published, last.Updated)
	}
}

// TestSameBytesOnAnyNode compares feeds of a model that followed along with
// those of one built at once.
func TestSameBytesOnAnyNode(t *testing.T) {
	p := newPanel(t, story()[:5]...)
	for _, payload := range story()[5:] {
		p.record(payload)
		p.ok("/feeds/reviews.atom")
		p.ok("/feeds/tools/smolvm.atom")
		p.ok("/feeds/matchups.atom")
	}
	p.record(revise("smolvm", "skeptic", "skip", "Early and still undocumented.", 2, 9))
	other := &panel{t: t, ledger: p.ledger, now: p.now, model: projectionstest.Model(t, p.ledger)}
	other.serve(feeds.Options{})
	for path := range paths() {
		for _, format := range feeds.Formats() {
			address := path + "." + string(format)
			a, b := p.ok(address), other.ok(address)
			if diff := cmp.Diff(a.body, b.body); diff != "" {
				t.Errorf("%s (-followed +at once):\n%s", address, diff)
			}
			for _, name := range []string{"Etag", "Last-Modified", "Shiplog-Seq"} {
				if a.header.Get(name) != b.header.Get(name) {
					t.Errorf("%s: %s is %q and %q", address, name, a.header.Get(name), b.header.Get(name))
				}
			}
		}
	}
}

func TestPublisherIsNamed(t *testing.T) {
	p := newPanel(t, story()...)
	p.ledger.Publisher = "news & views"
	p.record(submit("other", "builder", "skip", "From elsewhere."))
	body := p.ok("/feeds/tools/other.json").body
	if !strings.Contains(body, "sent by <span dir=\\\"auto\\\">news &amp; views</span>") {
		t.Errorf("the publisher is not named:\n%s", body)
	}
	if strings.Contains(p.ok("/feeds/tools/smolvm.json").body, "sent by") {
		t.Error("a local publisher is named")
	}
}

func TestEmptyLedger(t *testing.T) {
	p := newPanel(t)
	for _, kind := range []string{"matchups", "verdicts", "reviews"} {
		for _, format := range feeds.Formats() {
			a := p.ok("/feeds/" + kind + "." + string(format))
			if a.header.Get("Last-Modified") != "Mon, 02 Mar 2026 09:00:00 GMT" {
				t.Errorf("%s.%s: Last-Modified %q, want that of event 1", kind, format, a.header.Get("Last-Modified"))
			}
		}
	}
	p.ok("/feeds.opml")
}

func TestNothingAppliedYet(t *testing.T) {
	m, err := projections.Open(t.TempDir(), projections.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	p := &panel{t: t, model: m}
	p.serve(feeds.Options{})
	a := p.get("/feeds/matchups.atom")
	if a.status != 503 || a.header.Get("Retry-After") == "" {
		t.Errorf("status %d, Retry-After %q", a.status, a.header.Get("Retry-After"))
	}
}
