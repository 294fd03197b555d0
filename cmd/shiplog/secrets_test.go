package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shiplog/events/ledger/ledgertest"
	"shiplog/events/logtest"
)

// What lets one in elsewhere, given by a flag, a file or the environment, is
// neither logged at any level nor told to whoever asks how the node is, while all
// is well and while it is not.
func TestSecretsAreToldToNobody(t *testing.T) {
	const secret = "open-sesame"
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(secret+"-token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	to := newSink(t)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer "+secret)
	server := ledgertest.NewExternal(t)
	address := strings.Replace(server.URL(), "://", "://shiplog:"+secret+"@", 1)
	args := os.Args
	t.Cleanup(func() { os.Args = args })
	os.Args = []string{"shiplog", "serve", "--nats", address, "--nats=" + address}
	var log logtest.Book
	app, err := startLogging(t.Context(), &log, t.TempDir(), "--replicas", "1", "--write-token-file", token,
		"--nats", address,
		"--otlp-endpoint", strings.Replace(to.URL, "://", "://shiplog:"+secret+"@", 1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = app.Stop() })
	n := aNode{app, t}
	told := func() string {
		_, ready := n.ready()
		_, status := n.ask(http.MethodGet, "http://"+n.OpsAddr()+"/admin/v1/status", "")
		_, metrics := n.ask(http.MethodGet, "http://"+n.OpsAddr()+"/metrics", "")
		_, command := n.ask(http.MethodGet, "http://"+n.OpsAddr()+"/debug/pprof/cmdline", "")
		if !strings.HasPrefix(command, "shiplog\x00serve\x00--nats\x00nats://") {
			t.Errorf("the command line is %q", command)
		}
		_, words, complaint := n.run("status")
		_, _, health := n.run("health", "--ready")
		return ready + status + metrics + command + words + complaint + health
	}
	n.ask(http.MethodPut, "http://"+n.OpsAddr()+"/admin/v1/log-level", `{"level":"debug"}`)
	n.submit(aReview("1", "awl"))
	n.until("it is ready", func() bool {
		status, body := n.ready()
		return status == http.StatusOK && strings.Contains(body, "connected to "+server.URL())
	})
	all := told()
	to.Close()
	server.Stop()
	n.until("it is not ready", func() bool {
		status, body := n.ready()
		return status == http.StatusServiceUnavailable && strings.Contains(body, "not connected to "+server.URL())
	})
	n.submit(aReview("2", "gimlet"))
	all += told()
	n.until("the collector is missed", func() bool { return strings.Contains(log.String(), "traces cannot be sent") })
	for line := range strings.Lines(all + log.String()) {
		if strings.Contains(line, secret) {
			t.Errorf("told: %s", line)
		}
	}
}
