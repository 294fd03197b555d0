package web_test

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"testing"
	"time"

	"shiplog/events"
	kit "shiplog/projections/projectionstest"
	"shiplog/projections/web"
)

// more is what the demo has too little of.
func more() []events.Payload {
	renamed := kit.Tool("cogmill", "build-and-release")
	renamed.Name = "Cogmill Two"
	reseated := kit.Seat("skeptic")
	reseated.Name = "The Doubter"
	reply := &events.ReplyPublished{Tool: "gantrel", Body: "We shall shorten the lease.", Author: "Gantrel"}
	merged := &events.ToolMerged{Tool: "hullmark", Into: "gantrel", Reason: "One and the same"}
	unmerged := &events.ToolUnmerged{Tool: "hullmark", Into: "gantrel"}
	retired := &events.ToolRetired{Tool: "tidegate", Reason: "Its maker closed shop"}
	unseated := &events.ReviewerUnseated{Reviewer: "creator", Reason: "On leave"}
	moved := kit.Tool("ballastry", "writing")
	return []events.Payload{
		renamed, reseated, reply, merged, kit.Quorum(2), retired, unseated, unmerged, moved, kit.Quorum(3),
		kit.Withdraw("gantrel", "builder"), kit.Match("gantrel", "leafbind"), kit.Seat("newcomer"),
		kit.Tool("latecomer", ""), kit.Review("latecomer", "newcomer", events.Ship), kit.Review("gantrel", "newcomer", events.Abstain),
	}
}

var (
	footer = regexp.MustCompile(`(?s)<h2>Last changed by event .*?</p>`)
	named  = regexp.MustCompile(`<h2>Last changed by event <a href="/events/(\d+)">`)
	// onHome is the front page's own line, at its top.
	onHome = regexp.MustCompile(`<p class="meta">Last changed on <time datetime="(\d{4}-\d\d-\d\d)">[^<]+</time> by event <a href="/events/(\d+)">#(\d+)</a></p>`)
)

// TestFooter plays a ledger event by event. Whenever the bytes of a page change,
// its footer names that event; and what the cache keeps is what would be drawn
// anew.
func TestFooter(t *testing.T) {
	l := demo(t)
	l.Append(more()...)
	head, _ := l.Head(t.Context())
	const from = 20
	o := web.Options{Model: kit.ModelOf(t, l, from), Pages: newPages(t)}
	s := serveWith(t, l, o)
	paths := []string{
		"/", "/tools", "/tools?category=build-and-release&verdict=ship", "/tools/gantrel", "/tools/leafbind", "/compare", "/compare/cogmill-vs-gantrel",
		"/compare?tools=leafbind,gantrel", "/compare?tools=cogmill,leafbind,ballastry&quotes=1", "/reviewers", "/reviewers/skeptic", "/reviewers/night-desk",
		"/categories/build-and-release", "/events/15", "/events/20", "/feeds", "/rules", "/search?q=leaf", "/search?q=skeptic",
	}
	before, needless := map[string]answer{}, map[string]int{}
	for seq := uint64(from); seq <= head; seq++ {
		if seq > from {
			if err := s.model.Apply(t.Context(), l.Events(t, seq, seq)); err != nil {
				t.Fatal(err)
			}
		}
		fresh := serveWith(t, l, o)
		for _, path := range paths {
			kept, drawn, was := s.get(path), fresh.get(path), before[path]
			before[path] = kept
			if kept.StatusCode != drawn.StatusCode || !bytes.Equal(kept.body, drawn.body) {
				t.Fatalf("%s after event %d (%s): the kept page is not what would be drawn", path, seq, l.Events(t, seq, seq)[0].Type())
			}
			if kept.StatusCode == http.StatusOK && kept.Header.Get("Shiplog-Seq") != fmt.Sprint(seq) {
				t.Errorf("%s after event %d: Shiplog-Seq is %s", path, seq, kept.Header.Get("Shiplog-Seq"))
			}
			if was.Response == nil || was.StatusCode != http.StatusOK || kept.StatusCode != http.StatusOK || bytes.Equal(was.body, kept.body) {
				continue
			}
			if m := named.FindSubmatch(kept.body); m == nil || string(m[1]) != fmt.Sprint(seq) {
				t.Errorf("%s was changed by event %d (%s), but its footer names %s", path, seq, l.Events(t, seq, seq)[0].Type(), m)
			}
			if path == "/" {
				checkHome(t, kept.body, l.Events(t, seq, seq)[0])
			}
			if bytes.Equal(footer.ReplaceAll(was.body, nil), footer.ReplaceAll(kept.body, nil)) {
				needless[path]++
			}
		}
		fresh.close()
	}
	for _, path := range paths {
		if before[path].StatusCode != http.StatusOK {
			t.Errorf("%s: ends with status %d", path, before[path].StatusCode)
		}
	}
	// Those whose every part has a date of its own stand still while others change.
	for _, path := range []string{"/rules", "/events/15", "/events/20", "/tools/gantrel", "/compare/cogmill-vs-gantrel", "/reviewers", "/reviewers/skeptic", "/categories/build-and-release"} {
		if needless[path] > 4 {
			t.Errorf("%s: %d of %d events changed its footer alone", path, needless[path], head-from)
		}
	}
}

// checkHome holds that the front page names the event that changed it where it
// begins, with the day it was recorded.
func checkHome(t *testing.T, body []byte, e *events.Event) {
	t.Helper()
	seq, day := fmt.Sprint(e.Seq), e.RecordedTime.UTC().Format(time.DateOnly)
	m := onHome.FindSubmatch(body)
	if m == nil || string(m[1]) != day || string(m[2]) != seq || string(m[3]) != seq {
		t.Errorf("/ was changed by event %s of %s, but its top says %q", seq, day, m)
	}
}
