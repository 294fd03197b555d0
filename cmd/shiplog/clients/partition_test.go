//go:build clients

package clients_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"shiplog/cmd/shiplog/process"
)

// A partition is the network between the servers of a cluster: between any two there
// is a relay in each direction, and no server knows of another way.
type partition [3][3]*proxy

// startSplitNATS runs three servers that it can cut off from each other.
func startSplitNATS(t *testing.T) (natsCluster, *partition) {
	t.Helper()
	p := new(partition)
	// What a server says of itself is passed on by those that know it, and others
	// would go there past the relays: it is where nobody is.
	nowhere, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var closing sync.WaitGroup
	closing.Go(func() {
		for {
			c, err := nowhere.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	})
	t.Cleanup(func() {
		nowhere.Close()
		closing.Wait()
	})
	return startNATSOver(t, func(listen [3]string) (advertised [3]string, routes [3][]string) {
		for from := range p {
			advertised[from] = nowhere.Addr().String()
			for to := range p {
				if from != to {
					p[from][to] = newProxy(t, listen[to])
					routes[from] = append(routes[from], p[from][to].addr)
				}
			}
		}
		return advertised, routes
	}), p
}

// around does something to every relay of a server.
func (p *partition) around(server int, do func(*proxy)) {
	for other := range p {
		if other != server {
			do(p[server][other])
			do(p[other][server])
		}
	}
}

// TestClientPartition cuts one NATS server, and the node that knows no other, off
// from the rest, while publishers send to all nodes: first one that follows, then the
// one that leads the ledger. The side with fewer servers takes nothing and says
// nothing that is not so, the other goes on, and all comes back by itself.
func TestClientPartition(t *testing.T) {
	cluster, network := startSplitNATS(t)
	var nodes []*process.Node
	for _, s := range cluster {
		nodes = append(nodes, startNode(t, s.url))
	}
	s := &split{cluster: cluster, network: network, nodes: nodes}
	leader := func(t *testing.T) int { return slices.Index(cluster, cluster.leader(t)) }
	follower := func(t *testing.T) int { return (leader(t) + 1) % len(cluster) }
	for round := range rounds(1, 8) {
		cut, how := (*proxy).silence, "nothing passes"
		if round%2 == 1 {
			cut, how = (*proxy).refuse, "connections are refused"
		}
		name := func(what string) string { return fmt.Sprintf("%s, %s, round %d", what, how, round) }
		t.Run(name("one that follows"), func(t *testing.T) { s.under(t, follower(t), cut, fmt.Sprintf("follower-%d", round)) })
		t.Run(name("the one that leads"), func(t *testing.T) { s.under(t, leader(t), cut, fmt.Sprintf("leader-%d", round)) })
		t.Run(name("the one that led is found alone"), func(t *testing.T) { s.alone(t, leader(t), cut, fmt.Sprintf("found-%d", round)) })
		t.Run(name("the one that led knows nothing new"), func(t *testing.T) { s.stale(t, leader(t), cut, fmt.Sprintf("stale-%d", round)) })
	}
}

// A split is a cluster, its nodes and the network that is cut. Node and server of
// one number are on one side.
type split struct {
	cluster natsCluster
	network *partition
	nodes   []*process.Node
}

// others are the nodes on the other side.
func (s *split) others(at int) []*process.Node {
	return slices.Delete(slices.Clone(s.nodes), at, at+1)
}

// under cuts a server off under load.
func (s *split) under(t *testing.T, at int, cut func(*proxy), name string) {
	c := startCrowd(t, name, 3, s.nodes...)
	c.await(50)
	s.network.around(at, cut)
	alone := s.nodes[at]
	lone := startLone(alone, name+"-alone")
	c.await(150)
	within(t, time.Minute, "the node that is cut off says so", func() bool {
		status, body := fetch(t, alone.Ops+"/readyz")
		return status == http.StatusServiceUnavailable && strings.Contains(string(body), "nats")
	})
	if ok, detail := finding(t, alone, "streams"); !ok {
		t.Errorf("it says that the settings of streams were changed: %s", detail)
	}
	if status, body := fetch(t, alone.Base+"/tools/tool-1"); status != http.StatusOK || !bytes.Contains(body, []byte("Said in")) {
		t.Errorf("a page of the node that is cut off: %d", status)
	}
	refused := lone.end()
	s.network.around(at, (*proxy).mend)
	mended := time.Now()
	c.await(50)
	c.end()
	for id, r := range refused {
		if r.Status != "503" || r.Detail == "" || strings.Contains(r.Detail, "API error") {
			t.Errorf("%s was sent to the side that cannot record it: %+v", id, r)
		}
	}
	for id := range refused { // whether it is there or not, now it is
		if r := submit(t, alone.Base, review(id, "tool-alone", "Said alone in "+id+".")); r.Recorded {
			c.receipts[id] = r.Seq
			continue
		}
		within(t, time.Minute, id+" is recorded", func() bool {
			r := submit(t, alone.Base, review(id, "tool-alone", "Said alone in "+id+"."))
			c.receipts[id] = r.Seq
			return r.Recorded
		})
	}
	recovered(t, s.cluster, s.nodes, c)
	t.Logf("%d refused meanwhile; all is well %s after the network is", len(refused), time.Since(mended).Round(time.Millisecond))
	for _, n := range s.nodes {
		shiplog(t, 0, "verify", "--ops-url", n.Ops)
	}
}

// soon is within how long a node says that the server it knows is cut off: it takes it
// some 5 seconds, and the server itself 10 at the least.
const soon = 8 * time.Second

// alone has nodes say that a leader is cut off while it still answers: the one that
// knows no other, and one that was with the others and comes to it with more events
// than it has, which are not to be called lost.
func (s *split) alone(t *testing.T, at int, cut func(*proxy), name string) {
	data := t.TempDir()
	comes := start(t, data, nodesSite, "--nats", s.cluster[(at+1)%len(s.cluster)].url)
	s.network.around(at, cut)
	began := time.Now()
	within(t, soon, "the node that is cut off says so", func() bool {
		ok, _ := finding(t, s.nodes[at], "nats")
		return !ok
	})
	red := time.Since(began)
	var newer receipt
	within(t, time.Minute, "the other side goes on", func() bool {
		newer = submit(t, comes.Base, review(name, name, "Said on the other side."))
		return newer.Recorded
	})
	reach(t, comes, newer.Seq)
	if err := comes.Stop(); err != nil {
		t.Fatal(err)
	}
	comes, err := process.Show(t.Context(), program, data, nodesSite, "--nats", s.cluster[at].url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = comes.Stop() })
	said := ""
	within(t, time.Minute, "the other says so, unless it came when the server had found out", func() bool {
		_, body := fetch(t, comes.Ops+"/readyz")
		if bytes.Contains(body, []byte("the ledger ends")) {
			t.Fatalf("it takes what the server does not know for lost: %s", body)
		}
		if bytes.Contains(body, []byte("hears of 1 of 3")) {
			said = fmt.Sprintf("so does the other, after %s", time.Since(began).Round(time.Millisecond))
		}
		return said != "" || time.Since(began) > 3*soon
	})
	s.network.around(at, (*proxy).mend)
	if err := comes.Serving(); err != nil {
		t.Fatal(err)
	}
	recovered(t, s.cluster, append(slices.Clone(s.nodes), comes), &crowd{receipts: map[string]uint64{name: newer.Seq}})
	if gaps := metric(t, comes, "shiplog_ledger_gaps_total"); gaps != 0 {
		t.Errorf("events were found missing %v times", gaps)
	}
	t.Logf("it is found alone after %s; %s", red.Round(time.Millisecond), said)
}

