package projectionstest

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/projections"
)

// Rows are the rows of a table of the model, in the order of its key, as
// [projections.Snapshot.Dump] writes them but without the table's name.
func Rows(tb testing.TB, m *projections.Model, table string) []string {
	tb.Helper()
	s, err := m.At(tb.Context(), 0)
	if err != nil {
		tb.Fatal(err)
	}
	var b bytes.Buffer
	if err := s.Dump(tb.Context(), &b); err != nil {
		tb.Error(err)
	}
	if err := s.Close(); err != nil {
		tb.Error(err)
	}
	var rows []string
	for line := range strings.Lines(b.String()) {
		if row, ok := strings.CutPrefix(line, table+" "); ok {
			rows = append(rows, strings.TrimSuffix(row, "\n"))
		}
	}
	return rows
}

// Then compares the rows of a table with what is wanted.
func Then(tb testing.TB, m *projections.Model, table string, want ...string) {
	tb.Helper()
	if diff := cmp.Diff(slices.Clip(want), Rows(tb, m, table)); diff != "" {
		tb.Errorf("rows of %s (-want +got):\n%s", table, diff)
	}
}
