package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"shiplog/events"
	kit "shiplog/projections/projectionstest"
)

// hostile is what publishers may send to get out of the place given to them.
func hostile() []string {
	return []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</title></head><h1>`, `' onmouseover='alert(1)`,
		`{{.Site}} {{template "x"}}`, `javascript:alert(1)`, "محراب \u202eevil\u202c", strings.Repeat("W", 200), `&lt;b&gt; &amp;`, "a\nb\tc\r\n\r\nd", `墨線`, `%s %d \x00 \n`,
	}
}

// TestHostile holds that nothing a publisher writes becomes markup on any page.
func TestHostile(t *testing.T) {
	var payloads []events.Payload
	seats := []string{"ann", "ben", "cid"}
	for i, text := range hostile() {
		slug := "tool-" + string(rune('a'+i))
		tool := &events.ToolRegistered{Tool: slug, Name: text, Category: "hostile", Tagline: text, Description: text, Homepage: "https://x.example/?a=%3Cb%3E&c='d'", Pricing: "paid", PricingNote: text}
		payloads = append(payloads, tool)
		for k, reviewer := range seats {
			if i == 0 {
				payloads = append(payloads, &events.ReviewerSeated{Reviewer: reviewer, Name: hostile()[k], Motto: text, Lens: text})
			}
			review := kit.Review(slug, reviewer, []events.Verdict{events.Ship, events.Skip, events.Abstain}[(i+k)%3])
			review.Body, review.Condition, review.Disclosure, review.Reason = text, text, text, text
			review.Pros, review.Cons, review.Evidence = []string{text}, []string{text}, []string{"https://x.example/?a=1&b='", "http://y.example/'"}
			if k == 1 {
				review.Format = events.FormatMarkdown
				review.Body = text + "\n\n[x](javascript:alert(1)) <b onclick=x>raw</b> ![i](https://x.example/i.png)"
			}
			payloads = append(payloads, review)
		}
		payloads = append(payloads, &events.ReplyPublished{Tool: slug, Body: text, Author: text})
		if i > 0 {
			payloads = append(payloads, kit.Match("tool-"+string(rune('a'+i-1)), slug))
		}
	}
	l := kit.Given(t)
	l.Publisher = `<i>pub</i>`
	l.Source = `/"><script>`
	l.Append(kit.Quorum(2))
	l.Append(payloads...)
	s := serve(t, l)
	paths := []string{"/", "/tools", "/compare", "/reviewers", "/reviewers/ann", "/feeds", "/rules", "/categories/hostile", "/compare?tools=tool-a,tool-b,tool-c&quotes=1", "/search?q=" + "script", "/search?q=%3Cscript%3E"}
	for i := range hostile() {
		slug := "tool-" + string(rune('a'+i))
		paths = append(paths, "/tools/"+slug)
		if i > 0 {
			paths = append(paths, "/compare/tool-"+string(rune('a'+i-1))+"-vs-"+slug)
		}
	}
	for seq := range payloads {
		paths = append(paths, "/events/"+strconv.Itoa(seq+1))
	}
	for _, path := range paths {
		a := s.page(path)
		checkHTML(t, path, a.body)
		checkInert(t, path, a.body)
	}
	for i, text := range hostile() {
		a := s.page("/tools/tool-" + string(rune('a'+i)))
		if !strings.Contains(strings.Join(quotes(t, a.body), "\x00"), text) {
			t.Errorf("no quote is exactly %q", text)
		}
	}
}

// checkInert holds that a page runs nothing and links to nothing that runs.
func checkInert(t *testing.T, path string, body []byte) {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (n.Data == "script" || n.Data == "img" || n.Data == "iframe") {
			t.Errorf("%s: holds a %s element", path, n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key != "content" && strings.HasPrefix(strings.ToLower(a.Val), "javascript:") {
				t.Errorf("%s: %s has %s=%q", path, n.Data, a.Key, a.Val)
			}
		}
	}
}

