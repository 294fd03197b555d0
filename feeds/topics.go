package feeds

import (
	"context"

	"shiplog/projections"
)

// changedFeeds are the feeds that events after one changed, those of everything
// first.
func changedFeeds(ctx context.Context, s *projections.Snapshot, after uint64) (keys []Key, err error) {
	changed, err := s.ChangedFeeds(ctx, after)
	if err != nil {
		return nil, err
	}
	for _, wide := range []struct {
		kind Kind
		is   bool
	}{{Matchups, changed.Matchups}, {Verdicts, changed.Verdicts}, {Reviews, changed.Reviews}} {
		if wide.is {
			keys = append(keys, Key{Kind: wide.kind})
		}
	}
	for _, narrow := range []struct {
		kind  Kind
		slugs []string
	}{{Tool, changed.Tools}, {Reviewer, changed.Reviewers}, {Category, changed.Categories}} {
		for _, slug := range narrow.slugs {
			keys = append(keys, Key{Kind: narrow.kind, Slug: slug})
		}
	}
	return keys, nil
}
