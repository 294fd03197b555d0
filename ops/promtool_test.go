//go:build clients

package ops_test

import (
	"bytes"
	"log/slog"
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
	ops.NewLedgerWatch(reg, l, ops.DiskWatch{}, slog.New(slog.DiscardHandler))
	if err := ops.RegisterNode(reg, h, ops.DiskWatch{Dir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	ops.NewHTTPMetrics(reg, ops.HTTPOptions{Routes: []string{"/tools/{tool}"}})
	server := httptest.NewServer((&ops.Admin{Registry: reg, Health: h, Ledger: given(l)}).Handler())
	defer server.Close()
	promtool(t, call(t, http.MethodGet, server.URL+"/metrics", http.StatusOK), "check", "metrics")
}

// amtool runs Alertmanager's own tool on the configuration that is shipped.
func amtool(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "amtool", args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		t.Errorf("amtool %s: %v; `make deps` installs it\n%s%s", strings.Join(args, " "), err, out.String(), said.String())
	}
	return strings.TrimSpace(out.String())
}

// Alertmanager takes its configuration, and sends every alert where its severity says.
func TestClientAlertmanager(t *testing.T) {
	const config = "alertmanager/alertmanager.yml"
	amtool(t, "check-config", config)
	_, alerts := rules(t)
	for _, a := range alerts {
		want := a.Labels["severity"]
		if a.Alert == "Watchdog" {
			want = "watchdog"
		}
		if got := amtool(t, "config", "routes", "test", "--config.file="+config, "alertname="+a.Alert, "severity="+a.Labels["severity"], "job=shiplog"); got != want {
			t.Errorf("%s (%s) goes to %q, want %q", a.Alert, a.Labels["severity"], got, want)
		}
	}
}
