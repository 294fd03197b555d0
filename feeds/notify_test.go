package feeds_test

import (
	"log/slog"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shiplog/events/logtest"
	"shiplog/feeds"
)

// hearsOf waits until the hub has heard of some feeds, among whatever else.
func (h *hub) hearsOf(paths ...string) {
	h.t.Helper()
	missing := map[string]bool{}
	for _, path := range paths {
		missing[path] = true
	}
	for len(missing) > 0 {
		delete(missing, h.hears(1)[0])
	}
}

// TestHubThatFailsOneFeed has a hub that never takes one document: it hears of all
// others meanwhile, of the other formats of that feed first, and of that one as long
// as it may be its own fault.
func TestHubThatFailsOneFeed(t *testing.T) {
	p := newPanel(t, story()...)
	h := newHub(t)
	var log logtest.Book
	h.answers(func(w http.ResponseWriter, topic string) {
		if topic == base+"/feeds/reviewers/poison.atom" {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	o := feeds.HeraldOptions{
		Bookmark: filepath.Join(t.TempDir(), "hub.json"), Log: slog.New(slog.NewTextHandler(&log, nil)),
		RetryMost: 100 * time.Millisecond, GiveUp: time.Second,
	}
	p.heard(h, o.Bookmark)
	_, stop := p.heraldOf(t, h, o)
	defer stop()
	p.ledger.Append(seat("poison", "The Poison", 4))
	want := inAllFormats("/feeds/reviewers/poison")
	if diff := cmp.Diff(want, h.hears(len(want))); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	h.hearsOf("/feeds/reviewers/poison.atom")
	p.ledger.Append(seat("sound", "The Sound", 5))
	h.hearsOf(inAllFormats("/feeds/reviewers/sound")...)
	h.hearsOf("/feeds/reviewers/poison.atom")
	waitToKeep(t, o.Bookmark, 16)
	if text := log.String(); !strings.Contains(text, "the hub is not told of a feed any more") || strings.Contains(text, "sound") {
		t.Errorf("logged: %s", text)
	}
}

// TestHubIsAskedAgain has a hub refuse what may be taken later, and what never will.
func TestHubIsAskedAgain(t *testing.T) {
	for status, again := range map[int]bool{
		301: true, 302: true, 303: true, 307: true, 401: true, 403: true, 404: true, 405: true, 408: true, 409: true, 410: true, 421: true,
		423: true, 425: true, 429: true, 500: true, 502: true, 503: true, 504: true,
		400: false, 413: false, 414: false, 422: false, 501: false,
	} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			p := newPanel(t, story()...)
			h := newHub(t)
			var log logtest.Book
			h.answers(func(w http.ResponseWriter, _ string) {
				if status < 307 {
					w.Header().Set("Location", "https://moved.example/")
				}
				w.WriteHeader(status)
			})
			o := feeds.HeraldOptions{Bookmark: filepath.Join(t.TempDir(), "hub.json"), Log: slog.New(slog.NewTextHandler(&log, nil))}
			p.heard(h, o.Bookmark)
			_, stop := p.heraldOf(t, h, o)
			defer stop()
			p.ledger.Append(seat("novice", "The Novice", 4))
			h.hears(3)
			if again {
				h.hears(6)
				h.answers(func(http.ResponseWriter, string) {})
			}
			waitToKeep(t, o.Bookmark, 15)
			if extra := len(h.topics); !again && extra > 0 {
				t.Errorf("told %d times more", extra)
			}
			text := log.String()
			if moved := strings.Contains(text, "give --websub-hub the address it has moved to, https://moved.example/"); moved != (status < 307) {
				t.Errorf("logged: %s", text)
			}
		})
	}
}

// TestHubThatIsDown counts what a hub that takes nothing is asked, with more feeds
// waiting than it would be asked of at once: the more it fails the less.
func TestHubThatIsDown(t *testing.T) {
	p := newPanel(t, story()...)
	h := newHub(t)
	h.answers(func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusBadGateway) })
	p.herald(t, h)
	p.ledger.Append(crowd(100, 130, "Fine.")...)
	h.hears(1)
	start := time.Now()
	h.hears(59)
	// At least 1, 2, 3 … 20 ms after the one before, and then 20.
	if took := time.Since(start); took < 900*time.Millisecond {
		t.Errorf("60 notices within %v", took)
	}
}
