//go:build clients

package clients_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"shiplog/cmd/shiplog/process"
)

// Pages of every kind look well on every screen, in both colour schemes.
func TestClientBrowserScreens(t *testing.T) {
	n := startDemo(t)
	empty := start(t, t.TempDir())
	b := openBrowser(t)
	visit := func(url string, status int64) {
		if got := b.visit(t, url); got != status {
			t.Errorf("%s: %d, want %d", url, got, status)
		}
		for _, scheme := range []string{"light", "dark"} {
			b.media(t, "screen", scheme)
			for _, width := range []int64{1280, 768, 360, 320} {
				b.see(t, width)
				where := fmt.Sprintf("%s, %s, %d wide", url, scheme, width)
				paper := looksWell(t, b, where).Paper
				if want := map[string]string{"light": "rgb(250, 251, 249)", "dark": "rgb(16, 23, 26)"}[scheme]; paper != want {
					t.Errorf("%s: paper is %s, want %s", where, paper, want)
				}
			}
		}
		b.media(t, "print", "dark")
		b.see(t, 794) // A4
		if paper := looksWell(t, b, url+", printed").Paper; paper != "rgb(255, 255, 255)" {
			t.Errorf("%s is printed on %s", url, paper)
		}
	}
	for _, path := range pagesOfEachKind(t, n) {
		visit(n.Base+path, http.StatusOK)
	}
	visit(empty.Base+"/", http.StatusOK)
	if faults := b.heard(); len(faults) > 0 {
		t.Errorf("the console says %q", faults)
	}
	visit(n.Base+"/tools/no-such-tool", http.StatusNotFound)
	visit(n.Base+"/compare?tools=cinderbell", http.StatusBadRequest)
	b.heard()
	// What the policy refuses is heard, or the silence above would mean nothing.
	ask[any](t, b, `document.body.setAttribute('style', 'color: red')`)
	if faults := strings.Join(b.heard(), " "); !strings.Contains(faults, "Content Security Policy") {
		t.Errorf("a style that came from no file makes the console say %q", faults)
	}
}

// pagesOfEachKind are at least one page of each template, and of those that
// vary most, one in each state.
func pagesOfEachKind(t *testing.T, n *process.Node) []string {
	t.Helper()
	paths := []string{
		"/", "/tools", "/tools?verdict=pending", "/compare", "/reviewers", "/rules", "/feeds", "/search?q=cinder", "/search?q=nothing+like+it",
		"/tools/cinderbell", "/tools/hullmark", "/tools/sondeline", "/tools/pulsewick", "/tools/cogmill", "/tools/sumisen", "/tools/tonguefold",
		"/tools/cogmill?at=40", "/reviewers/skeptic", "/reviewers/night-desk", "/categories/observability",
		"/compare?tools=cinderbell,nightloom,afterlamp,grainstore,sondeline", "/compare?tools=cinderbell,nightloom,afterlamp&quotes=1",
	}
	var matchups struct {
		Matchups []struct {
			Left, Right string
			Result      struct{ Kind string }
		}
	}
	decode(t, get(t, n.Base+"/api/v1/matchups"), &matchups)
	kinds := map[string]bool{}
	for _, m := range matchups.Matchups {
		if !kinds[m.Result.Kind] {
			kinds[m.Result.Kind] = true
			paths = append(paths, "/compare/"+m.Left+"-vs-"+m.Right)
		}
	}
	var events struct {
		Events []struct {
			Seq   uint64
			Event struct{ Type string }
		}
	}
	decode(t, get(t, n.Base+"/api/v1/events?limit=1000"), &events)
	types := map[string]bool{}
	for _, e := range events.Events {
		if !types[e.Event.Type] {
			types[e.Event.Type] = true
			paths = append(paths, fmt.Sprintf("/events/%d", e.Seq))
		}
	}
	if len(kinds) != 5 || len(types) < 12 {
		t.Fatalf("the example panel has results %v and events %v, want all", kinds, types)
	}
	return paths
}
