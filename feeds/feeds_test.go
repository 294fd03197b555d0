package feeds_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shiplog/events"
	"shiplog/feeds"
	"shiplog/projections"
	"shiplog/projections/pages"
)

var update = flag.Bool("update", false, "write golden files")

const base = "https://reviews.example"

// golden compares with a file under testdata, or writes it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func moment(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return t
}

func newMint() feeds.Mint { return feeds.NewMint("reviews.example", moment("2026-03-01T09:00:00Z")) }

func newComposer() *feeds.Composer {
	return feeds.NewComposer(base+"/", newMint(), pages.NewMarkdown().Render)
}

func render(t testing.TB, f *feeds.Feed, format feeds.Format) []byte {
	t.Helper()
	body, err := feeds.Render(f, format)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// wideFeed is a feed of everything without items.
func wideFeed() *feeds.Feed {
	place := pages.ReviewsFeed()
	return &feeds.Feed{
		ID:          newMint().Feed(feeds.Reviews, ""),
		Title:       place.Title("Panel & Co"),
		Description: "Each review.",
		Home:        base + "/reviewers",
		Stem:        base + place.Path,
		Author:      feeds.Author{Name: "Panel & Co", URL: base + "/"},
		Updated:     moment("2026-03-01T09:00:00Z"),
	}
}

func stampAt(seq uint64, text string) projections.Stamp {
	return projections.Stamp{Seq: seq, Time: moment(text)}
}

func critic(slug, name string) projections.Critic {
	return projections.Critic{Ref: projections.Ref{Slug: slug, Name: name}, Kind: "ai"}
}

// newReview is a first review of smolvm by the Builder.
func newReview(body string) projections.Review {
	return projections.Review{
		Event:     stampAt(12, "2026-03-02T10:00:00.250Z"),
		Kind:      projections.ReviewSubmitted,
		Tool:      projections.Ref{Slug: "smolvm", Name: "smolvm"},
		Category:  "ai-agents",
		Reviewer:  critic("builder", "The Builder"),
		Verdict:   events.Ship,
		Counts:    true,
		Body:      body,
		Format:    events.FormatText,
		Publisher: "local",
		Revision:  1,
		Item:      12,
	}
}

func reviewItem(r projections.Review) projections.ReviewItem {
	return projections.ReviewItem{
		Seq: r.Item, Published: moment("2026-03-02T10:00:00Z"), Updated: r.Event.Time, Review: r,
	}
}
