package intake_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shiplog/events"
	"shiplog/events/intake"
	"shiplog/events/intake/intaketest"
	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

// TestLostAnswer loses the answer to a commit that was stored.
func TestLostAnswer(t *testing.T) {
	for name, batch := range map[string][][]byte{
		"one event": {tool("a")},
		"a batch":   {tool("a"), tool("b"), tool("c")},
	} {
		t.Run(name, func(t *testing.T) {
			server := ledgertest.NewExternal(t)
			p := newProxy(t, server.URL())
			nc, err := ledger.Connect(t.Context(), ledger.ConnectOptions{URL: p.url()})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(nc.Close)
			in := intaketest.Open(t, ledgertest.Open(t, nc), intake.Options{})
			intaketest.Accept(t, in, tool("first")) // the state is at the head
			witness := ledgertest.Open(t, server.Connect())

			seen := p.deafen("shiplog.ledger.tool." + lastID(batch))
			done := make(chan []intake.Receipt)
			go func() { done <- intaketest.Submit(t, in, batch...) }()
			<-seen
			want := uint64(2 + len(batch))
			until(t, "the batch is stored", func() bool {
				head, err := witness.Head(t.Context())
				return err == nil && head == want
			})
			p.cut()
			for i, r := range <-done {
				if r.Status != intake.StatusAccepted || r.Seq != uint64(3+i) {
					t.Errorf("receipt %d: %+v", i, r)
				}
			}
			if n := len(intaketest.Events(t, witness)); n != int(want) {
				t.Errorf("the ledger has %d events, want %d", n, want)
			}
		})
	}
}

func lastID(batch [][]byte) string {
	return intaketest.Items(batch[len(batch)-1])[0].Submission.ID
}

func TestNATSGoneAndBack(t *testing.T) {
	server := ledgertest.NewExternal(t)
	in := intaketest.Open(t, ledgertest.Open(t, server.Connect()), intake.Options{Patience: 500 * time.Millisecond})
	intaketest.Accept(t, in, tool("a"))
	server.Stop()
	if r := intaketest.Submit(t, in, tool("b"))[0]; r.Status != intake.StatusError || !r.Problems.Has(events.CodeUnavailable) {
		t.Errorf("receipt %+v", r)
	}
	if r := intaketest.Submit(t, in, tool("b"))[0]; !strings.Contains(r.Problems.Error(), "cannot be reached") {
		t.Errorf("receipt %+v", r)
	}
	server.Start()
	until(t, "it is accepted again", func() bool { return intaketest.Submit(t, in, tool("b"))[0].OK() })
	until(t, "nothing is stopped", func() bool { return in.Err() == nil })
}

// TestTwoNodes has two intakes write one ledger at once.
func TestTwoNodes(t *testing.T) {
	l := ledgertest.New(t)
	nodes := []*intake.Intake{
		intaketest.Open(t, l, intake.Options{Shared: true}),
		intaketest.Open(t, l, intake.Options{Shared: true}),
	}
	const each = 25
	receipts := make([][]intake.Receipt, len(nodes)*each)
	var all sync.WaitGroup
	for i := range receipts {
		all.Go(func() {
			// Every fifth says what another says.
			body := "take " + strconv.Itoa(i-i%5/4)
			receipts[i] = intaketest.Submit(t, nodes[i%2], intaketest.Review("r"+strconv.Itoa(i), "smolvm", "builder", "ship", body))
		})
	}
	all.Wait()
	var first, revisions, registered, seated int
	var replaces int64
	bySeq := map[uint64]string{}
	for _, e := range intaketest.Events(t, l) {
		switch p := e.Data.(type) {
		case *events.ReviewSubmitted:
			first++
			replaces = int64(e.Seq)
		case *events.ReviewRevised:
			revisions++
			if p.Revision != int64(1+revisions) || p.Replaces != replaces {
				t.Errorf("event %d is revision %d of %d, want %d of %d", e.Seq, p.Revision, p.Replaces, 1+revisions, replaces)
			}
			replaces = int64(e.Seq)
		case *events.ToolRegistered:
			registered++
		case *events.ReviewerSeated:
			seated++
		}
		bySeq[e.Seq] = e.ID
	}
	accepted := 0
	for i, rs := range receipts {
		switch r := rs[0]; {
		case r.Status == intake.StatusAccepted:
			accepted++
			if bySeq[r.Seq] != r.ID {
				t.Errorf("receipt %d says event %d, which is %q", i, r.Seq, bySeq[r.Seq])
			}
		case r.Status != intake.StatusDuplicate:
			t.Errorf("receipt %d: %+v", i, r)
		}
	}
	if first != 1 || registered != 1 || seated != 1 || first+revisions != accepted {
		t.Errorf("%d first reviews, %d revisions, %d accepted, %d registrations, %d seatings", first, revisions, accepted, registered, seated)
	}
}

