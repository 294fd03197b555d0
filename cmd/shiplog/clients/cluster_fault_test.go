//go:build clients

package clients_test

import (
	"bytes"
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
	network := newProxy(t, cluster[0])
	nodes := []*process.Node{startNode(t, cluster.urls()), startNode(t, cluster.urls()), startNode(t, network.url)}
	t.Run("the leader of the ledger is killed", func(t *testing.T) { killLeader(t, cluster, nodes) })
	t.Run("the leader of the ledger hangs", func(t *testing.T) { hangLeader(t, cluster, nodes) })
	t.Run("a node is cut off", func(t *testing.T) { cutOff(t, cluster, network, nodes) })
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
		network.silence(true)
		isAlone(t, nodes[len(nodes)-1], fmt.Sprintf("cut-away-%d", round))
		c.await(100)
		network.silence(false)
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
