package intake_test

import (
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"shiplog/events/decisions"
	"shiplog/events/intake"
	"shiplog/events/intake/intaketest"
	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

// A cutOff is a node whose decision state is folded from a ledger that others
// have filled, over a line that fails in the middle of it.
type cutOff struct {
	proxy   *proxy
	witness *ledger.Ledger // on a line of its own
	head    uint64
	sent    [][]byte // to fill the ledger
	seqs    []uint64 // as what each was recorded
	dir     string   // of the node's decision state
	ledger  *ledger.Ledger
	in      *intake.Intake
	stop    func()
}

// newCutOff fills a ledger and stops the line after half of its bytes.
func newCutOff(t *testing.T, closes bool) *cutOff {
	t.Helper()
	server := ledgertest.NewExternal(t)
	c := &cutOff{proxy: newProxy(t, server.URL()), dir: filepath.Join(t.TempDir(), "decisions")}
	c.witness = ledgertest.Open(t, server.Connect())
	c.fill(t)
	c.connect(t)
	info, err := c.witness.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.head = info.Last
	reached := c.proxy.stopAfter(int(info.Bytes)/2, closes)
	c.start(t)
	<-reached
	return c
}

// fill has another node record tools, reviewers and reviews that are revised.
func (c *cutOff) fill(t *testing.T) {
	t.Helper()
	const tools, reviewers, reviews = 20, 5, 5000
	for i := range tools {
		id := "tool-" + strconv.Itoa(i)
		c.sent = append(c.sent, intaketest.Event(id, "tool.registered", map[string]string{"tool": id, "name": id, "category": "c" + strconv.Itoa(i%3)}))
	}
	for i := range reviewers {
		c.sent = append(c.sent, seat("reviewer-"+strconv.Itoa(i)))
	}
	for i := range reviews {
		n := strconv.Itoa(i)
		c.sent = append(c.sent, review("review-"+n, "tool-"+strconv.Itoa(i/reviewers%tools), "reviewer-"+strconv.Itoa(i%reviewers), "Take "+n))
	}
	c.sent = append(c.sent, tool("late"), seat("latecomer"))
	other := intaketest.Open(t, c.witness, intake.Options{Shared: true})
	for from := 0; from < len(c.sent); from += 1000 {
		for _, r := range intaketest.Accept(t, other, c.sent[from:min(from+1000, len(c.sent))]...) {
			c.seqs = append(c.seqs, r.Seq)
		}
	}
}

func (c *cutOff) connect(t *testing.T) {
	t.Helper()
	c.ledger = ledgertest.Open(t, ledgertest.ConnectURL(t, c.proxy.url()))
}

func (c *cutOff) start(t *testing.T) {
	t.Helper()
	c.in, c.stop = intaketest.Start(t, c.ledger, c.dir, intake.Options{Patience: 500 * time.Millisecond})
}

// half holds that a position is neither the beginning nor the end.
func (c *cutOff) half(t *testing.T, position uint64) {
	t.Helper()
	if position == 0 || position >= c.head {
		t.Errorf("the state is at event %d of %d, not in the middle", position, c.head)
	}
}

// decidesNothing sends what was recorded, in the half that is known and in the
// other, what contradicts that or builds on it, and something new: nothing is
// accepted, and nothing is refused for what is not known yet.
func (c *cutOff) decidesNothing(t *testing.T) {
	t.Helper()
	last := len(c.sent) - 1
	other := review("review-4999", "tool-1", "reviewer-1", "Something else under an identity that is taken")
	for _, raw := range [][]byte{c.sent[0], c.sent[last], other, review("on-late", "late", "latecomer", "It is known"), tool("new")} {
		if r := intaketest.Submit(t, c.in, raw)[0]; r.Status != intake.StatusError {
			t.Errorf("decided on half of the ledger: %+v", r)
		}
	}
	if head, err := c.witness.Head(t.Context()); err != nil || head != c.head {
		t.Errorf("the ledger ends with event %d (%v), want %d", head, err, c.head)
	}
}

// isWhole holds that the node decides as one that has folded in one go.
func (c *cutOff) isWhole(t *testing.T) {
	t.Helper()
	until(t, "it is at the head", func() bool {
		return intaketest.Submit(t, c.in, c.sent[0])[0].Status == intake.StatusDuplicate
	})
	if err := c.in.Err(); err != nil {
		t.Errorf("it is stopped: %v", err)
	}
	for from := 0; from < len(c.sent); from += 1000 {
		for i, r := range intaketest.Submit(t, c.in, c.sent[from:min(from+1000, len(c.sent))]...) {
			if r.Status != intake.StatusDuplicate || r.Seq != c.seqs[from+i] {
				t.Fatalf("%s: %+v, want a duplicate of event %d", c.sent[from+i], r, c.seqs[from+i])
			}
		}
	}
	found, err := c.in.Rebuild(t.Context(), nil) // which folds in one go, and compares
	if err != nil || found.Seq != c.head || found.Different != 0 {
		t.Errorf("compared with a state folded in one go: %+v (%v)", found, err)
	}
	for i, r := range intaketest.Accept(t, c.in, review("on-late", "late", "latecomer", "It is known"), tool("new")) {
		if want := c.head + 1 + uint64(i); r.Seq != want {
			t.Errorf("what is new is event %d, want %d", r.Seq, want)
		}
	}
}

// TestCatchUpIsCutOff has the line fail in the middle of a catch-up: the node
// stops on what it has folded, decides nothing, and goes on from there.
func TestCatchUpIsCutOff(t *testing.T) {
	for _, line := range []struct {
		name   string
		closes bool
	}{{"the connection goes away", true}, {"nothing comes any more", false}} {
		t.Run(line.name, func(t *testing.T) {
			c := newCutOff(t, line.closes)
			c.decidesNothing(t) // while it waits for what does not come, too
			until(t, "it is stopped", func() bool { return c.in.Err() != nil })
			c.half(t, c.in.Position())
			c.decidesNothing(t)
			c.half(t, c.in.Position())
			c.proxy.cut()
			c.isWhole(t)
		})
	}
}

// TestCatchUpIsEnded ends the node in the middle of a catch-up: the next one goes
// on from what it has folded.
func TestCatchUpIsEnded(t *testing.T) {
	c := newCutOff(t, false)
	until(t, "something is folded", func() bool { return c.in.Position() > 0 })
	c.stop()
	store, err := decisions.Open(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	c.half(t, store.Head().Seq)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	c.proxy.cut()
	c.connect(t)
	c.start(t)
	c.isWhole(t)
}
