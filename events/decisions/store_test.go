package decisions_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shiplog/events"
	"shiplog/events/decide"
	"shiplog/events/decide/decidetest"
	"shiplog/events/decisions"
)

func open(t rapid.TB, dir string) *decisions.Store {
	t.Helper()
	s, err := decisions.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closed(t rapid.TB, s *decisions.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestStoreDecidesAsMemoryDoes decides random submissions against a store,
// which is written a layer at a time and now and then closed, and against the
// same state in memory.
func TestStoreDecidesAsMemoryDoes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "decisions")
		if err != nil {
			rt.Fatal(err)
		}
		store := open(rt, dir)
		defer func() { closed(rt, store) }()
		memory, layer := decide.New(nil), decide.New(store)
		for range rapid.IntRange(0, 60).Draw(rt, "submissions") {
			sub := decidetest.Submission(rt, memory.Head().Seq)
			want, err := decide.Decide(memory, sub, decidetest.Now)
			if err != nil {
				rt.Fatal(err)
			}
			got, err := decide.Decide(layer, sub, decidetest.Now)
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(outcome(want), outcome(got)); diff != "" {
				rt.Fatalf("decision (-memory +store):\n%s", diff)
			}
			record(rt, memory, want, sub.Input)
			record(rt, layer, got, sub.Input)
			switch rapid.IntRange(0, 9).Draw(rt, "then") {
			case 0, 1, 2:
				commit(rt, store, layer)
				layer = decide.New(store)
			case 3:
				commit(rt, store, layer)
				closed(rt, store)
				store = open(rt, dir)
				layer = decide.New(store)
			}
		}
		compare(rt, memory, layer)
	})
}

func commit(t rapid.TB, s *decisions.Store, layer *decide.State) {
	t.Helper()
	if err := s.Commit(layer); err != nil {
		t.Fatal(err)
	}
	if s.Head() != layer.Head() || s.Rules() != layer.Rules() {
		t.Fatalf("the store speaks as of %+v, the layer of %+v", s.Head(), layer.Head())
	}
}

func record(t rapid.TB, layer *decide.State, d decide.Decision, input []byte) {
	t.Helper()
	if _, err := decidetest.Record(layer, d, input); err != nil {
		t.Fatal(err)
	}
}

// outcome is what can be compared of a decision: its events as they would be
// stored.
func outcome(d decide.Decision) any {
	list := make([]string, len(d.Events))
	for i, e := range d.Events {
		list[i] = string(e.AppendCanonical(nil))
	}
	return []any{d.Status, d.Problems, d.Recorded, d.Seq, d.Type, d.Main, list}
}

// compare reads everything that can be listed.
func compare(t rapid.TB, want, got decide.Base) {
	t.Helper()
	tools := func(b decide.Base) map[string]decide.Tool {
		all := map[string]decide.Tool{}
		err := b.Tools(func(slug string, tool decide.Tool) bool {
			if len(tool.Aliases) == 0 {
				tool.Aliases = nil
			}
			all[slug] = tool
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if diff := cmp.Diff(tools(want), tools(got)); diff != "" {
		t.Fatalf("tools (-memory +store):\n%s", diff)
	}
	for _, category := range []string{"x", "y", ""} {
		ranks := func(b decide.Base) (list []decide.Rank) {
			err := b.Ranks(category, func(r decide.Rank) bool {
				list = append(list, r)
				return true
			})
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		if diff := cmp.Diff(ranks(want), ranks(got)); diff != "" {
			t.Fatalf("queue of %q (-memory +store):\n%s", category, diff)
		}
	}
}

// TestOpenMakesDamagedAnew opens what is not a store of this version.
func TestOpenMakesDamagedAnew(t *testing.T) {
	filled := func(t *testing.T) string {
		dir := filepath.Join(t.TempDir(), "decisions")
		s := open(t, dir)
		layer := decide.New(s)
		record(t, layer, decide.Decision{Events: []*events.Event{{
			ID: "x", Source: "/test", Data: &events.ReviewerSeated{Reviewer: "p", Name: "P"},
		}}}, nil)
		commit(t, s, layer)
		closed(t, s)
		return dir
	}
	t.Run("whole", func(t *testing.T) {
		s := open(t, filled(t))
		defer closed(t, s)
		if _, known, err := s.Reviewer("p"); !known || err != nil || s.Head().Seq != 1 {
			t.Errorf("known: %v, head %+v, %v", known, s.Head(), err)
		}
	})
	t.Run("damaged inside", func(t *testing.T) {
		dir := filled(t)
		for _, table := range glob(t, dir) {
			raw, err := os.ReadFile(table)
			if err != nil {
				t.Fatal(err)
			}
			for i := range raw[:len(raw)/3] {
				raw[i] ^= 0x55
			}
			if err := os.WriteFile(table, raw, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		// It may be found at once, or by the first to read it.
		if s, err := decisions.Open(dir); err == nil {
			if _, known, err := s.Reviewer("p"); known && err == nil && s.Head().Seq != 0 {
				t.Error("damage was read as if it were whole")
			}
			closed(t, s)
		}
		s := open(t, dir)
		defer closed(t, s)
		if s.Head().Seq != 0 {
			t.Errorf("head %+v", s.Head())
		}
	})
	t.Run("in use", func(t *testing.T) {
		dir := filled(t)
		s := open(t, dir)
		defer closed(t, s)
		if second, err := decisions.Open(dir); err == nil {
			closed(t, second)
			t.Error("it was opened twice")
		}
		if _, known, err := s.Reviewer("p"); !known || err != nil {
			t.Errorf("known: %v, %v", known, err)
		}
	})
	t.Run("too short", func(t *testing.T) {
		dir := filled(t)
		for _, table := range glob(t, dir) {
			if err := os.WriteFile(table, []byte("this is no table, whatever its name says; it is far too short for one"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s := open(t, dir)
		defer closed(t, s)
		if s.Head().Seq != 0 {
			t.Errorf("head %+v", s.Head())
		}
	})
	t.Run("not writable", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(dir, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := decisions.Open(dir); err == nil {
			closed(t, s)
			t.Error("a file was opened as a store")
		}
	})
}

func glob(t *testing.T, dir string) []string {
	t.Helper()
	tables, err := filepath.Glob(filepath.Join(dir, "*", "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("no table to damage: %v", err)
	}
	return tables
}
