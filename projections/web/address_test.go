package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"shiplog/events"
	kit "shiplog/projections/projectionstest"
)

// knots is a small ledger. Of its tools "grommet" goes by "eyelet" too, "washer"
// is a duplicate of "ferrule" and "thimble" was retired.
func knots(tb testing.TB, more ...events.Payload) *kit.Ledger {
	grommet := kit.Tool("grommet", "knots")
	grommet.Aliases = []string{"eyelet"}
	l := kit.Given(tb,
		kit.Seat("ann"), kit.Seat("ben"), kit.Seat("cid"),
		kit.Tool("ferrule", "knots"), grommet, kit.Tool("thimble", "knots"), kit.Tool("washer", "knots"),
		kit.Review("ferrule", "ann", events.Ship), kit.Review("ferrule", "ben", events.Ship), kit.Review("ferrule", "cid", events.Skip),
		kit.Review("grommet", "ann", events.Skip), kit.Review("grommet", "ben", events.Ship), kit.Review("grommet", "cid", events.Skip),
		kit.Match("ferrule", "grommet"),
		kit.Review("washer", "ann", events.Skip), kit.Match("washer", "grommet"),
		&events.ToolMerged{Tool: "washer", Into: "ferrule", Reason: "The same ring"},
		&events.ToolRetired{Tool: "thimble"},
	)
	l.Append(more...)
	return l
}

