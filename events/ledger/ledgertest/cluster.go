package ledgertest

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// clusterSize is what R3 needs.
const clusterSize = 3

// NewCluster starts three external servers that form one NATS, stopped when the
// test ends. It returns when they agree.
func NewCluster(tb testing.TB) []*External {
	tb.Helper()
	var routes []*url.URL
	cluster := make([]*External, clusterSize)
	for i := range cluster {
		port := ReservePort(tb)
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", port)})
		cluster[i] = newExternal(tb)
		cluster[i].options.ServerName = fmt.Sprintf("n%d", i+1)
		cluster[i].options.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: port}
	}
	for _, e := range cluster {
		e.options.Routes = routes
		e.Start()
		tb.Cleanup(e.Stop)
	}
	awaitAgreement(tb, cluster)
	return cluster
}

func awaitAgreement(tb testing.TB, cluster []*External) {
	tb.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(readyTimeout)
	for !agreed(cluster) {
		select {
		case <-tick.C:
		case <-late:
			tb.Fatalf("the NATS cluster does not agree after %s", readyTimeout)
		}
	}
}

// agreed tells whether the servers have a leader and all follow it.
func agreed(cluster []*External) bool {
	leaders := 0
	for _, e := range cluster {
		if !e.server.JetStreamIsCurrent() {
			return false
		}
		if e.server.JetStreamIsLeader() {
			leaders++
		}
	}
	return leaders == 1
}

// URLs is where the servers of a cluster listen, as --nats takes it.
func URLs(cluster []*External) string {
	urls := make([]string, len(cluster))
	for i, e := range cluster {
		urls[i] = e.URL()
	}
	return strings.Join(urls, ",")
}
