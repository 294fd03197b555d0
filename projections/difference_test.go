package projections_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"shiplog/projections"
)

// TestDifferences alters rows behind a model's back and compares it with one that
// was made anew.
func TestDifferences(t *testing.T) {
	l := panel(t)
	head := must[uint64](t)(l.Head(t.Context()))
	for _, tt := range []struct {
		name, spoil string
		different   uint64
		first       []string // what the first of them is told with
	}{
		{name: "none", spoil: `SELECT 1`},
		{
			"a text", `UPDATE tool_versions SET name = 'Awl' WHERE seq = (SELECT min(seq) FROM tool_versions)`, 1,
			[]string{`it has the row "tool_versions `, `"Awl`, `where the ledger makes "tool_versions `},
		},
		{
			"a row too many", `INSERT INTO passed VALUES (3)`, 1,
			[]string{`it has the row "passed 3" where the ledger makes none`},
		},
		{
			"a row too few", `DELETE FROM log WHERE seq = 2`, 1,
			[]string{`it has the row none where the ledger makes "log 2 `},
		},
		{
			"a key", `UPDATE log SET seq = 99 WHERE seq = 2`, 2,
			[]string{`it has the row "log 99 `, `where the ledger makes none`},
		},
		{
			"a null for a text", `UPDATE reviews SET more = '{}' WHERE seq = (SELECT min(seq) FROM reviews WHERE more IS NULL)`, 1,
			[]string{`it has the row "reviews `, ` NULL"`},
		},
		{"a whole table", `DELETE FROM tallies`, 9, []string{`it has the row none where the ledger makes "tallies 1 `}},
		{
			"several tables", `UPDATE stances SET until = 7; UPDATE scores SET seq = seq + 100`, 38,
			[]string{`it has the row "stances 1 1 `, ` 7 `},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			m := must[*projections.Model](t)(projections.Open(dir, projections.Options{}))
			if err := m.Apply(t.Context(), l.Events(t, 1, head)); err != nil {
				t.Fatal(err)
			}
			path := m.Path()
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
			db := must[*sql.DB](t)(sql.Open("sqlite", path))
			_, err := db.ExecContext(t.Context(), tt.spoil)
			if err := errors.Join(err, db.Close()); err != nil {
				t.Fatal(err)
			}
			m = must[*projections.Model](t)(projections.Open(dir, projections.Options{}))
			defer m.Close()
			fresh := model(t)
			if err := fresh.Apply(t.Context(), l.Events(t, 1, head)); err != nil {
				t.Fatal(err)
			}
			s := must[*projections.Snapshot](t)(m.At(t.Context(), 0))
			defer s.Close()
			found, err := s.Differences(t.Context(), fresh)
			if err != nil || found.Seq != head || found.Different != tt.different {
				t.Fatalf("%+v (%v), want %d that differ at %d", found, err, tt.different, head)
			}
			for _, says := range tt.first {
				if !strings.Contains(found.First, says) {
					t.Errorf("%s; want %s in it", found.First, says)
				}
			}
		})
	}
}

// TestDifferencesAreOfOneEvent compares models of different positions.
func TestDifferencesAreOfOneEvent(t *testing.T) {
	l := panel(t)
	head := must[uint64](t)(l.Head(t.Context()))
	m, fresh := model(t), model(t)
	if err := errors.Join(m.Apply(t.Context(), l.Events(t, 1, head)), fresh.Apply(t.Context(), l.Events(t, 1, head-1))); err != nil {
		t.Fatal(err)
	}
	s := must[*projections.Snapshot](t)(m.At(t.Context(), 0))
	defer s.Close()
	if _, err := s.Differences(t.Context(), fresh); err == nil || !strings.Contains(err.Error(), "with one at event") {
		t.Errorf("error %v, want that they are not of one event", err)
	}
}
