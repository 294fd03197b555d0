package projections_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/events"
	"shiplog/projections"
	kit "shiplog/projections/projectionstest"
)

// left is the directory of a model that another version has made: statements say
// in what it differs.
func left(t *testing.T, l *kit.Ledger, statements ...string) string {
	t.Helper()
	dir := t.TempDir()
	m := must[*projections.Model](t)(projections.Open(dir, projections.Options{}))
	if err := m.Apply(t.Context(), l.Events(t, 1, 20)); err != nil {
		t.Fatal(err)
	}
	db := must[*sql.DB](t)(sql.Open("sqlite", m.Path()))
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	for _, s := range append(statements, "PRAGMA user_version = 1") {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// nameOf is how a tool is called, and the position that was read.
func nameOf(t *testing.T, m *projections.Model, tool string) (string, uint64) {
	t.Helper()
	s := must[*projections.Snapshot](t)(m.At(t.Context(), 0))
	found, err := s.Tool(t.Context(), tool)
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return found.Name, s.Seq()
}

// TestOutdatedIsReadWhileItIsBuiltAnew opens what an earlier version has left. It
// is read until the new one is there, which nothing tells from one that was
// always of this version.
func TestOutdatedIsReadWhileItIsBuiltAnew(t *testing.T) {
	named := `UPDATE tool_versions SET name = 'as it was' WHERE name = 'Ferrule'`
	for _, tt := range []struct {
		name       string
		statements []string
		was        string // how the tool is called until then
	}{
		{"other contents", []string{named}, "as it was"},
		{"an index less", []string{named, `DROP INDEX reviews_items`}, "as it was"},
		{"another index of that name", []string{named, `DROP INDEX reviews_items`, `CREATE INDEX reviews_items ON reviews (tool)`}, "as it was"},
		{"a column less that has a default", []string{named, `ALTER TABLE rules DROP COLUMN changed`}, "as it was"},
		{"columns less that tell when feeds show another thing", []string{named, `ALTER TABLE tool_versions DROP COLUMN freed`, `ALTER TABLE reviewer_versions DROP COLUMN kinded`}, "as it was"},
		{"more of everything", []string{named, `CREATE TABLE more (a)`, `ALTER TABLE tools ADD COLUMN more TEXT`, `CREATE INDEX moreover ON tools (more)`}, "as it was"},
		{"a column less that has none", []string{named, `DROP INDEX changes_items`, `ALTER TABLE tallies DROP COLUMN abstains`}, ""},
		{"a table less", []string{named, `DROP TABLE totals`}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := panel(t)
			dir := left(t, l, tt.statements...)
			m := must[*projections.Model](t)(projections.Open(dir, projections.Options{}))
			if got := m.Outdated(); got != (tt.was != "") {
				t.Fatalf("outdated: %t", got)
			}
			if m.Outdated() {
				readsOld(t, m, tt.was)
			}
			o, hold := options(l), make(chan struct{})
			o.Follow = func(ctx context.Context, from uint64, fn func([]projections.Entry) error) error {
				select {
				case <-hold:
					return l.Follow(ctx, from, fn)
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			r := run(t, m, o)
			head := l.Append(kit.Review("thimble", "ann", events.Ship))
			waitUntil(t, r, func(s projections.Status) bool { return s.State == projections.StateCatchingUp })
			if tt.was != "" {
				readsOld(t, m, tt.was)
				if behind, _ := r.Lag(t.Context()); behind != 1 || r.Status().Err != nil {
					t.Errorf("it is %d behind: %+v", behind, r.Status())
				}
			}
			close(hold)
			waitFor(t, r, head)
			waitLive(t, r)
			if m.Outdated() {
				t.Error("still outdated")
			}
			if diff := cmp.Diff(text(t, kit.Model(t, l)), text(t, m)); diff != "" {
				t.Errorf("tables (-want +got):\n%s", diff)
			}
			waitFor(t, r, l.Append(kit.Review("thimble", "ben", events.Ship)))
			if files := must[[]string](t)(filepath.Glob(filepath.Join(dir, "panel-*.db"))); len(files) != 1 {
				t.Errorf("left behind: %v", files)
			}
		})
	}
}

func readsOld(t *testing.T, m *projections.Model, want string) {
	t.Helper()
	if name, seq := nameOf(t, m, "ferrule"); name != want || seq != 20 {
		t.Errorf("readers see %q at %d, want %q at 20", name, seq, want)
	}
	s := must[*projections.Snapshot](t)(m.At(t.Context(), 0))
	if _, err := s.LastChange(t.Context(), projections.ScopeAll, ""); err != nil {
		t.Error(err)
	}
	if _, err := s.RulesHistory(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestOutdatedStaysUntilThen stops while the new one is being built: the old one
// is what the next start finds. It also stays while an event cannot be applied.
func TestOutdatedStaysUntilThen(t *testing.T) {
	l := panel(t)
	dir := left(t, l, `UPDATE tool_versions SET name = 'as it was' WHERE name = 'Ferrule'`)
	bad := l.Append(kit.Review("nowhere", "ann", events.Ship)) // of a tool that is not there
	m := must[*projections.Model](t)(projections.Open(dir, projections.Options{}))
	o := options(l)
	r := projections.NewRunner(m, o)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	var met *projections.EventError
	if err := r.WaitLive(t.Context()); !errors.As(err, &met) || met.Seq != bad {
		t.Errorf("it stops with %v, want event %d", err, bad)
	}
	readsOld(t, m, "as it was")
	cancel()
	if err := errors.Join(<-ended, m.Close()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "panel-2.db"), []byte("half of it"), 0o600); err != nil {
		t.Fatal(err)
	}
	m = must[*projections.Model](t)(projections.Open(dir, projections.Options{}))
	readsOld(t, m, "as it was")
	again := run(t, m, o)
	l.Append(&events.EventSkipped{Seq: int64(bad), Reason: "of a version to come"})
	waitLive(t, again)
	if name, _ := nameOf(t, m, "ferrule"); name != "Ferrule" {
		t.Errorf("the tool is called %q", name)
	}
}

// TestOutdatedIsHeldToItsLedger finds another ledger under an outdated model.
func TestOutdatedIsHeldToItsLedger(t *testing.T) {
	dir := left(t, panel(t))
	other := kit.Given(t, kit.Seat("ann"))
	m := must[*projections.Model](t)(projections.Open(dir, projections.Options{}))
	r := run(t, m, options(other))
	var history *projections.HistoryError
	if err := waitStopped(t, r); !errors.As(err, &history) {
		t.Errorf("it stops with %v", err)
	}
	readsOld(t, m, "Ferrule")
}
