package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
)

// metricsPage is the page of all metrics, made from what a node registers.
const metricsPage = "../../ops/METRICS.md"

// contract are the metrics that keep their names and labels from release to
// release, beside those of the Go and process collectors.
var contract = strings.Fields(`
	shiplog_submissions_total shiplog_commit_batch_size shiplog_commit_duration_seconds shiplog_commit_conflicts_total
	shiplog_ledger_events_total shiplog_ledger_last_sequence shiplog_ledger_bytes shiplog_ledger_max_bytes
	shiplog_ledger_gaps_total shiplog_ledger_last_append_timestamp_seconds
	shiplog_projection_events_total shiplog_projection_position shiplog_projection_lag_events
	shiplog_projection_lag_seconds shiplog_projection_latency_seconds shiplog_projection_state
	shiplog_projection_heartbeat_timestamp_seconds
	shiplog_matchups_opened_total shiplog_verdict_changes_total
	shiplog_feed_requests_total shiplog_feed_last_item_timestamp_seconds
	shiplog_http_requests_total shiplog_http_request_duration_seconds
	shiplog_inbox_pending shiplog_rejected_events shiplog_nats_connected shiplog_build_info`)

// The page of metrics is what a node that is wired whole registers: no metric
// is without help, no name against the practices, none of the contract missing.
func TestMetricsPage(t *testing.T) {
	app, err := startApp(t.Context(), t.TempDir(), "--demo", "--websub-hub", "http://127.0.0.1:9/", "--otlp-endpoint", "http://127.0.0.1:9/")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = app.Stop() })
	families, err := app.reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.NewWithMetricFamilies(ours(families)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	for _, f := range families {
		if f.GetHelp() == "" {
			t.Errorf("%s has no help text", f.GetName())
		}
	}
	for _, name := range contract {
		if !slices.ContainsFunc(families, func(f *dto.MetricFamily) bool { return f.GetName() == name }) {
			t.Errorf("%s is not registered", name)
		}
	}
	got := page(families)
	if *update {
		if err := os.WriteFile(metricsPage, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(metricsPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("go test ./cmd/shiplog -run TestMetricsPage -update writes the page anew (-want +got):\n%s", diff)
	}
}

// The bounds of classic buckets are figures that people can name in a query, and
// those of objectives are among them.
func TestBoundsOfBuckets(t *testing.T) {
	n := startNode(t, t.TempDir())
	families, err := n.reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]float64{
		"shiplog_projection_latency_seconds": 10, "shiplog_commit_duration_seconds": 0.2048, "shiplog_http_request_duration_seconds": 10,
	}
	for _, f := range ours(families) {
		for _, m := range f.GetMetric() {
			for _, b := range m.GetHistogram().GetBucket() {
				if text := strconv.FormatFloat(b.GetUpperBound(), 'g', -1, 64); len(text) > len("0.0001") {
					t.Errorf("%s has a bound %s", f.GetName(), text)
				}
				if b.GetUpperBound() == wanted[f.GetName()] {
					delete(wanted, f.GetName())
				}
			}
		}
	}
	if len(wanted) > 0 {
		t.Errorf("there are no bounds at %v", wanted)
	}
}

// ours are the metrics of this program alone.
func ours(families []*dto.MetricFamily) []*dto.MetricFamily {
	return slices.DeleteFunc(slices.Clone(families), func(f *dto.MetricFamily) bool {
		return !strings.HasPrefix(f.GetName(), "shiplog_")
	})
}

func page(families []*dto.MetricFamily) string {
	var b strings.Builder
	b.WriteString(`# Metrics

Everything that a node serves at /metrics of the ops listener. This page is made
from the registry of a node that is wired whole (` + "`go test ./cmd/shiplog -run TestMetricsPage -update`" + `);
a test holds it equal.

A metric of the *contract* keeps its name and its labels from release to release;
a change is announced in CHANGELOG.md. The others are *beyond* it: an operator may
use them, and dashboards and alerts here do, but they may change with the program.
Every label set exists from the start. No label holds anything that a publisher or
a reader chose. Histograms are classic and native at once. Counters of events begin
when the process has first caught up: a replay counts nothing.

| metric | type | unit | labels | promise | what it tells |
|---|---|---|---|---|---|
`)
	for _, f := range families {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", f.GetName(), kind(f), unit(f.GetName()), labels(f), promise(f.GetName()), cell(f.GetHelp()))
	}
	return b.String()
}

func kind(f *dto.MetricFamily) string { return strings.ToLower(f.GetType().String()) }

// unit is read from the name, where the practices put it.
func unit(name string) string {
	name = strings.TrimSuffix(name, "_total")
	for _, u := range []string{"seconds", "bytes", "percent", "ratio", "info"} {
		if strings.HasSuffix(name, "_"+u) {
			if u == "info" {
				break
			}
			return u
		}
	}
	return "1"
}

func labels(f *dto.MetricFamily) string {
	var names []string
	for _, l := range f.GetMetric()[0].GetLabel() {
		names = append(names, "`"+l.GetName()+"`")
	}
	return strings.Join(names, " ")
}

func promise(name string) string {
	if slices.Contains(contract, name) || strings.HasPrefix(name, "go_") || strings.HasPrefix(name, "process_") {
		return "contract"
	}
	return "beyond"
}

func cell(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), "|", `\|`) }
