package archive_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"shiplog/events/archive"
	"shiplog/events/intake/intaketest"
	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

// exported is a ledger of some hundred events as a file.
func exported(t *testing.T) []byte {
	t.Helper()
	in, l := intaketest.New(t)
	var batch [][]byte
	for i := range 1500 {
		id := fmt.Sprintf("r%d", i)
		batch = append(batch, intaketest.Review(id, fmt.Sprintf("tool-%d", i%40), fmt.Sprintf("reviewer-%d", i/40%5), []string{"ship", "skip"}[i%2], "Said in "+id))
	}
	intaketest.Accept(t, in, batch[:1000]...)
	intaketest.Accept(t, in, batch[1000:]...)
	return dump(t, l)
}

func dump(t *testing.T, l *ledger.Ledger) []byte {
	t.Helper()
	head, err := l.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := archive.NewWriter(&b, false)
	err = l.Read(t.Context(), 1, head, func(_ uint64, raw []byte) error { return w.Write(raw) })
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func load(ctx context.Context, l *ledger.Ledger, file []byte, progress func(uint64)) (archive.Imported, error) {
	r, err := archive.NewReader(bytes.NewReader(file))
	if err != nil {
		return archive.Imported{}, err
	}
	return archive.Import(ctx, l, r, progress)
}

func TestImportGivesTheSameLedger(t *testing.T) {
	file := exported(t)
	l := ledgertest.New(t)
	done, err := load(t.Context(), l, file, func(uint64) {})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(dump(t, l), file) {
		t.Error("the ledger holds something else than the file")
	}
	again, err := load(t.Context(), l, file, func(uint64) {})
	if err != nil || again.Had != done.Events || again.Leaf != done.Leaf || done.Had != 0 {
		t.Errorf("first %+v, again %+v: %v", done, again, err)
	}
	// Subjects come from the events, as the intake makes them.
	for _, subject := range []string{"shiplog.ledger.opened", "shiplog.ledger.tool.tool-7", "shiplog.ledger.review.tool-7.reviewer-2"} {
		consumer, err := l.Conn().JetStream()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := consumer.GetLastMsg(ledger.Stream, subject); err != nil {
			t.Errorf("%s: %v", subject, err)
		}
	}
}

// TestInterruptedImportGoesOn interrupts an import after each batch.
func TestInterruptedImportGoesOn(t *testing.T) {
	file := exported(t)
	l := ledgertest.New(t)
	for round := 0; ; round++ {
		ctx, cancel := context.WithCancel(t.Context())
		had, err := l.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		done, err := load(ctx, l, file, func(lines uint64) {
			if lines > had {
				cancel()
			}
		})
		cancel()
		if err == nil {
			if round < 1 || done.Had < 1000 || !bytes.Equal(dump(t, l), file) {
				t.Errorf("after %d rounds: %+v", round, done)
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}

func TestImportMeetsAnotherWriter(t *testing.T) {
	file := exported(t)
	l := ledgertest.New(t)
	intruded := false
	_, err := load(t.Context(), l, file, func(lines uint64) {
		if intruded || lines == 0 {
			return
		}
		intruded = true
		if _, err := l.Append(t.Context(), lines, []ledger.Message{{Subject: "shiplog.ledger.rules", Data: []byte("{}")}}); err != nil {
			t.Error(err)
		}
	})
	if !errors.Is(err, ledger.ErrWrongHead) {
		t.Errorf("error %v, want %v", err, ledger.ErrWrongHead)
	}
}