func TestAddresses(t *testing.T) {
	s := serve(t, knots(t))
	tests := []struct {
		name   string
		path   string
		status int
		to     string // of a redirect
		says   string
	}{
		{name: "tool", path: "/tools/ferrule", status: 200, says: "Merged from"},
		{name: "alias", path: "/tools/eyelet", status: 301, to: "/tools/grommet"},
		{name: "alias in the past", path: "/tools/eyelet?at=9", status: 301, to: "/tools/grommet?at=9"},
		{name: "merged", path: "/tools/washer", status: 301, to: "/tools/ferrule"},
		{name: "before the merge", path: "/tools/washer?at=15", status: 200},
		{name: "retired", path: "/tools/thimble", status: 200, says: "Retired by event"},
		{name: "unknown tool", path: "/tools/ferule", status: 404, says: "There is no tool “ferule”."},
		{name: "no slug", path: "/tools/a%20b", status: 404},
		{name: "capitals", path: "/tools/Ferrule?x=1&at=15", status: 301, to: "/tools/ferrule?x=1&at=15"},
		{name: "not yet", path: "/tools/ferrule?at=2", status: 404},
		{name: "other order", path: "/compare/grommet-vs-ferrule", status: 301, to: "/compare/ferrule-vs-grommet"},
		{name: "other order, differences", path: "/compare/grommet-vs-ferrule?only=differences&at=16", status: 301, to: "/compare/ferrule-vs-grommet?only=differences&at=16"},
		{name: "alias in a pair", path: "/compare/ferrule-vs-eyelet", status: 301, to: "/compare/ferrule-vs-grommet"},
		{name: "pair", path: "/compare/ferrule-vs-grommet", status: 200, says: "Judged both"},
		{name: "differences", path: "/compare/ferrule-vs-grommet?only=differences", status: 200, says: "Show all"},
		{name: "pair with a duplicate", path: "/compare/washer-vs-grommet", status: 200, says: "was merged into"},
		{name: "never opened", path: "/compare/thimble-vs-ferrule", status: 302, to: "/compare?tools=thimble,ferrule"},
		{name: "never opened, past", path: "/compare/thimble-vs-ferrule?at=12", status: 302, to: "/compare?tools=thimble,ferrule&at=12"},
		{name: "not opened yet", path: "/compare/ferrule-vs-grommet?at=14", status: 302, to: "/compare?tools=ferrule,grommet&at=14"},
		{name: "never opened, one tool", path: "/compare/washer-vs-ferrule", status: 302, to: "/tools/ferrule"},
		{name: "with itself", path: "/compare/grommet-vs-eyelet", status: 302, to: "/tools/grommet"},
		{name: "pair of nothing", path: "/compare/ferrule-vs-nothing", status: 404, says: "There is no tool “nothing”."},
		{name: "no pair", path: "/compare/ferrule", status: 404, says: "“-vs-”"},
		{name: "pair in capitals", path: "/compare/Ferrule-vs-Grommet", status: 301, to: "/compare/ferrule-vs-grommet"},
		{name: "matrix", path: "/compare?tools=grommet,ferrule", status: 200, says: "side by side"},
		{name: "matrix of three", path: "/compare?tools=grommet,ferrule,thimble&quotes=1", status: 200, says: "What they said"},
		{name: "matrix, repeated", path: "/compare?tools=grommet&tools=ferrule,+Thimble,", status: 200, says: "Three tools side by side"},
		{name: "matrix with an alias", path: "/compare?tools=eyelet,ferrule&quotes=1", status: 301, to: "/compare?tools=grommet,ferrule&quotes=1"},
		{name: "matrix with a duplicate", path: "/compare?tools=washer,grommet", status: 301, to: "/compare?tools=ferrule,grommet"},
		{name: "matrix of one tool twice", path: "/compare?tools=washer,ferrule", status: 301, to: "/tools/ferrule"},
		{name: "matrix of one", path: "/compare?tools=ferrule", status: 400, says: "two to five"},
		{name: "matrix of none", path: "/compare?tools=", status: 400},
		{name: "matrix of six", path: "/compare?tools=a,b,c,d,e,f", status: 400},
		{name: "matrix with a stranger", path: "/compare?tools=ferrule,nothing", status: 404, says: "nothing"},
		{name: "reviewer", path: "/reviewers/ann", status: 200, says: "Ships"},
		{name: "unknown reviewer", path: "/reviewers/eve", status: 404},
		{name: "category", path: "/categories/knots", status: 200, says: "Knots"},
		{name: "category not yet", path: "/categories/knots?at=2", status: 404},
		{name: "unknown category", path: "/categories/ropes", status: 404},
		{name: "event", path: "/events/9", status: 200, says: "As stored"},
		{name: "event of the future", path: "/events/999", status: 404, says: "the last one is 19"},
		{name: "event not yet", path: "/events/9?at=8", status: 404},
		{name: "event zero", path: "/events/0", status: 404},
		{name: "event with noughts", path: "/events/009", status: 301, to: "/events/9"},
		{name: "no event", path: "/events/x", status: 404},
		{name: "filter", path: "/tools?verdict=Skip&category=knots", status: 200, says: "Grommet"},
		{name: "bad filter", path: "/tools?verdict=maybe", status: 400, says: "verdict must be"},
		{name: "bad category", path: "/tools?category=a/b", status: 400},
		{name: "bad page", path: "/tools?page=0", status: 400, says: "page must be"},
		{name: "page beyond", path: "/tools?page=2", status: 404, says: "The list ends with page 1."},
		{name: "page far beyond", path: "/compare?page=99999999999999999999", status: 400},
		{name: "page of reviewer beyond", path: "/reviewers/ann?page=7", status: 404},
		{name: "feeds", path: "/feeds", status: 200},
		{name: "rules", path: "/rules", status: 200},
		{name: "slash", path: "/tools/", status: 301, to: "/tools"},
		{name: "slash and query", path: "/tools/ferrule/?at=15", status: 301, to: "/tools/ferrule?at=15"},
		{name: "slash and nowhere", path: "/debug/pprof/", status: 404, says: "There is no page at /debug/pprof/."},
		{name: "nowhere", path: "/wp-login.php", status: 404, says: "There is no page at /wp-login.php."},
		{name: "path like a query", path: "/tools%3Fpage=1", status: 404},
		{name: "at nothing", path: "/tools/ferrule?at=", status: 200},
		{name: "at not to be decoded", path: "/?at=%zz", status: 400, says: "at cannot be read: invalid URL escape"},
		{name: "at not to be decoded, elsewhere", path: "/tools/eyelet?x=%zz&at=9%", status: 400, says: "at cannot be read"},
		{name: "at and a semicolon", path: "/tools/ferrule?at=15;x=1", status: 400, says: "at cannot be read: invalid semicolon"},
		{name: "something else not to be decoded", path: "/tools/ferrule?%zz&x=%zz&at=15", status: 200},
		{name: "at zero", path: "/?at=0", status: 404, says: "before event 1"},
		{name: "at beyond", path: "/?at=20", status: 400, says: "the last one is 19"},
		{name: "at beyond all numbers", path: "/tools/ferrule?at=99999999999999999999999", status: 400, says: "here is no event 99999999999999999999999: the last one is 19"},
		{name: "parameter of a tracker", path: "/tools/ferrule?utm_source=letter&fbclid=1", status: 200},
		{name: "at nonsense", path: "/?at=yesterday", status: 400, says: "RFC 3339"},
		{name: "at a time before", path: "/?at=1999-01-01T00:00:00Z", status: 404},
		{name: "favicon", path: "/favicon.ico", status: 200, says: "PNG"},
		{name: "robots", path: "/robots.txt", status: 200, says: "Disallow: /search"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s.get("/tools") // a page that is kept must not answer for another
			a := s.get(test.path)
			if a.StatusCode != test.status {
				t.Fatalf("%s: got status %d to %q, want %d", test.path, a.StatusCode, a.Header.Get("Location"), test.status)
			}
			if test.to != "" && a.Header.Get("Location") != test.to {
				t.Errorf("%s: got location %s, want %s", test.path, a.Header.Get("Location"), test.to)
			}
			if !strings.Contains(string(a.body), test.says) {
				t.Errorf("%s: the page does not say %q:\n%s", test.path, test.says, a.body)
			}
			if a.StatusCode >= 400 {
				checkHTML(t, test.path, a.body)
				if got := a.Header.Get("Cache-Control"); got != "no-store" {
					t.Errorf("%s: Cache-Control of an error is %q", test.path, got)
				}
			}
		})
	}
}

