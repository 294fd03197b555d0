package projectionstest

import (
	"testing"

	"shiplog/projections"
)

// Model is the read model of a whole ledger, closed when the test ends.
func Model(tb testing.TB, l *Ledger) *projections.Model {
	tb.Helper()
	head, _ := l.Head(tb.Context())
	return ModelOf(tb, l, head)
}

// ModelOf is the read model of the events up to one.
func ModelOf(tb testing.TB, l *Ledger, to uint64) *projections.Model {
	tb.Helper()
	m, err := projections.Open(tb.TempDir(), projections.Options{Readers: 64})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := m.Close(); err != nil {
			tb.Error(err)
		}
	})
	if err := m.Apply(tb.Context(), l.Events(tb, 1, to)); err != nil {
		tb.Fatal(err)
	}
	return m
}
