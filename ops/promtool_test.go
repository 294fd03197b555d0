//go:build clients

package ops_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"shiplog/events/ledger/ledgertest"
	"shiplog/ops"
)

// promtool runs Prometheus' own tool, which must find nothing to say.
func promtool(t *testing.T, stdin string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "promtool", args...)
	cmd.Stdin = strings.NewReader(stdin)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Errorf("promtool %s: %v; `make deps` installs it\n%s", strings.Join(args, " "), err, out.String())
	}
}

func TestClientPromtoolRules(t *testing.T) {
	promtool(t, "", append([]string{"check", "rules", "--lint=all", "--lint-fatal"}, glob(t, "prometheus/rules/*.yml")...)...)
	promtool(t, "", append([]string{"test", "rules"}, glob(t, "prometheus/tests/*.yml")...)...)
}

func TestClientPromtoolConfig(t *testing.T) {
	promtool(t, "", "check", "config", "prometheus/prometheus.yml")
}

// What a scrape gets, as text of the old format, is what promtool approves of.
func TestClientPromtoolMetrics(t *testing.T) {
	reg := ops.NewRegistry(ops.Build{Version: "test"})
	l := ledgertest.New(t)
	h := ops.NewHealth(time.Now)
	ops.NewLedgerWatch(reg, l, ops.DiskWatch{})
	if err := ops.RegisterNode(reg, h, ops.DiskWatch{Dir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	ops.NewHTTPMetrics(reg, ops.HTTPOptions{Routes: []string{"/tools/{tool}"}})
	server := httptest.NewServer((&ops.Admin{Registry: reg, Health: h, Ledger: l}).Handler())
	defer server.Close()
	promtool(t, call(t, http.MethodGet, server.URL+"/metrics", http.StatusOK), "check", "metrics")
}

func TestClientAmtoolConfig(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "amtool", "check-config", "alertmanager/alertmanager.yml").CombinedOutput()
	if err != nil {
		t.Errorf("amtool: %v; `make deps` installs it\n%s", err, out)
	}
}