// TestTwoNodesMatch has two intakes bring tools of one category to the quorum
// at once: every pair is opened once, by one of them.
func TestTwoNodesMatch(t *testing.T) {
	l := ledgertest.New(t)
	nodes := []*intake.Intake{
		intaketest.Open(t, l, intake.Options{Shared: true}),
		intaketest.Open(t, l, intake.Options{Shared: true}),
	}
	const tools = 12
	setup := [][]byte{seat("builder"), intaketest.Event("rules", "rules.published", map[string]any{"version": 1, "quorum": 1, "max_matchups_per_tool": 5})}
	for i := range tools {
		id := "t" + strconv.Itoa(i)
		setup = append(setup, intaketest.Event(id, "tool.registered", map[string]string{"tool": id, "name": id, "category": "vms"}))
	}
	intaketest.Accept(t, nodes[0], setup...)
	var all sync.WaitGroup
	for i := range tools {
		for n, in := range nodes { // each event by both
			all.Go(func() {
				r := intaketest.Submit(t, in, review("r"+strconv.Itoa(i), "t"+strconv.Itoa(i), "builder", "It works."))[0]
				if !r.OK() {
					t.Errorf("node %d: %+v", n, r)
				}
			})
		}
	}
	all.Wait()
	pairs, per := map[string]int{}, map[string]int{}
	for _, e := range intaketest.Events(t, l) {
		if p, ok := e.Data.(*events.MatchupOpened); ok {
			pairs[p.Left+" "+p.Right]++
			per[p.Left]++
			per[p.Right]++
		}
	}
	for pair, n := range pairs {
		if n != 1 {
			t.Errorf("%s was opened %d times", pair, n)
		}
	}
	if most := slices.Max(slices.Collect(maps.Values(per))); len(pairs) < tools || most > 5 {
		t.Errorf("%d pairs, %d of one tool", len(pairs), most)
	}
}

