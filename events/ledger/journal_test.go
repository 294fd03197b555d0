package ledger

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func newJournal(t *testing.T, dir string) *journal {
	t.Helper()
	j, err := openJournal(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.close)
	return j
}

// joined are n messages that belong together.
func joined(n int) []Message {
	batch := make([]Message, n)
	for i := range batch {
		batch[i] = Message{Subject: fmt.Sprintf("shiplog.ledger.tool.%d", i), Data: fmt.Appendf(nil, "event %d", i), Joined: true}
	}
	return batch
}

// The last batch that was kept is what is read, also after larger ones.
func TestJournal(t *testing.T) {
	dir := t.TempDir()
	j := newJournal(t, dir)
	if head, batch, err := j.read(); head != 0 || batch != nil || err != nil {
		t.Fatalf("a new journal holds %d, %v, %v", head, batch, err)
	}
	rapid.Check(t, func(t *rapid.T) {
		head := rapid.Uint64().Draw(t, "head")
		want := joined(rapid.IntRange(1, 20).Draw(t, "messages"))
		for i := range want {
			want[i].Data = rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		}
		if err := j.keep(t.Context(), head, want); err != nil {
			t.Fatal(err)
		}
		gotHead, got, err := j.read()
		if err != nil || gotHead != head {
			t.Fatalf("head %d, want %d (%v)", gotHead, head, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// A journal that was cut off, or damaged anywhere, holds nothing: its batch was
// never begun.
func TestJournalThatIsTorn(t *testing.T) {
	dir := t.TempDir()
	if err := newJournal(t, dir).write(7, joined(3)); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, journalName))
	if err != nil {
		t.Fatal(err)
	}
	none := func(what string, b []byte) {
		t.Helper()
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, journalName), b, 0o600); err != nil {
			t.Fatal(err)
		}
		if head, batch, err := newJournal(t, dir).read(); batch != nil || err != nil {
			t.Errorf("%s: read %d messages after %d (%v)", what, len(batch), head, err)
		}
	}
	for i := range whole {
		none(fmt.Sprintf("cut at %d", i), whole[:i])
		torn := append([]byte(nil), whole...)
		torn[i] ^= 1
		none(fmt.Sprintf("byte %d", i), torn)
	}
	none("with what was there before behind it", append(append([]byte(nil), whole[:len(whole)-4]...), 1, 2, 3, 4, 5, 6))
}

// A disk that hangs is not called full: who sends again may find that it answers.
func TestAppendWhereTheDiskHangs(t *testing.T) {
	s, l := startStaged(t, t.TempDir())
	head, err := l.Append(t.Context(), 0, joined(1))
	if err != nil {
		t.Fatal(err)
	}
	s.journal.turn <- struct{}{} // as a write does that does not return
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := l.Append(ctx, head, joined(2)); !errors.Is(err, ErrHangs) || errors.Is(err, ErrFull) || errors.Is(err, ErrUnknown) {
		t.Errorf("got error %v, want %v alone", err, ErrHangs)
	}
	<-s.journal.turn
	if last, err := l.Append(t.Context(), head, joined(2)); err != nil || last != head+2 {
		t.Errorf("once it answers: event %d, want %d (%v)", last, head+2, err)
	}
}
