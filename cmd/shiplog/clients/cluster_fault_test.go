//go:build clients

package clients_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"shiplog/cmd/shiplog/process"
)

// TestClientClusterFaults takes parts of a cluster away under load, again and again in
// `make soak`. Publishers keep
// what they have receipts for, and everything comes back by itself.
func TestClientClusterFaults(t *testing.T) {
	cluster := startNATS(t)
	network := newProxy(t, cluster[0].addr())
	nodes := []*process.Node{startNode(t, cluster.urls()), startNode(t, cluster.urls()), startNode(t, "nats://"+network.addr)}
	t.Run("the leader of the ledger is killed", func(t *testing.T) { killLeader(t, cluster, nodes) })
	t.Run("the leader of the ledger hangs", func(t *testing.T) { hangLeader(t, cluster, nodes) })
	t.Run("a node is cut off", func(t *testing.T) { cutOff(t, cluster, network, nodes) })
	t.Run("answers to a node are lost", func(t *testing.T) { loseAnswers(t, cluster, network, nodes) })
	t.Run("a node is killed", func(t *testing.T) { killNode(t, cluster, nodes) })
}

// recovered waits until all nodes are well, and holds them to what publishers
// have receipts for.
func recovered(t *testing.T, cluster natsCluster, nodes []*process.Node, c *crowd) {
	t.Helper()
	for _, n := range nodes {
		within(t, time.Minute, n.Base+" is ready", func() bool {
			status, _ := fetch(t, n.Ops+"/readyz")
			return status == http.StatusOK
		})
		reach(t, n, c.highest())
	}
	holdReceipts(t, nodes[0], c.receipts)
	sameBytes(t, cluster, nodes)
}

func killLeader(t *testing.T, cluster natsCluster, nodes []*process.Node) {
	c := startCrowd(t, "leader", 3, nodes...)
	for range rounds(2, 40) {
		c.await(50)
		leader := cluster.leader(t)
		leader.kill()
		c.await(100)
		leader.start(t)
		c.await(50)
	}
	c.end()
	recovered(t, cluster, nodes, c)
}

func hangLeader(t *testing.T, cluster natsCluster, nodes []*process.Node) {
	c := startCrowd(t, "hang", 3, nodes...)
	for range rounds(1, 20) {
		c.await(50)
		leader := cluster.leader(t)
		leader.freeze(t)
		c.await(100)
		leader.thaw(t)
		c.await(50)
	}
	c.end()
	recovered(t, cluster, nodes, c)
}

// cutOff cuts the last node's network: what it said before still stands, it says
// what is wrong, and it takes nothing; the others go on.
func cutOff(t *testing.T, cluster natsCluster, network *proxy, nodes []*process.Node) {
	c := startCrowd(t, "cut", 3, nodes...)
	for round := range rounds(1, 20) {
		c.await(50)
		network.silence()
		isAlone(t, nodes[len(nodes)-1], fmt.Sprintf("cut-away-%d", round))
		c.await(100)
		network.mend()
		c.await(50)
	}
	c.end()
	recovered(t, cluster, nodes, c)
}

// isAlone looks at a node that is cut off.
func isAlone(t *testing.T, alone *process.Node, id string) {
	t.Helper()
	within(t, 30*time.Second, "the node that is cut off says so", func() bool {
		status, body := fetch(t, alone.Ops+"/readyz")
		return status == http.StatusServiceUnavailable && strings.Contains(string(body), "nats")
	})
	began := time.Now()
	if r := submit(t, alone.Base, review(id, "tool-1", "Said to nobody.")); r.Status != "503" || r.Detail == "" {
		t.Errorf("a review sent to a node that is cut off: %+v", r)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("a node that is cut off says so after %s", took)
	}
	if status, body := fetch(t, alone.Base+"/tools/tool-1"); status != http.StatusOK || !bytes.Contains(body, []byte("Said in")) {
		t.Errorf("a page of a node that is cut off: %d", status)
	}
}

// loseAnswers has the last node hear nothing of what it has sent. It learns what
// became of that when it hears again, and says so; or it says that it does not know.
func loseAnswers(t *testing.T, cluster natsCluster, network *proxy, nodes []*process.Node) {
	alone, c := nodes[len(nodes)-1], &crowd{receipts: map[string]uint64{}}
	// A review of what is known is one event: that is sent before anything is answered.
	c.receipts["answers"] = submit(t, alone.Base, review("answers", "answers", "Said before.")).Seq
	for round := range rounds(1, 10) {
		for _, how := range []struct {
			name  string
			stops func(answer <-chan receipt) (r receipt)
			want  string
		}{
			{"late", func(answer <-chan receipt) receipt {
				network.mend()
				return <-answer
			}, "accepted"},
			{"lost", func(answer <-chan receipt) receipt {
				network.refuse()
				network.mend()
				return <-answer
			}, "accepted"},
			{"lost-for-long", func(answer <-chan receipt) receipt {
				r := <-answer
				network.refuse()
				network.mend()
				return r
			}, "503"},
		} {
			id := fmt.Sprintf("answer-%s-%d", how.name, round)
			event := review(id, "answers", "Said in "+id+".")
			// Known to the node, so that it has nothing to ask before it commits.
			reach(t, alone, cluster.head(t))
			network.deafen(id)
			answer := make(chan receipt, 1)
			go func() {
				r, _ := send(context.Background(), alone.Base, event) // no answer is no receipt
				answer <- r
			}()
			within(t, 10*time.Second, id+" is in the ledger", func() bool {
				_, body := fetch(t, nodes[0].Base+"/api/v1/tools/answers") // which may not be there yet
				return bytes.Contains(body, []byte(id))
			})
			r := how.stops(answer)
			if r.Status != how.want {
				t.Errorf("%s: %+v, want %s", id, r, how.want)
			}
			var again receipt
			within(t, 30*time.Second, id+" is answered", func() bool {
				again = submit(t, alone.Base, event)
				return again.Recorded
			})
			if again.Status != "duplicate" || r.Seq != 0 && r.Seq != again.Seq {
				t.Errorf("%s sent again: %+v, was %+v", id, again, r)
			}
			c.receipts[id] = again.Seq
		}
	}
	recovered(t, cluster, nodes, c)
}

// killNode kills a node in the midst of its commits. The others go on at once,
// and a new one in its place knows all.
func killNode(t *testing.T, cluster natsCluster, nodes []*process.Node) {
	for round := range rounds(1, 20) {
		c := startCrowd(t, fmt.Sprintf("killed-%d", round), 3, nodes...)
		c.await(50)
		nodes[1].Kill()
		c.await(100)
		c.end()
		nodes[1] = startNode(t, cluster.urls())
		recovered(t, cluster, nodes, c)
	}
}
