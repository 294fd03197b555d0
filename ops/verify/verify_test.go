package verify_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"shiplog/events"
	"shiplog/events/audit"
	"shiplog/events/decide"
	"shiplog/events/decisions"
	"shiplog/events/intake"
	"shiplog/events/intake/intaketest"
	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
	"shiplog/ops/verify"
	"shiplog/projections"
)

func TestMain(m *testing.M) { ledgertest.Main(m) }

// A node is what a node keeps in its directory, all at one position.
type node struct {
	dir       string
	server    *ledger.Server
	ledger    *ledger.Ledger
	model     *projections.Model
	decisions *decisions.Store
	done      []func() error
}

// openNode opens what is in dir. It is closed when the test ends at the latest.
func openNode(t testing.TB, dir string) *node {
	t.Helper()
	n := &node{dir: dir}
	var err error
	if n.server, err = ledger.StartServer(ledger.ServerOptions{Dir: filepath.Join(dir, "nats")}); err != nil {
		t.Fatal(err)
	}
	n.done = append(n.done, func() error { return n.server.Close(context.Background()) })
	t.Cleanup(func() { n.close(t) })
	conn, err := n.server.Connect(ledger.ConnectOptions{Name: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	n.done = append(n.done, func() error { conn.Close(); return nil })
	n.ledger = ledgertest.Open(t, conn)
	if n.model, err = projections.Open(filepath.Join(dir, "panel"), projections.Options{}); err != nil {
		t.Fatal(err)
	}
	n.done = append(n.done, n.model.Close)
	if n.decisions, err = decisions.Open(filepath.Join(dir, "decisions")); err != nil {
		t.Fatal(err)
	}
	n.done = append(n.done, n.decisions.Close)
	return n
}

func (n *node) close(t testing.TB) {
	t.Helper()
	for _, done := range slices.Backward(n.done) {
		if err := done(); err != nil {
			t.Error(err)
		}
	}
	n.done = nil
}

// fill records some reviews and brings model and decision state up to a
// sequence.
func (n *node) fill(t *testing.T, reviews int) {
	t.Helper()
	in, stop := intaketest.Start(t, n.ledger, filepath.Join(t.TempDir(), "decisions"), intake.Options{})
	var batch [][]byte
	for i := range reviews {
		id := fmt.Sprintf("r%d", i)
		batch = append(batch, intaketest.Review(id, fmt.Sprintf("tool-%d", i%7), fmt.Sprintf("reviewer-%d", i/7%5), []string{"ship", "skip", "abstain"}[i%3], "Said in "+id))
	}
	intaketest.Accept(t, in, batch...)
	stop()
	n.apply(t, n.head(t), func(e *events.Event) *events.Event { return e })
}

func (n *node) head(t *testing.T) uint64 {
	t.Helper()
	head, err := n.ledger.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return head
}

// apply folds what the ledger has up to a sequence, bent as told.
func (n *node) apply(t testing.TB, to uint64, bend func(*events.Event) *events.Event) {
	t.Helper()
	from, _ := n.model.Position()
	err := audit.Scan(t.Context(), n.ledger.Read, from+1, to, func(list []audit.Decoded) error {
		layer, batch := decide.New(n.decisions), make([]*events.Event, len(list))
		for i, d := range list {
			batch[i] = bend(d.Event)
			if err := layer.Evolve(batch[i]); err != nil {
				return err
			}
		}
		return errors.Join(n.decisions.Commit(layer), n.model.Apply(t.Context(), batch))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (n *node) options() verify.Options {
	return verify.Options{Ledger: n.ledger, Model: n.model, Decisions: n.decisions, Dir: filepath.Join(n.dir, "verify")}
}

func TestWhole(t *testing.T) {
	n := openNode(t, t.TempDir())
	if _, err := verify.Run(t.Context(), n.options()); !errors.Is(err, verify.ErrEmpty) {
		t.Errorf("error %v, want %v", err, verify.ErrEmpty)
	}
	n.fill(t, 300)
	head := n.head(t)
	doing := map[string]bool{}
	o := n.options()
	o.Progress = func(p verify.Progress) { doing[p.Doing] = true }
	r, err := verify.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Head != head || r.Events != head || r.Model != head || r.Decided != head || r.Ledger != intaketest.LedgerID || r.Took <= 0 {
		t.Errorf("report %+v, head %d", r, head)
	}
	if _, leaf := n.model.Position(); r.Leaf != leaf.String() {
		t.Errorf("leaf %s, want %s", r.Leaf, leaf)
	}
	if !doing["checking the chain"] || !doing["folding the events anew"] {
		t.Errorf("told of %v", doing)
	}
	if _, err := os.Stat(o.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s was left behind", o.Dir)
	}
}

// TestBehind compares a model that has not come as far as the ledger.
func TestBehind(t *testing.T) {
	n := openNode(t, t.TempDir())
	n.fill(t, 20)
	was := n.head(t)
	in, stop := intaketest.Start(t, n.ledger, filepath.Join(t.TempDir(), "decisions"), intake.Options{})
	intaketest.Accept(t, in, intaketest.Review("later", "tool-1", "reviewer-9", "ship", "Later"))
	stop()
	r, err := verify.Run(t.Context(), n.options())
	if err != nil || r.Model != was || r.Decided != was || r.Head <= was {
		t.Errorf("report %+v (%v), want it compared at %d", r, err, was)
	}
}

func TestDifferences(t *testing.T) {
	other := func(e *events.Event) *events.Event {
		if review, ok := e.Data.(*events.ReviewSubmitted); ok && review.Tool == "tool-3" && review.Reviewer == "reviewer-0" {
			bent, said := *e, *review
			said.Verdict = "ship"
			bent.Data = &said
			return &bent
		}
		return e
	}
	for _, tt := range []struct {
		name  string
		leave func(*verify.Options)
		want  string
	}{
		{"read model", func(o *verify.Options) { o.Decisions = nil }, "the read model is wrong as of event "},
		{"decision state", func(o *verify.Options) { o.Model = nil }, "the decision state is wrong as of event "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := openNode(t, t.TempDir())
			in, stop := intaketest.Start(t, n.ledger, filepath.Join(t.TempDir(), "decisions"), intake.Options{})
			for i := range 5 {
				intaketest.Accept(t, in, intaketest.Review(fmt.Sprint(i), fmt.Sprintf("tool-%d", i), "reviewer-0", "skip", "No."))
			}
			stop()
			n.apply(t, n.head(t), other)
			o := n.options()
			tt.leave(&o)
			_, err := verify.Run(t.Context(), o)
			difference, ok := errors.AsType[*verify.Difference](err)
			if !ok || difference.Seq != n.head(t) || !strings.HasPrefix(err.Error(), tt.want) {
				t.Fatalf("error %v, want %s%d", err, tt.want, n.head(t))
			}
			if tt.name == "decision state" && !strings.Contains(err.Error(), "the review of tool-3 by reviewer-0 is not what the ledger makes of it") {
				t.Errorf("it does not say what: %v", err)
			}
		})
	}
}

// TestRowByHand changes a row behind the model's back.
func TestRowByHand(t *testing.T) {
	dir := t.TempDir()
	n := openNode(t, dir)
	n.fill(t, 60)
	path := n.model.Path()
	n.close(t)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), `UPDATE reviewer_versions SET name = 'Somebody else' WHERE rowid = (SELECT min(rowid) FROM reviewer_versions)`)
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	n = openNode(t, dir)
	_, err = verify.Run(t.Context(), n.options())
	if _, ok := errors.AsType[*verify.Difference](err); !ok || !strings.Contains(err.Error(), "Somebody else") {
		t.Errorf("error %v, want the row that was changed", err)
	}
}

// TestLedgerBehind has a ledger that ends before what was made from it, as an
// old backup would.
// A block of the decision state that cannot be read is a difference, told in a line.
func TestDamagedDecisionState(t *testing.T) {
	dir := t.TempDir()
	n := openNode(t, dir)
	n.fill(t, 500)
	n.close(t)
	tables, err := filepath.Glob(filepath.Join(dir, "decisions", "*", "*.sst"))
	if err != nil || len(tables) != 1 {
		t.Fatalf("tables %v, %v", tables, err)
	}
	raw, err := os.ReadFile(tables[0])
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)/2] ^= 1 // in none of the blocks that are read when it is opened
	if err := os.WriteFile(tables[0], raw, 0o600); err != nil {
		t.Fatal(err)
	}
	n = openNode(t, dir)
	_, err = verify.Run(t.Context(), n.options())
	var d *verify.Difference
	if !errors.As(err, &d) || d.What != "decision state" || d.Seq != n.head(t) {
		t.Fatalf("got error %v, want a difference of the decision state", err)
	}
	if text := d.Error(); strings.Contains(text, "\n") || !strings.Contains(text, "checksum mismatch") || !strings.Contains(text, "shiplog rebuild") {
		t.Errorf("it says %q", text)
	}
}

