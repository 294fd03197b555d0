package projections_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

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

func TestRunnerRebuildsADamagedFile(t *testing.T) {
	dir, l := t.TempDir(), panel(t)
	m := must[*projections.Model](t)(projections.Open(dir, projections.Options{}))
	if err := m.Apply(t.Context(), l.Events(t, 1, 15)); err != nil {
		t.Fatal(err)
	}
	path := m.Path()
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	// All pages but the first two, which hold the list of tables and the
	// position.
	size := must[os.FileInfo](t)(os.Stat(path)).Size()
	if err := overwrite(path, 4*8192, bytes.Repeat([]byte{0xa5}, int(size)-4*8192)); err != nil {
		t.Fatal(err)
	}
	m = must[*projections.Model](t)(projections.Open(dir, projections.Options{}))
	r := run(t, m, options(l))
	waitFor(t, r, 20)
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
