//go:build clients

package clients_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/cmd/shiplog/process"
)

// expected is what must come out of the sample events.
type expected struct {
	Tools map[string]struct {
		Name    string
		Ships   int
		N       int
		Percent int
		Label   string
	}
	Matchups []struct {
		Title, Path, Left, Right string
		Quotes                   []struct{ Tool, Reviewer, Body string }
		Result                   string
		SeparatedBy              []string `json:"separated_by"`
	}
}

// Real comparison pages go in as events and come out as pages, API and feeds.
func TestClientSeeds(t *testing.T) {
	var want expected
	raw, err := os.ReadFile(shared(t, "seeds/expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	decode(t, raw, &want)
	n := start(t, t.TempDir())
	said, _ := shiplog(t, 0, "submit", "--to", n.Base, shared(t, "seeds/events.jsonl"))
	if !strings.Contains(said, "40 accepted") {
		t.Errorf("submit said %q, want 40 accepted", said)
	}
	settle(t, n)
	seedTools(t, n, want)
	seedPages(t, n, want)
	seedFeeds(t, n, want)

	before := everything(t, n, want)
	said, _ = shiplog(t, 0, "submit", "--to", n.Base, shared(t, "seeds/events.jsonl"))
	if !strings.Contains(said, "40 duplicate") {
		t.Errorf("submit again said %q, want 40 duplicate", said)
	}
	settle(t, n)
	if diff := cmp.Diff(before, everything(t, n, want)); diff != "" {
		t.Errorf("submitting again changed something (-before +after):\n%s", diff)
	}
}

func seedTools(t *testing.T, n *process.Node, want expected) {
	t.Helper()
	for slug, w := range want.Tools {
		var got struct {
			Name    string
			Verdict struct {
				Label             string
				Ships, N, Percent int
			}
		}
		decode(t, get(t, n.Base+"/api/v1/tools/"+slug), &got)
		v := got.Verdict
		if got.Name != w.Name || v.Label != w.Label || v.Ships != w.Ships || v.N != w.N || v.Percent != w.Percent {
			t.Errorf("%s: %+v, want %+v", slug, got, w)
		}
	}
}

func seedPages(t *testing.T, n *process.Node, want expected) {
	t.Helper()
	for _, m := range want.Matchups {
		page := get(t, n.Base+m.Path)
		var bodies []string
		for _, q := range m.Quotes {
			bodies = append(bodies, q.Body)
		}
		if diff := cmp.Diff(bodies, blockquotes(t, page)); diff != "" {
			t.Errorf("%s: quotes (-want +got):\n%s", m.Path, diff)
		}
		if !strings.Contains(string(page), m.Result) {
			t.Errorf("%s does not say %q", m.Path, m.Result)
		}
		var got struct {
			Result      struct{ Label string }
			SeparatedBy []string `json:"separated_by"`
		}
		decode(t, get(t, fmt.Sprintf("%s/api/v1/matchups/%s/%s", n.Base, m.Left, m.Right)), &got)
		if got.Result.Label != m.Result {
			t.Errorf("%s: result %q, want %q", m.Path, got.Result.Label, m.Result)
		}
		if diff := cmp.Diff(m.SeparatedBy, got.SeparatedBy); diff != "" {
			t.Errorf("%s: separated by (-want +got):\n%s", m.Path, diff)
		}
	}
}

func seedFeeds(t *testing.T, n *process.Node, want expected) {
	t.Helper()
	for _, format := range []string{"atom", "rss", "json"} {
		feed := string(get(t, n.Base+"/feeds/matchups."+format))
		for _, m := range want.Matchups {
			if !strings.Contains(feed, m.Title) {
				t.Errorf("matchups.%s lacks %q", format, m.Title)
			}
		}
	}
}

// everything is every page and feed that the samples have.
func everything(t *testing.T, n *process.Node, want expected) map[string]string {
	t.Helper()
	paths := []string{"/", "/tools", "/compare", "/reviewers", "/rules", "/feeds", "/feeds.opml", "/events/2"}
	for _, m := range want.Matchups {
		paths = append(paths, m.Path)
	}
	for slug := range want.Tools {
		paths = append(paths, "/tools/"+slug, "/feeds/tools/"+slug+".atom")
	}
	for _, kind := range []string{"matchups", "verdicts", "reviews"} {
		for _, format := range []string{"atom", "rss", "json"} {
			paths = append(paths, "/feeds/"+kind+"."+format)
		}
	}
	all := map[string]string{}
	for _, path := range paths {
		all[path] = string(get(t, n.Base+path))
	}
	return all
}
