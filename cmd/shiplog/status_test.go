package main

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"shiplog/events/ledger/ledgertest"
	"shiplog/events/logtest"
	"shiplog/ops"
)

// What is not known while NATS is gone is not told as a figure, and what is wrong
// is told in words of ours, all of it first in a terminal that cuts long lines.
func TestStatusWithoutNATS(t *testing.T) {
	server := ledgertest.NewExternal(t)
	n := startNode(t, t.TempDir(), "--nats", server.URL(), "--replicas", "1")
	exit, stdout, stderr := n.run("status")
	if exit != exitYes || !strings.Contains(stdout, "Inbox       0 waiting\nRejected    0\n") || !strings.Contains(stdout, "Durability  1 replica; ") {
		t.Errorf("exit %d, %s%s", exit, stdout, stderr)
	}
	server.Stop()
	n.until("it is not ready", func() bool {
		status, body := n.ready()
		return status == http.StatusServiceUnavailable && strings.Contains(body, "NATS is not connected") && strings.Contains(body, "how far behind is not known")
	})
	if _, stdout, _ = n.run("status"); !strings.Contains(stdout, "Inbox       – waiting\nRejected    –\n") || strings.Contains(stdout, "buffer") {
		t.Errorf("status tells\n%s", stdout)
	}
	if _, stdout, _ = n.run("status", "--json"); !strings.Contains(stdout, `"inbox":{"pending":null},"rejected":{"count":null}`) {
		t.Errorf("status tells %s", stdout)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	var out logtest.Book
	ended := make(chan int, 1)
	go func() {
		std := &stdio{in: strings.NewReader(""), out: &out, err: io.Discard, outTerminal: true}
		ended <- run(ctx, []string{"status", "--watch", "--every", "100ms", "--ops-url", "http://" + n.OpsAddr()}, std, ops.Build{})
	}()
	n.until("the failed checks stand below one another", func() bool {
		text := strings.ReplaceAll(out.String(), lineEnd, "\n")
		return strings.Contains(text, "Node    NOT READY, ") && strings.Contains(text, "\nFAILED  nats: not connected") && strings.Contains(text, "\nFAILED  intake: NATS is not connected")
	})
	interrupt()
	<-ended
}