// stale asks the side of the server that led, while it does not know yet that it leads
// no more, what only the other side can know.
func (s *split) stale(t *testing.T, at int, cut func(*proxy), name string) {
	alone, other := s.nodes[at], s.others(at)[0]
	known := submit(t, alone.Base, review(name+"-known", name, "Said before."))
	if known.Status != "accepted" {
		t.Fatalf("before: %+v", known)
	}
	s.network.around(at, cut)
	began := time.Now()
	var newer receipt
	within(t, time.Minute, "the other side goes on", func() bool {
		newer = submit(t, other.Base, review(name+"-newer", name+"-newer", "Said on the other side."))
		return newer.Recorded
	})
	goesOn := time.Since(began)
	unnamed := event(name+"-unnamed", "review.submitted", fmt.Sprintf(`{"tool":%q,"reviewer":"ruth","verdict":"skip","body":"Said to who cannot know it."}`, name+"-newer"))
	var answers []string
	for asked := 0; asked < 5 || time.Since(began) < 12*time.Second; asked++ {
		if r := submit(t, alone.Base, unnamed); r.Status != "503" {
			t.Fatalf("a review of what is known on the other side alone, %s after the cut: %+v", time.Since(began), r)
		}
		if r := submit(t, alone.Base, review(name+"-known", name, "Said before.")); r.Status != "503" && (r.Status != "duplicate" || r.Seq != known.Seq) {
			t.Fatalf("sent again, %s after the cut: %+v, was %+v", time.Since(began), r, known)
		} else if len(answers) == 0 || answers[len(answers)-1] != r.Status {
			answers = append(answers, r.Status)
		}
	}
	s.network.around(at, (*proxy).mend)
	var last receipt
	within(t, time.Minute, "it is recorded", func() bool {
		last = submit(t, alone.Base, unnamed)
		return last.Recorded
	})
	t.Logf("the other side goes on after %s; what was known is answered %v meanwhile", goesOn.Round(time.Millisecond), answers)
	c := &crowd{receipts: map[string]uint64{name + "-known": known.Seq, name + "-newer": newer.Seq, name + "-unnamed": last.Seq}}
	recovered(t, s.cluster, s.nodes, c)
}

// A lone publisher sends to one node, each review once.
type lone struct {
	cancel  context.CancelFunc
	clients sync.WaitGroup
	mu      sync.Mutex
	answers map[string]receipt
}

func startLone(n *process.Node, name string) *lone {
	ctx, cancel := context.WithCancel(context.Background())
	l := &lone{cancel: cancel, answers: map[string]receipt{}}
	for client := range 3 {
		l.clients.Go(func() {
			pace := time.NewTicker(200 * time.Millisecond)
			defer pace.Stop()
			for i := 0; ctx.Err() == nil; i++ {
				<-pace.C
				id := fmt.Sprintf("%s-%d-%d", name, client, i)
				r, err := send(context.Background(), n.Base, review(id, "tool-alone", "Said alone in "+id+"."))
				if err != nil {
					r.Detail = err.Error()
				}
				l.mu.Lock()
				l.answers[id] = r
				l.mu.Unlock()
			}
		})
	}
	return l
}

// end has each have its last answer.
func (l *lone) end() map[string]receipt {
	l.cancel()
	l.clients.Wait()
	return l.answers
}