// TestStateDeleted decides the same with a state that was folded anew.
func TestStateDeleted(t *testing.T) {
	l := ledgertest.New(t)
	dir := filepath.Join(t.TempDir(), "decisions")
	in, stop := intaketest.Start(t, l, dir, intake.Options{})
	var sent [][]byte
	for i := range 40 {
		sent = append(sent, intaketest.Review("r"+strconv.Itoa(i), "t"+strconv.Itoa(i%7), "p"+strconv.Itoa(i%5), []string{"ship", "skip"}[i%2], strconv.Itoa(i)))
	}
	sent = append(sent,
		intaketest.Event("a", "tool.registered", map[string]any{"tool": "t1", "name": "One", "category": "vms", "aliases": []string{"uno"}}),
		intaketest.Event("m", "tool.merged", map[string]any{"tool": "t2", "into": "uno"}),
		intaketest.Event("w", "review.withdrawn", map[string]any{"tool": "t3", "reviewer": "p3", "reason": "wrong tool"}),
		intaketest.Event("u", "reviewer.unseated", map[string]any{"reviewer": "p4"}),
		intaketest.Event("o", "matchup.opened", map[string]any{"left": "t1", "right": "t3"}))
	intaketest.Accept(t, in, sent...)
	probes := slices.Clone(sent)
	for i := range 7 {
		for j := range 5 {
			probes = append(probes, intaketest.Review(fmt.Sprintf("n%d-%d", i, j), "t"+strconv.Itoa(i), "p"+strconv.Itoa(j), "ship", "new"))
		}
	}
	probes = append(probes,
		intaketest.Event("o2", "matchup.opened", map[string]any{"left": "t3", "right": "uno"}),
		intaketest.Event("r1", "tool.retired", map[string]any{"tool": "t1"}), // a conflict
		intaketest.Event("x", "tool.unmerged", map[string]any{"tool": "t2", "into": "t1"}))
	decided := func(in *intake.Intake) []intake.Receipt {
		var all []intake.Receipt
		for _, probe := range probes {
			receipts, err := in.Submit(t.Context(), intaketest.Items(probe), true)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, receipts...)
		}
		return all
	}
	want := decided(in)
	stop()
	for _, delete := range []bool{false, true} {
		if delete {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
		again, stop := intaketest.Start(t, l, dir, intake.Options{})
		if diff := cmp.Diff(want, decided(again)); diff != "" {
			t.Errorf("deleted: %v: decisions (-want +got):\n%s", delete, diff)
		}
		stop()
	}
}

func TestLedgerFull(t *testing.T) {
	nc := ledgertest.Connect(t, ledgertest.NewServer(t))
	l, err := ledger.Open(t.Context(), nc, ledger.Options{Create: true, MaxBytes: 2 * ledger.MaxMessage})
	if err != nil {
		t.Fatal(err)
	}
	in := intaketest.Open(t, l, intake.Options{})
	url := serveHTTP(t, in, intake.HTTPOptions{})
	body := strings.Repeat("x", 60<<10)
	accepted := 0
	var a answer
	for i := 0; ; i++ {
		a = post(t, url, intaketest.Review("r"+strconv.Itoa(i), "t"+strconv.Itoa(i), "builder", "ship", body), asEvent)
		if a.StatusCode != http.StatusCreated {
			break
		}
		accepted++
	}
	if a.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(a.body), "max bytes") {
		t.Errorf("status %d: %s", a.StatusCode, a.body)
	}
	checkProblem(t, a)
	batch := post(t, url, array(
		intaketest.Review("b1", "b", "builder", "ship", body), intaketest.Review("b2", "c", "builder", "ship", body)), asBatch)
	if rs := batch.receipts(t); batch.StatusCode != http.StatusServiceUnavailable || batch.Header.Get("Retry-After") == "" || rs[1].Status != "error" {
		t.Errorf("status %d: %.300s", batch.StatusCode, batch.body)
	}
	if _, err := ledger.Open(t.Context(), nc, ledger.Options{Create: true, MaxBytes: 16 << 20}); err != nil {
		t.Fatal(err)
	}
	if a := post(t, url, intaketest.Review("after", "after", "builder", "ship", body), asEvent); a.StatusCode != http.StatusCreated {
		t.Errorf("status %d once there is room: %s", a.StatusCode, a.body)
	}
	reviews := 0
	for _, e := range intaketest.Events(t, l) {
		if _, ok := e.Data.(*events.ReviewSubmitted); ok {
			reviews++
		}
	}
	if reviews != accepted+1 {
		t.Errorf("%d reviews in the ledger, %d accepted", reviews, accepted+1)
	}
}