func TestLedgerBehind(t *testing.T) {
	ahead := openNode(t, t.TempDir())
	ahead.fill(t, 40)
	n := openNode(t, t.TempDir())
	var batch []ledger.Message
	err := ahead.ledger.Read(t.Context(), 1, 30, func(seq uint64, raw []byte) error {
		e, err := events.Decode(seq, raw)
		batch = append(batch, ledger.Message{Subject: e.LedgerSubject(), Data: raw})
		return err
	})
	if err == nil {
		_, err = n.ledger.Append(t.Context(), 0, batch)
	}
	if err != nil {
		t.Fatal(err)
	}
	o := n.options()
	o.Model, o.Decisions = ahead.model, ahead.decisions
	_, err = verify.Run(t.Context(), o)
	if fault, ok := errors.AsType[*audit.Fault](err); !ok || fault.Seq != 31 || !fault.Missing {
		t.Errorf("error %v, want event 31 to be missing", err)
	}
}

// TestFlippedByte flips a byte of a block file while the node is stopped, in an
// event near the beginning, in the middle and at the end.
func TestFlippedByte(t *testing.T) {
	for _, body := range []string{"Said in r3\"", "Said in r150\"", "Said in r299\""} {
		t.Run(body[:len(body)-1], func(t *testing.T) {
			dir := t.TempDir()
			n := openNode(t, dir)
			n.fill(t, 300)
			seq := sequenceOf(t, n, body)
			n.close(t)
			flip(t, dir, body)
			n = openNode(t, dir)
			_, err := verify.Run(t.Context(), n.options())
			fault, ok := errors.AsType[*audit.Fault](err)
			if !ok || fault.Seq > seq || fault.Seq == 0 {
				t.Fatalf("error %v, want a fault at event %d or, of what JetStream drops with it, before", err, seq)
			}
			t.Logf("event %d: %v", seq, fault)
		})
	}
}