// quotes are the texts of a page's quotes.
func quotes(t *testing.T, body []byte) []string {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for n := range root.Descendants() {
		if n.Data != "blockquote" || attr(n, "class") == "md" {
			continue
		}
		var b strings.Builder
		for d := range n.Descendants() {
			if d.Type == html.TextNode {
				b.WriteString(d.Data)
			}
		}
		out = append(out, b.String())
	}
	return out
}

// TestVerbatim holds that the quotes of a comparison are the reviews, in
// scorecard order, character by character.
func TestVerbatim(t *testing.T) {
	s := serve(t, knots(t))
	got := quotes(t, s.page("/compare/ferrule-vs-grommet").body)
	want := []string{
		"Ann on Ferrule: ship", "Ann on Grommet: skip", "Ben on Ferrule: ship", "Ben on Grommet: ship", "Cid on Ferrule: skip", "Cid on Grommet: skip",
	}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("quotes are %q, want %q", got, want)
	}
}

// TestLedgerAway has a ledger that cannot be read: pages of events wait for it,
// the others do not need it.
func TestLedgerAway(t *testing.T) {
	s := serve(t, knots(t))
	s.read = func(context.Context, uint64) ([]byte, error) { return nil, errors.New("no answer") }
	if a := s.get("/events/9"); a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
		t.Errorf("an event: got status %d", a.StatusCode)
	}
	s.page("/tools/ferrule")
	s.read = s.ledger.Get
	s.page("/events/9")
}

// TestSkipped shows an event that this version cannot read, and that the ledger
// says to pass over.
func TestSkipped(t *testing.T) {
	l := knots(t)
	s := serve(t, l)
	raw, err := l.Get(t.Context(), 19)
	if err != nil {
		t.Fatal(err)
	}
	strange := bytes.Replace(raw, []byte("shiplog.tool.retired.v1"), []byte("shiplog.tool.retired.v9"), 1)
	strange = bytes.Replace(strange, []byte(`"prevleaf":"`+prevLeaf(t, raw)), []byte(`"prevleaf":"`+l.Leaf().String()), 1)
	e, err := events.Decode(20, strange)
	if !errors.Is(err, events.ErrUnknownType) {
		t.Fatal(err)
	}
	l.AppendRaw(strange, e.Leaf)
	l.Append(&events.EventSkipped{Seq: 20, Reason: "From a newer version"})
	if err := s.model.Apply(t.Context(), append([]*events.Event{e}, l.Events(t, 21, 21)...)); err != nil {
		t.Fatal(err)
	}
	a := s.page("/events/20")
	for _, want := range []string{"Skipped by event", "From a newer version", "An event of type shiplog.tool.retired.v9", `Last changed by event <a href="/events/21">`} {
		if !strings.Contains(string(a.body), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if a := s.page("/events/21"); !strings.Contains(string(a.body), "An operator had event") {
		t.Error("the skip is not told")
	}
}

func prevLeaf(t *testing.T, raw []byte) string {
	t.Helper()
	var e struct{ PrevLeaf string }
	if err := json.Unmarshal(raw, &e); err != nil {
		t.Fatal(err)
	}
	return e.PrevLeaf
}

// TestRebuild holds that pages kept from one database are not served once
// another has taken its place.
func TestRebuild(t *testing.T) {
	l := knots(t)
	s := serve(t, l)
	if a := s.get("/tools/washer"); a.StatusCode != http.StatusMovedPermanently {
		t.Fatalf("a duplicate: got status %d", a.StatusCode)
	}
	if a := s.page("/tools/ferrule"); !strings.Contains(string(a.body), "Merged from") {
		t.Fatal("the page does not name its duplicate")
	}
	fresh, err := s.model.Fresh()
	if err != nil {
		t.Fatal(err)
	}
	list := l.Events(t, 1, 19)
	if _, ok := list[17].Data.(*events.ToolMerged); !ok {
		t.Fatalf("event 18 is %s", list[17].Type())
	}
	list[17].Data = nil // passed over in the new one
	if err := fresh.Apply(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	if err := fresh.Switch(); err != nil {
		t.Fatal(err)
	}
	if a := s.page("/tools/ferrule"); strings.Contains(string(a.body), "Merged from") {
		t.Error("the page is that of the old database")
	}
	s.page("/tools/washer")
}