// TestStopUnderLoad stops an intake while many submit: what was accepted is in
// the ledger once, and everybody has an answer.
func TestStopUnderLoad(t *testing.T) {
	l := ledgertest.New(t)
	in, stop := intaketest.Start(t, l, filepath.Join(t.TempDir(), "decisions"), intake.Options{})
	var mu sync.Mutex
	accepted := map[string]uint64{}
	var all sync.WaitGroup
	for worker := range 16 {
		all.Go(func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("t%d-%d", worker, i)
				receipts, err := in.Submit(context.Background(), intaketest.Items(tool(id)), false)
				var refusal *intake.Refusal
				if errors.As(err, &refusal) || err == nil && receipts[0].Status == intake.StatusError {
					return
				}
				if err != nil || receipts[0].Status != intake.StatusAccepted {
					t.Errorf("%s: %v %+v", id, err, receipts)
					return
				}
				mu.Lock()
				accepted[id] = receipts[0].Seq
				mu.Unlock()
			}
		})
	}
	until(t, "there is some load", func() bool { return in.Position() > 200 })
	stop()
	all.Wait()
	recorded := map[string]uint64{}
	for _, e := range intaketest.Events(t, l)[1:] {
		recorded[e.ID] = e.Seq
	}
	if head := len(intaketest.Events(t, l)); head != len(recorded)+1 {
		t.Errorf("%d events, but %d identities", head, len(recorded))
	}
	for id, seq := range accepted {
		if recorded[id] != seq {
			t.Errorf("%s was accepted as %d and is %d", id, seq, recorded[id])
		}
	}
}

func TestFoundByTwo(t *testing.T) {
	l := ledgertest.New(t)
	found := make([]*events.LedgerOpened, 8)
	var all sync.WaitGroup
	for i := range found {
		all.Go(func() {
			f := intake.Founding{Ledger: fmt.Sprintf("0198c0de-5eed-7000-8000-00000000000%d", i), Authority: "example.org", Title: "T"}
			p, err := intake.Found(t.Context(), l, f, time.Now())
			if err != nil {
				t.Error(err)
				return
			}
			found[i] = p
		})
	}
	all.Wait()
	list := intaketest.Events(t, l)
	if len(list) != 1 {
		t.Fatalf("%d events, want 1", len(list))
	}
	for i, p := range found {
		if p == nil || p.Ledger != list[0].Data.(*events.LedgerOpened).Ledger {
			t.Errorf("node %d: %+v", i, p)
		}
	}
}

// A ledger that begins with something else, or with nothing that can be read, is told
// from one that cannot be reached.
func TestFoundWithoutABeginning(t *testing.T) {
	retired := &events.Event{
		Seq: 1, ID: "a", Source: "/test", Time: "2026-11-30T09:00:00Z", Publisher: "local", Data: &events.ToolRetired{Tool: "awl"},
	}
	for says, m := range map[string]ledger.Message{
		"event 1 is shiplog.tool.retired.v1": {Subject: retired.LedgerSubject(), Data: retired.AppendCanonical(nil)},
		"event 1 cannot be read":             {Subject: retired.LedgerSubject(), Data: []byte("{}")},
	} {
		l := ledgertest.New(t)
		if _, err := l.Append(t.Context(), 0, []ledger.Message{m}); err != nil {
			t.Fatal(err)
		}
		_, err := intake.Found(t.Context(), l, intake.Founding{Ledger: intaketest.LedgerID, Authority: "example.org", Title: "T"}, time.Now())
		if !errors.Is(err, intake.ErrBeginning) || !strings.Contains(err.Error(), says) {
			t.Errorf("found %v, want that %s", err, says)
		}
	}
	l := ledgertest.New(t)
	l.Conn().Close()
	if _, err := intake.Found(t.Context(), l, intake.Founding{}, time.Now()); err == nil || errors.Is(err, intake.ErrBeginning) {
		t.Errorf("without NATS it says %v", err)
	}
}

// TestBusy fills the queue of an intake that does not run.
func TestBusy(t *testing.T) {
	l := ledgertest.New(t)
	in := intake.New(l, openStore(t), intake.Options{QueueBytes: 1000})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := in.Submit(gone, intaketest.Items(tool("a")), false); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a client that went away", err)
	}
	large := intaketest.Items(intaketest.Review("r", "t", "p", "ship", strings.Repeat("x", 900)))
	_, err := in.Submit(t.Context(), large, false)
	var refusal *intake.Refusal
	if !errors.As(err, &refusal) || !refusal.Busy || refusal.RetryAfter == 0 {
		t.Errorf("error %v of one too many", err)
	}
}