func sequenceOf(t *testing.T, n *node, body string) (found uint64) {
	t.Helper()
	err := n.ledger.Read(t.Context(), 1, n.head(t), func(seq uint64, raw []byte) error {
		if bytes.Contains(raw, []byte(body)) {
			found = seq
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Fatalf("no event says %s: %v", body, err)
	}
	return found
}

// flip changes one byte of the text in whatever block has it.
func flip(t *testing.T, dir, body string) {
	t.Helper()
	blocks, err := filepath.Glob(filepath.Join(dir, "nats", "jetstream", "*", "streams", ledger.Stream, "msgs", "*.blk"))
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range blocks {
		raw, err := os.ReadFile(block)
		if err != nil {
			t.Fatal(err)
		}
		if at := bytes.Index(raw, []byte(body)); at >= 0 {
			raw[at] ^= 0x20
			if err := os.WriteFile(block, raw, 0o600); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("no block of %d has %s", len(blocks), body)
}

// TestLive verifies while events are recorded and applied.
func TestLive(t *testing.T) {
	n := openNode(t, t.TempDir())
	n.fill(t, 50)
	in, stop := intaketest.Start(t, n.ledger, filepath.Join(t.TempDir(), "decisions"), intake.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	written := make(chan struct{})
	go func() {
		defer close(written)
		for i := 0; ctx.Err() == nil; i++ {
			intaketest.Accept(t, in, intaketest.Review(fmt.Sprintf("live-%d", i), fmt.Sprintf("tool-%d", i%9), "reviewer-live", "ship", fmt.Sprint("Take ", i)))
			n.apply(t, n.head(t), func(e *events.Event) *events.Event { return e })
		}
	}()
	before := uint64(0)
	for range 5 {
		r, err := verify.Run(t.Context(), n.options())
		if err != nil {
			t.Error(err)
		}
		if r.Model < before {
			t.Errorf("compared at %d after %d", r.Model, before)
		}
		before = r.Model
	}
	cancel()
	<-written
	stop()
}

// TestCancelled ends with its context, and soon.
func TestCancelled(t *testing.T) {
	n := openNode(t, t.TempDir())
	n.fill(t, 100)
	for _, at := range []string{"checking the chain", "folding the events anew", "comparing"} {
		ctx, cancel := context.WithCancel(t.Context())
		o := n.options()
		o.Progress = func(p verify.Progress) {
			if p.Doing == at {
				cancel()
			}
		}
		start := time.Now()
		_, err := verify.Run(ctx, o)
		cancel()
		if !errors.Is(err, context.Canceled) || time.Since(start) > 10*time.Second {
			t.Errorf("%s: %v after %s", at, err, time.Since(start))
		}
	}
}
