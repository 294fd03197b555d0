//go:build clients

package clients_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"shiplog/cmd/shiplog/process"
)

const nodesSite = "--base-url=https://reviews.example"

// startNode runs a node on a NATS of its own.
func startNode(t *testing.T, nats string, flags ...string) *process.Node {
	t.Helper()
	return start(t, t.TempDir(), append([]string{nodesSite, "--nats", nats}, flags...)...)
}

// startNodes runs nodes that begin at once.
func startNodes(t *testing.T, count int, nats string) []*process.Node {
	t.Helper()
	nodes := make([]*process.Node, count)
	var all sync.WaitGroup
	for i := range nodes {
		all.Go(func() {
			n, err := process.Start(t.Context(), program, t.TempDir(), nodesSite, "--nats", nats)
			if err != nil {
				t.Error(err)
				return
			}
			nodes[i] = n
			t.Cleanup(func() { _ = n.Stop() })
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return nodes
}

// TestClientCluster has three nodes on three NATS servers take submissions at once.
func TestClientCluster(t *testing.T) {
	cluster := startNATS(t)
	nodes := startNodes(t, 3, cluster.urls())
	t.Run("nodes that begin at once write one event 1", func(t *testing.T) { oneOpening(t, nodes) })
	t.Run("one review is the first", func(t *testing.T) { oneFirst(t, nodes) })
	t.Run("one event is recorded once", func(t *testing.T) { oneIdentity(t, nodes) })
	t.Run("one matchup per pair", func(t *testing.T) { onePerPair(t, nodes) })
	t.Run("read your own write on another node", func(t *testing.T) { readYourWrites(t, nodes) })
	t.Run("a node that does not decide forwards", func(t *testing.T) { forwards(t, cluster, nodes) })
	t.Run("no node starves", func(t *testing.T) { noneStarves(t, nodes) })
	t.Run("all show the same bytes", func(t *testing.T) { sameBytes(t, cluster, nodes) })
}

// A stored event, as far as these tests look.
type stored struct {
	Seq   uint64
	Event struct {
		ID, Source, Type string
		Data             struct {
			Tool, Reviewer, Left, Right string
			Revision                    int
			Replaces                    uint64
		}
	}
}

// readLedger reads the whole ledger from a node.
func readLedger(t *testing.T, n *process.Node) (all []stored) {
	t.Helper()
	for after := uint64(0); ; {
		var page struct {
			Events []stored
			Next   *uint64
		}
		decode(t, get(t, fmt.Sprintf("%s/api/v1/events?after=%d&limit=1000", n.Base, after)), &page)
		if all = append(all, page.Events...); page.Next == nil {
			return all
		}
		after = *page.Next
	}
}

func oneOpening(t *testing.T, nodes []*process.Node) {
	all := readLedgerTo(t, nodes[0], 1)
	if len(all) != 1 || all[0].Event.Type != "shiplog.ledger.opened.v1" {
		t.Fatalf("the new ledger holds %+v", all)
	}
	ids := map[string]bool{}
	for _, n := range nodes {
		var status struct{ Ledger struct{ ID string } }
		decode(t, get(t, n.Ops+"/admin/v1/status"), &status)
		ids[status.Ledger.ID] = true
	}
	if len(ids) != 1 {
		t.Errorf("the nodes know %d ledgers", len(ids))
	}
}

// oneFirst sends 50 reviews that all could be the first, some of them equal.
func oneFirst(t *testing.T, nodes []*process.Node) {
	receipts := make([]receipt, 50)
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i := range receipts {
		all.Go(func() {
			<-begin
			event := review(fmt.Sprintf("first-%d", i), "contested", fmt.Sprintf("Said by %d.", i%5))
			receipts[i] = submit(t, nodes[i%len(nodes)].Base, event)
		})
	}
	close(begin)
	all.Wait()
	reviews, registered := map[uint64]stored{}, 0
	var last uint64
	for _, e := range readLedgerTo(t, nodes[1], highest(receipts)) {
		switch d := e.Event.Data; {
		case d.Tool != "contested":
		case strings.HasPrefix(e.Event.Type, "shiplog.tool.registered"):
			registered++
		case d.Reviewer == "ruth":
			first := len(reviews) == 0
			if first != (e.Event.Type == "shiplog.review.submitted.v1") || !first && (d.Revision != len(reviews)+1 || d.Replaces != last) {
				t.Errorf("event %d is no successor of %d: %+v", e.Seq, last, e.Event)
			}
			reviews[e.Seq], last = e, e.Seq
		}
	}
	if registered != 1 {
		t.Errorf("the tool is registered %d times", registered)
	}
	recorded := 0
	for i, r := range receipts {
		id, e := fmt.Sprintf("first-%d", i), reviews[r.Seq]
		switch {
		case r.Status == "accepted" && r.Recorded && e.Event.ID == id:
			recorded++
		case r.Status == "duplicate" && !r.Recorded && e.Seq == r.Seq:
		default:
			t.Errorf("%s has the receipt %+v, the ledger has %+v", id, r, e)
		}
	}
	if recorded != len(reviews) {
		t.Errorf("%d reviews have receipts, %d are recorded", recorded, len(reviews))
	}
	t.Logf("%d of %d recorded, the others say the same as the one before", recorded, len(receipts))
}

func highest(receipts []receipt) (seq uint64) {
	for _, r := range receipts {
		seq = max(seq, r.Seq)
	}
	return seq
}

// readLedgerTo reads the ledger once the node's pages have come so far.
func readLedgerTo(t *testing.T, n *process.Node, seq uint64) []stored {
	t.Helper()
	reach(t, n, seq)
	return readLedger(t, n)
}

// reach waits until a node's pages have come so far.
func reach(t *testing.T, n *process.Node, seq uint64) {
	t.Helper()
	within(t, 30*time.Second, fmt.Sprintf("%s shows event %d", n.Base, seq), func() bool {
		status, _, _ := askAsOf(t, n.Base+"/", seq)
		return status == http.StatusOK
	})
}

// askAsOf reads an address with Shiplog-Min-Seq.
func askAsOf(t *testing.T, url string, least uint64) (status int, seq uint64, body []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Shiplog-Min-Seq", fmt.Sprint(least))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err = io.ReadAll(resp.Body); err != nil {
		t.Fatal(err)
	}
	seq, _ = strconv.ParseUint(resp.Header.Get("Shiplog-Seq"), 10, 64)
	return resp.StatusCode, seq, body
}

// oneIdentity sends the same events to all nodes at once.
func oneIdentity(t *testing.T, nodes []*process.Node) {
	for round := range 10 {
		receipts := make([]receipt, 2*len(nodes))
		event := review(fmt.Sprintf("same-%d", round), "repeated", fmt.Sprintf("Said %d times.", round))
		var all sync.WaitGroup
		for i := range receipts {
			all.Go(func() { receipts[i] = submit(t, nodes[i%len(nodes)].Base, event) })
		}
		all.Wait()
		accepted := 0
		for _, r := range receipts {
			if r.Status == "accepted" {
				accepted++
			}
			if !r.Recorded || r.Seq != receipts[0].Seq {
				t.Errorf("one event has the receipts %+v and %+v", receipts[0], r)
			}
		}
		if accepted != 1 {
			t.Errorf("one event was accepted %d times", accepted)
		}
	}
}

// onePerPair brings twelve tools of one category to the quorum at once, by
// reviews that come to different nodes, and opens pairs by hand meanwhile.
func onePerPair(t *testing.T, nodes []*process.Node) {
	const tools = 12
	var list []string
	for i := range tools {
		list = append(list, event(fmt.Sprintf("tool-%d", i), "tool.registered", fmt.Sprintf(`{"tool":"paired-%d","name":"Paired %d","category":"paired"}`, i, i)))
	}
	for i := range 3 {
		list = append(list, event(fmt.Sprintf("seat-%d", i), "reviewer.seated", fmt.Sprintf(`{"reviewer":"judge-%d","name":"Judge %d"}`, i, i)))
	}
	for _, e := range list {
		if r := submit(t, nodes[0].Base, e); r.Status != "accepted" {
			t.Fatalf("%s: %+v", e, r)
		}
	}
	var all sync.WaitGroup
	var seq uint64
	var mu sync.Mutex
	for i := range tools * 3 {
		all.Go(func() {
			r := submit(t, nodes[i%len(nodes)].Base, event(fmt.Sprintf("judged-%d", i), "review.submitted",
				fmt.Sprintf(`{"tool":"paired-%d","reviewer":"judge-%d","verdict":"ship","body":"Said by %d."}`, i/3, i%3, i)))
			if r.Status != "accepted" {
				t.Errorf("a review: %+v", r)
			}
			mu.Lock()
			seq = max(seq, r.Seq)
			mu.Unlock()
		})
	}
	for i := range tools {
		all.Go(func() {
			left, right := i%4, 4+i%3
			if i%2 == 1 {
				left, right = right, left
			}
			r := submit(t, nodes[i%len(nodes)].Base, event(fmt.Sprintf("pair-%d", i), "matchup.opened",
				fmt.Sprintf(`{"left":"paired-%d","right":"paired-%d"}`, left, right)))
			if r.Status != "accepted" && r.Status != "duplicate" {
				t.Errorf("a matchup: %+v", r)
			}
		})
	}
	all.Wait()
	pairs := map[string]uint64{}
	for _, e := range readLedgerTo(t, nodes[2], seq) {
		if e.Event.Type != "shiplog.matchup.opened.v1" {
			continue
		}
		pair := []string{e.Event.Data.Left, e.Event.Data.Right}
		slices.Sort(pair)
		key := strings.Join(pair, "/")
		if before := pairs[key]; before > 0 {
			t.Errorf("%s has matchups %d and %d", key, before, e.Seq)
		}
		pairs[key] = e.Seq
	}
	if len(pairs) < tools {
		t.Errorf("%d matchups were opened", len(pairs))
	}
	t.Logf("%d pairs", len(pairs))
}

// event is an event of a type.
func event(id, kind, data string) string {
	return fmt.Sprintf(`{"specversion":"1.0","id":%q,"source":"/test","type":"shiplog.%s.v1","data":%s}`, id, kind, data)
}

// readYourWrites writes to one node and reads from the others at once.
func readYourWrites(t *testing.T, nodes []*process.Node) {
	for round := range 20 {
		words := fmt.Sprintf("Heard elsewhere in round %d.", round)
		r := submit(t, nodes[round%len(nodes)].Base, review(fmt.Sprintf("heard-%d", round), "heard", words))
		if r.Status != "accepted" {
			t.Fatalf("round %d: %+v", round, r)
		}
		for _, path := range []string{"/tools/heard", "/feeds/tools/heard.atom", "/api/v1/tools/heard"} {
			status, seq, body := askAsOf(t, nodes[(round+1)%len(nodes)].Base+path, r.Seq)
			if status != http.StatusOK || seq < r.Seq || !bytes.Contains(body, []byte(words)) {
				t.Errorf("round %d: %s as of event %d on another node: %d, as of %d, does not say %q", round, path, r.Seq, status, seq, words)
			}
		}
	}
	began := time.Now()
	if status, _, body := askAsOf(t, nodes[1].Base+"/", 1_000_000_000); status != http.StatusServiceUnavailable || time.Since(began) > 3*time.Second {
		t.Errorf("beyond the head: %d after %s: %.200s", status, time.Since(began), body)
	}
}

// forwards has a node without an intake hand on what it is sent.
func forwards(t *testing.T, cluster natsCluster, nodes []*process.Node) {
	web := startNode(t, cluster.urls(), "--intake", "off")
	r := submit(t, web.Base, review("forwarded", "forwarded", "Said at the web node."))
	if r.Status != "accepted" || !r.Recorded {
		t.Fatalf("forwarded: %+v", r)
	}
	for _, n := range append(nodes, web) {
		if status, _, body := askAsOf(t, n.Base+"/tools/forwarded", r.Seq); status != http.StatusOK || !bytes.Contains(body, []byte("Said at the web node.")) {
			t.Errorf("%s as of event %d: %d, does not show it", n.Base, r.Seq, status)
		}
	}
	if again := submit(t, nodes[0].Base, review("forwarded", "forwarded", "Said at the web node.")); again.Status != "duplicate" || again.Seq != r.Seq {
		t.Errorf("sent again to a node that decides: %+v, was %+v", again, r)
	}
	if r := submit(t, web.Base, event("bad", "review.submitted", `{"tool":"nobody-knows","reviewer":"ruth","verdict":"ship","body":"x"}`)); r.Status != "422" {
		t.Errorf("a review of an unknown tool, forwarded: %+v", r)
	}
	l := startCrowd(t, "web", 4, web)
	l.await(100)
	l.end()
	reach(t, web, l.highest())
	holdReceipts(t, web, l.receipts)
}

// noneStarves loads all nodes at once. Publishers of each have their turn, and
// each within a bound.
func noneStarves(t *testing.T, nodes []*process.Node) {
	before := conflicts(t, nodes)
	l := startCrowd(t, "hungry", 4, nodes...)
	l.await(600)
	l.end()
	for _, n := range nodes {
		if share := float64(l.by[n.Base]) / float64(len(l.receipts)); share < 0.1 {
			t.Errorf("a node recorded %.0f %% of all", 100*share)
		}
	}
	if longest := l.wait(1); longest > 5*time.Second {
		t.Errorf("a publisher waited %s", longest)
	}
	t.Logf("%d commits were too late", conflicts(t, nodes)-before)
	reach(t, nodes[0], l.highest())
	holdReceipts(t, nodes[0], l.receipts)
}

// conflicts counts the commits that another node was ahead of.
func conflicts(t *testing.T, nodes []*process.Node) (count int) {
	t.Helper()
	for _, n := range nodes {
		for line := range strings.Lines(string(get(t, n.Ops+"/metrics"))) {
			if value, ok := strings.CutPrefix(line, "shiplog_commit_conflicts_total "); ok {
				v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
				if err != nil {
					t.Fatal(err)
				}
				count += int(v)
			}
		}
	}
	return count
}

// sameBytes reads what one node links to from all of them.
func sameBytes(t *testing.T, cluster natsCluster, nodes []*process.Node) {
	t.Helper()
	head := cluster.head(t)
	for _, n := range nodes {
		reach(t, n, head)
	}
	paths := linked(t, nodes[0])
	for _, path := range paths {
		_, seq, want := askAsOf(t, nodes[0].Base+path, 0)
		for _, n := range nodes[1:] {
			status, at, got := askAsOf(t, n.Base+path, seq)
			if at != seq || !bytes.Equal(want, got) {
				t.Fatalf("%s on %s: %d, as of %d and not %d, or other bytes", path, n.Base, status, at, seq)
			}
		}
	}
	t.Logf("%d addresses are the same on %d nodes", len(paths), len(nodes))
}

// linked are the addresses that the pages of a node lead to, and the API's beside
// them; of many alike, some.
func linked(t *testing.T, n *process.Node) []string {
	t.Helper()
	const most = 250
	paths := []string{"/", "/tools", "/compare", "/reviewers", "/rules", "/feeds", "/feeds.opml", "/api/v1/tools", "/api/v1/matchups", "/api/v1/reviewers", "/api/v1/events?limit=1000"}
	for i := 0; i < len(paths) && len(paths) < most; i++ {
		_, _, body := askAsOf(t, n.Base+paths[i], 0)
		doc, err := html.Parse(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for node := range doc.Descendants() {
			for _, a := range node.Attr {
				path := strings.TrimPrefix(a.Val, "https://reviews.example")
				if a.Key == "href" && strings.HasPrefix(path, "/") && !strings.Contains(path, "#") && !slices.Contains(paths, path) && len(paths) < most {
					paths = append(paths, path)
				}
			}
		}
	}
	for _, path := range slices.Clone(paths) {
		if strings.HasPrefix(path, "/tools/") && strings.Count(path, "/") == 2 {
			paths = append(paths, "/api/v1"+path)
		}
	}
	return paths
}
