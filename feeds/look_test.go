package feeds_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shiplog/events/logtest"
	"shiplog/feeds"
)

// TestDateTellsNothingOfAnotherLook serves feeds under another title, address, hub or
// icon, or by another version, and starts each twice: none of that is an event, which
// a date is of. Who polls with nothing but a date is sent the feed until an event
// changes it.
func TestDateTellsNothingOfAnotherLook(t *testing.T) {
	const path = "/feeds/tools/smolvm.atom"
	for name, change := range map[string]func(*feeds.Options){
		"title": func(o *feeds.Options) { o.Site.Title = "The Board" }, "address": func(o *feeds.Options) { o.Site.BaseURL = "https://else.example" },
		"hub": func(o *feeds.Options) { o.Hub = "https://hub.example/" }, "icon": func(o *feeds.Options) { o.Icon = "/favicon.ico" },
		"version": func(o *feeds.Options) { o.Version = "2" },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPanel(t, story()...)
			o := feeds.Options{Look: filepath.Join(t.TempDir(), "feeds.json"), Version: "1"}
			start := func(now string) answer {
				p.now = moment(now)
				p.serve(o)
				p.now = moment("2030-01-01T00:00:00Z")
				return p.ok(path)
			}
			start("2026-03-02T08:59:59Z") // before there was anything
			first := start("2026-03-02T09:00:15Z")
			modified := first.header.Get("Last-Modified")
			start("2026-03-02T09:00:16Z") // as it was
			if a := p.get(path, "If-Modified-Since", modified); a.status != http.StatusNotModified {
				t.Errorf("%d after a restart", a.status)
			}
			change(&o)
			for _, now := range []string{"2026-03-02T09:00:17Z", "2026-03-02T09:01:00Z"} {
				if start(now); p.get(path, "If-Modified-Since", modified).status != http.StatusOK {
					t.Errorf("304 to a copy of before the change, started at %s", now)
				}
				a := p.ok(path)
				if a.header.Get("Last-Modified") != modified || name != "version" && a.body == first.body {
					t.Errorf("changed at %s, which was %s; the same bytes: %v", a.header.Get("Last-Modified"), modified, a.body == first.body)
				}
				if a := p.get(path, "If-None-Match", a.header.Get("Etag")); a.status != http.StatusNotModified {
					t.Errorf("%d with the ETag", a.status)
				}
			}
			for seq := uint64(8); seq < 20; { // which is recorded at 09:00:19
				seq = p.record(revise("smolvm", "builder", "ship", fmt.Sprint("After event ", seq), 2, seq))
			}
			modified = p.ok(path).header.Get("Last-Modified")
			if a := p.get(path, "If-Modified-Since", modified); a.status != http.StatusNotModified {
				t.Errorf("%d to a copy of %s, after the change", a.status, modified)
			}
		})
	}
}

// TestDateOfTheFirstSecond starts a node for the first time within the second of what
// is recorded then.
func TestDateOfTheFirstSecond(t *testing.T) {
	p := newPanel(t, story()...)
	p.now = moment("2026-03-02T09:00:13.400Z")
	p.serve(feeds.Options{Look: filepath.Join(t.TempDir(), "feeds.json")})
	p.now = moment("2026-03-02T09:00:14Z")
	modified := p.ok("/feeds/matchups.atom").header.Get("Last-Modified")
	if a := p.get("/feeds/matchups.atom", "If-Modified-Since", modified); modified == "" || a.status != http.StatusNotModified {
		t.Errorf("%d to who has the copy of %q", a.status, modified)
	}
}

// TestDeletedLook deletes the file that keeps how feeds looked, and has them look
// otherwise from then on, which nothing tells any more.
func TestDeletedLook(t *testing.T) {
	const path = "/feeds/matchups.atom"
	p := newPanel(t, story()...)
	o := feeds.Options{Look: filepath.Join(t.TempDir(), "feeds.json")}
	p.serve(o)
	modified := p.ok(path).header.Get("Last-Modified")
	if err := os.Remove(o.Look); err != nil {
		t.Fatal(err)
	}
	o.Site.Title = "The Board"
	for range 2 {
		p.serve(o)
		if a := p.get(path, "If-Modified-Since", modified); a.status != http.StatusOK {
			t.Errorf("%d to a copy with another title", a.status)
		}
	}
}

// TestUnreadableLook spoils the file that keeps how feeds looked.
func TestUnreadableLook(t *testing.T) {
	p := newPanel(t, story()...)
	var log logtest.Book
	o := feeds.Options{Look: filepath.Join(t.TempDir(), "feeds.json"), Log: slog.New(slog.NewTextHandler(&log, nil))}
	spoil(t, o.Look, "{")
	p.serve(o)
	modified := p.ok("/feeds/matchups.atom").header.Get("Last-Modified")
	if a := p.get("/feeds/matchups.atom", "If-Modified-Since", modified); a.status != http.StatusOK {
		t.Errorf("%d to a copy of %s, which may be another", a.status, modified)
	}
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "since when feeds look as they do is not known") {
		t.Errorf("logged: %s", text)
	}
	p.serve(o)
	if text := log.String(); strings.Count(text, "\n") != 1 {
		t.Errorf("logged at the next start, too: %s", text)
	}
}
