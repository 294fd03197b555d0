package projections_test

import (
	"bytes"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/events/logtest"
	"shiplog/projections"
	kit "shiplog/projections/projectionstest"
)

func TestOpenThrowsAwayWhatIsNoModel(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(path string) error
	}{
		{"not SQLite", func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("no "), 5000), 0o600) }},
		{"cut off", func(path string) error { return os.Truncate(path, 3*8192+100) }},
		{"empty", func(path string) error { return os.Truncate(path, 0) }},
		{"another version", func(path string) error { return overwrite(path, 60, []byte{0, 0, 0, 200}) }},
		{"missing", os.Remove},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir, l := t.TempDir(), panel(t)
			m := must[*projections.Model](t)(projections.Open(dir, projections.Options{}))
			if err := m.Apply(t.Context(), l.Events(t, 1, 20)); err != nil {
				t.Fatal(err)
			}
			path := m.Path()
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
			if err := test.spoil(path); err != nil {
				t.Fatal(err)
			}
			m = must[*projections.Model](t)(projections.Open(dir, projections.Options{}))
			r := run(t, m, options(l))
			waitFor(t, r, 20)
			if diff := cmp.Diff(text(t, kit.Model(t, l)), text(t, m)); diff != "" {
				t.Errorf("tables (-want +got):\n%s", diff)
			}
		})
	}
}

func overwrite(path string, at int64, with []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(with, at); err != nil {
		return err
	}
	return f.Close()
}

// damagedModel opens a model of the first events of a ledger that is damaged in a
// table. Opening reads the tops of others; what is damaged there is thrown away.
func damagedModel(t *testing.T, l *kit.Ledger, events uint64, table string) *projections.Model {
	t.Helper()
	dir := t.TempDir()
	m := must[*projections.Model](t)(projections.Open(dir, projections.Options{}))
	if err := m.Apply(t.Context(), l.Events(t, 1, events)); err != nil {
		t.Fatal(err)
	}
	path := m.Path()
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	db := must[*sql.DB](t)(sql.Open("sqlite", path))
	var page, size int64
	err := db.QueryRowContext(t.Context(), `SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = ?`, table).Scan(&page, &size)
	if err := errors.Join(err, db.Close(), overwrite(path, (page-1)*size, bytes.Repeat([]byte{0xa5}, int(size)))); err != nil {
		t.Fatal(err)
	}
	return must[*projections.Model](t)(projections.Open(dir, projections.Options{}))
}

// TestRunnerRebuildsWhatReadersFindDamaged has no event come that would meet the
// damage: a reader does, and is served by a new file.
func TestRunnerRebuildsWhatReadersFindDamaged(t *testing.T) {
	l := panel(t)
	m := damagedModel(t, l, 20, "tool_versions")
	log := new(logtest.Book)
	o := options(l)
	o.Log = slog.New(slog.NewTextHandler(log, nil))
	r := run(t, m, o)
	waitLive(t, r)
	old := m.Path()
	read := func() error {
		s, err := m.At(t.Context(), 0)
		if err != nil {
			return err
		}
		_, err = s.Tool(t.Context(), "thimble")
		return errors.Join(err, s.Close())
	}
	if err := read(); err == nil {
		t.Fatal("the damage does not show")
	}
	if err := m.Damage(); !errors.Is(err, projections.ErrDamaged) {
		t.Errorf("what the reader has met: %v", err)
	}
	waitUntil(t, r, func(projections.Status) bool { return m.Path() != old })
	waitLive(t, r)
	if err := errors.Join(read(), m.Damage()); err != nil {
		t.Errorf("after the rebuild: %v", err)
	}
	if !strings.Contains(log.String(), "the file of the read model is damaged, and is built anew: ") {
		t.Errorf("the log does not say why:\n%s", log.String())
	}
	if diff := cmp.Diff(text(t, kit.Model(t, l)), text(t, m)); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
}

func TestRunnerRebuildsADamagedFile(t *testing.T) {
	l := panel(t)
	m := damagedModel(t, l, 15, "log")
	old := m.Path()
	r := run(t, m, options(l))
	waitFor(t, r, 20)
	if m.Path() == old {
		t.Error("the damage was not met")
	}
	if diff := cmp.Diff(text(t, kit.Model(t, l)), text(t, m)); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
}

func TestOpenInAnyDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a?b#c %41 ö")
	m := must[*projections.Model](t)(projections.Open(dir, projections.Options{}))
	if err := m.Apply(t.Context(), panel(t).Events(t, 1, 20)); err != nil {
		t.Error(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "panel-1.db")); err != nil {
		t.Error(err)
	}
}

func TestApplyTakesBackAFailedBatch(t *testing.T) {
	l := panel(t)
	l.Append(kit.Review("nowhere", "ann", "ship"))
	m := must[*projections.Model](t)(projections.Open(t.TempDir(), projections.Options{}))
	if err := m.Apply(t.Context(), l.Events(t, 1, 9)); err != nil {
		t.Fatal(err)
	}
	var bad *projections.EventError
	if err := m.Apply(t.Context(), l.Events(t, 10, 21)); !errors.As(err, &bad) || bad.Seq != 21 {
		t.Fatalf("%v", err)
	}
	if seq, _ := m.Position(); seq != 9 {
		t.Errorf("position %d, want 9", seq)
	}
	if err := m.Apply(t.Context(), l.Events(t, 10, 20)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text(t, kit.ModelOf(t, l, 20)), text(t, m)); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

func TestOpenRemovesAnUnfinishedRebuild(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, "panel-2.db")
	if err := os.WriteFile(left, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := must[*projections.Model](t)(projections.Open(dir, projections.Options{}))
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("still there: %v", err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}
