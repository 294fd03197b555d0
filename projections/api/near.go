package api

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"shiplog/events"
	"shiplog/projections"
)

// near proposes what may have been meant by a slug that means nothing.
func (a *API) near(ctx context.Context, s *projections.Snapshot, slug string, names func(*projections.Found) []string) string {
	if len(slug) > events.MaxSlug {
		return ""
	}
	// A slip is more often at the end of a name than at its beginning.
	for _, q := range []string{slug, slug[:(len(slug)+1)/2]} {
		found, err := s.Search(ctx, strings.ToValidUTF8(q, ""), 3)
		if err != nil {
			return "" // the answer is right without it
		}
		if list := names(found); len(list) > 0 {
			return "did you mean " + strings.Join(list, " or ") + "? "
		}
	}
	return ""
}

func toolNames(f *projections.Found) []string {
	var list []string
	for i := range f.Tools {
		list = append(list, f.Tools[i].Slug)
	}
	return list
}

func reviewerNames(f *projections.Found) []string {
	var list []string
	for i := range f.Reviewers {
		list = append(list, f.Reviewers[i].Slug)
	}
	return list
}

// asOfText says that an answer speaks of the past.
func asOfText(s *projections.Snapshot) string {
	if s.Seq() == s.Newest() {
		return ""
	}
	return fmt.Sprintf(" as of event %d", s.Seq())
}

// quoted keeps an address short enough to be told.
func quoted(slug string) string {
	if len(slug) > events.MaxSlug {
		return fmt.Sprintf("%q…", strings.ToValidUTF8(slug[:events.MaxSlug], ""))
	}
	return strconv.Quote(slug)
}

func lower[S ~string](s S) string { return strings.ToLower(string(s)) }
