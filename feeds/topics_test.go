package feeds_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"shiplog/events"
	"shiplog/feeds"
	"shiplog/projections"
	"shiplog/projections/projectionstest"
)

// everyStem are the feeds that a drawn history can have.
func everyStem() (stems []string) {
	for kind, slugs := range map[string][]string{
		"": {"matchups", "verdicts", "reviews"}, "tools/": {"a", "b", "c", "d", "e", "f", "one", "two"},
		"reviewers/": {"p", "q", "r"}, "categories/": {"x", "y"},
	} {
		for _, slug := range slugs {
			stems = append(stems, "/feeds/"+kind+slug)
		}
	}
	return stems
}

// documents are the feeds that there are, by their stems.
func documents(t *rapid.T, model *projections.Model) map[string]string {
	mux, all := handlerOf(t, model), map[string]string{}
	for _, stem := range everyStem() {
		all[stem] = read(mux, stem)
	}
	return all
}

// changedStems are the feeds that the model says changed after an event.
func changedStems(t *rapid.T, model *projections.Model, after uint64) (stems []string) {
	s, err := model.At(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	changed, err := s.ChangedFeeds(t.Context(), after)
	if err != nil {
		t.Fatal(err)
	}
	for kind, is := range map[feeds.Kind]bool{feeds.Matchups: changed.Matchups, feeds.Verdicts: changed.Verdicts, feeds.Reviews: changed.Reviews} {
		if is {
			stems = append(stems, "/feeds/"+string(kind))
		}
	}
	for folder, slugs := range map[string][]string{"tools/": changed.Tools, "reviewers/": changed.Reviewers, "categories/": changed.Categories} {
		for _, slug := range slugs {
			stems = append(stems, "/feeds/"+folder+slug)
		}
	}
	return stems
}

// TestNoChangedFeedIsMissed lets any events happen and looks at the feeds before and
// after the last of them, one or many: each that is another document then is one of
// those a hub is told of.
func TestNoChangedFeedIsMissed(t *testing.T) {
	l := projectionstest.Given(t, projectionstest.Quorum(2), projectionstest.Seat("p"), projectionstest.Seat("q"), projectionstest.Seat("r"))
	for _, slug := range []string{"a", "b", "c"} {
		l.Append(projectionstest.Tool(slug, "x"), projectionstest.Review(slug, "p", events.Ship), projectionstest.Review(slug, "q", events.Skip))
	}
	begun := l.Events(t, 1, l.Append(projectionstest.Match("a", "b"), projectionstest.Match("c", "a")))
	rapid.Check(t, func(t *rapid.T) {
		model, log := emptyModel(t), history(t, 10, begun...)
		last := rapid.IntRange(0, len(log)-len(begun)).Draw(t, "last")
		before, rest := log[:len(log)-last], log[len(log)-last:]
		if err := model.Apply(t.Context(), before); err != nil {
			t.Fatal(err)
		}
		had := documents(t, model)
		if err := model.Apply(t.Context(), rest); err != nil {
			t.Fatal(err)
		}
		told := changedStems(t, model, uint64(len(before)))
		for stem, has := range documents(t, model) {
			if has != had[stem] && !slices.Contains(told, stem) {
				t.Errorf("after event %d: %s changed, told are %v\nbefore: %s\nafter: %s", len(before), stem, told, had[stem], has)
			}
		}
	})
}