func TestNear(t *testing.T) {
	s := serve(t, knots(t))
	for _, path := range []string{"/tools/Ferrule%20", "/compare/ferr-vs-grommet", "/compare?tools=grommet,ferr"} {
		a := s.get(path)
		if a.StatusCode != http.StatusNotFound || !strings.Contains(string(a.body), `href="/tools/ferrule"`) {
			t.Errorf("%s: got status %d, and no offer of the tool that was meant", path, a.StatusCode)
		}
	}
}

// TestCategoryLeft holds that the page of a category stays when its last tool
// has gone.
func TestCategoryLeft(t *testing.T) {
	moved := kit.Tool("ferrule", "rings")
	s := serve(t, kit.Given(t, kit.Tool("ferrule", "knots"), moved))
	if a := s.page("/categories/knots"); !strings.Contains(string(a.body), "No current tool is in this category.") {
		t.Error("the page does not say that the category is empty")
	}
}

func TestSearch(t *testing.T) {
	angstrom := kit.Tool("angstrom", "")
	angstrom.Name = "Ångström Café"
	angstrom.Aliases = []string{"tiny-ruler"}
	s := serve(t, knots(t, angstrom))
	tests := []struct{ q, finds string }{
		{"angstrom", "/tools/angstrom"},
		{"ÅNGSTRÖM cafe", "/tools/angstrom"},
		{"tiny ruler", "/tools/angstrom"},
		{"eyelet", "/tools/grommet"},
		{"Grom", "/tools/grommet"},
		{"ferrule grommet", "/compare/ferrule-vs-grommet"},
		{"ferrule vs grommet", "/compare/ferrule-vs-grommet"},
		{"ann", "/reviewers/ann"},
		{"  GROMMET\t", "/tools/grommet"},
	}
	for _, test := range tests {
		a := s.page("/search?q=" + url.QueryEscape(test.q))
		if !strings.Contains(string(a.body), `href="`+test.finds+`"`) {
			t.Errorf("search for %q does not find %s", test.q, test.finds)
		}
	}
	for _, q := range []string{"", "   ", "zzz", "%", "_", `"><script>`, strings.Repeat("å", 5000), "\xff\xfe"} {
		a := s.page("/search?q=" + url.QueryEscape(q))
		checkHTML(t, "/search?q="+q, a.body)
		if strings.Contains(string(a.body), `href="/tools/grommet"`) {
			t.Errorf("search for %q finds a tool", q)
		}
	}
}
