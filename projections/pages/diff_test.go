package pages_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/projections/pages"
)

func TestDiff(t *testing.T) {
	tests := []struct {
		name, before, after string
		want                []pages.DiffPart
	}{
		{"equal", "a b", "a b", nil},
		{"word changed", "a quick fox runs", "a slow fox runs", []pages.DiffPart{{"", "a "}, {"del", "quick "}, {"ins", "slow "}, {"", "fox runs"}}},
		{"added at the end", "a b c", "a b c d e", []pages.DiffPart{{"", "a b c "}, {"ins", "d e"}}},
		{"removed at the front", "x a b", "a b", []pages.DiffPart{{"del", "x "}, {"", "a b"}}},
		{"lines kept", "a\n\nb c", "a\n\nb d", []pages.DiffPart{{"", "a\n\nb "}, {"del", "c"}, {"ins", "d"}}},
		{"nothing in common", "a b c", "d e f", nil},
		{"too long", strings.Repeat("a ", 1001), strings.Repeat("a ", 1001) + "b", nil},
		{"from empty", "", "a", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, pages.Diff(tt.before, tt.after)); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
		})
	}
}
