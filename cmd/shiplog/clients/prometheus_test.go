//go:build clients

package clients_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"shiplog/cmd/shiplog/bench"
	"shiplog/cmd/shiplog/process"
	"shiplog/events/ledger/ledgertest"
)

// operations is the folder of what an operator is given.
const operations = "../../../ops"

// quietPanels are empty while nothing is wrong.
var quietPanels = map[string]string{
	"5xx by route":    "a node that is well answers nothing with 5xx",
	"Told to the hub": "no hub is configured",
	"Not told yet":    "no hub is configured",
}

// quietQueries are lines of panels that need more than the test has.
var quietQueries = map[string]string{
	`go_gc_gomemlimit_bytes{job=~"$job", instance=~"$instance"} < 2^62`: "no limit is set",
}

// A real Prometheus scrapes a node under the load of `shiplog bench`, with the rules
// that are shipped; every query of every dashboard is answered, and with data.
func TestClientPrometheusAnswersDashboards(t *testing.T) {
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})) // takes every span
	defer collector.Close()
	n := start(t, t.TempDir(), "--demo", "--otlp-endpoint", collector.URL)
	settle(t, n)
	prom := startPrometheus(t, n)
	prom.wait(t, `count_over_time(up{job="shiplog"}[1m]) >= 2`)
	use(t, n)
	drive(t, n)
	prom.within(t, 60, `sum(rate(shiplog_submissions_total{via="http", outcome="accepted"}[10s])) > 500
		and sum(rate(shiplog_http_requests_total{code="2xx", method="GET"}[10s])) > 20
		and sum(rate(shiplog_feed_requests_total{code="3xx"}[10s])) > 5
		and sum(rate(shiplog_projection_events_total[10s])) > 500`)
	checkMetrics(t, n)
	prom.wait(t, `rate(shiplog_submissions_total{via="http", outcome="accepted"}[1m]) > 0`)
	prom.wait(t, `rate(shiplog_feed_requests_total{code="3xx", feed="reviews", format="atom"}[1m]) > 0`)
	prom.wait(t, `job:shiplog_submissions_failed:ratio_rate1h == 0 and job:shiplog_reads_failed:ratio_rate1h == 0`)
	prom.wait(t, `changes(shiplog_feed_last_item_timestamp_seconds{feed="reviews"}[1m]) > 0`) // looked for every few seconds
	loaded := time.Now()
	for _, f := range dashboardFiles(t) {
		for _, p := range f.Panels {
			for _, q := range p.Targets {
				series := prom.queryRange(t, f.UID+", "+p.Title, q.Expr)
				if series == 0 && f.UID != nativeBoard && quietPanels[p.Title] == "" && quietQueries[q.Expr] == "" {
					t.Errorf("%s, %s: no data for %s", f.UID, p.Title, q.Expr)
				}
			}
		}
		for _, a := range f.Annotations.List {
			prom.queryRange(t, f.UID+", annotation "+a.Name, a.Expr)
		}
	}
	// Nothing but the watchdog fires or is about to while all is well. How fast a disk
	// syncs under load is the disk's affair.
	// Each group of rules is evaluated every second, at a moment of its own.
	prom.wait(t, fmt.Sprintf(`timestamp(ALERTS{alertname="Watchdog", alertstate="firing"}) > %d`, loaded.Add(2*time.Second).Unix()))
	if firing := prom.query(t, `ALERTS{alertname!~"Watchdog|ShiplogAppendSlow"}`); len(firing) > 0 {
		t.Errorf("of a node that is well, these alerts fire or are about to: %v", firing)
	}
}

// drive keeps a node busy until the test ends, which fails if the node fails it.
func drive(t *testing.T, n *process.Node) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- bench.Drive(ctx, n) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("under load: %v", err)
		}
	})
}

// checkMetrics has promtool look at all that a node in use serves.
func checkMetrics(t *testing.T, n *process.Node) {
	t.Helper()
	cmd := exec.Command("promtool", "check", "metrics")
	cmd.Stdin = bytes.NewReader(get(t, n.Ops+"/metrics"))
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
}

// use gives every counter that a dashboard draws something to count.
func use(t *testing.T, n *process.Node) {
	t.Helper()
	events := &bytes.Buffer{}
	for i := range 20 {
		fmt.Fprintf(events, `{"specversion":"1.0","id":"seen-%d","source":"/seen","type":"shiplog.tool.registered.v1","data":{"tool":"seen-%d","name":"Seen"}}`+"\n", i, i)
	}
	file := filepath.Join(t.TempDir(), "events.jsonl")
	if err := os.WriteFile(file, events.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	shiplog(t, 0, "submit", "--to", n.Base, file)
	settle(t, n)
	for _, path := range []string{"/", "/tools", "/rules", "/feeds", "/feeds/matchups.atom", "/feeds/verdicts.rss", "/feeds/reviews.json", "/feeds.opml", "/api/v1/tools"} {
		get(t, n.Base+path)
	}
	fetch(t, n.Base+"/tools/nothing-like-it")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, n.Base+"/feeds/reviews.atom", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("User-Agent", "Feedbin feed-id:1 - 12 subscribers")
	for range 2 {
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		req.Header.Set("If-None-Match", resp.Header.Get("ETag"))
	}
}

// A dashboardFile is what the test needs of a dashboard.
type dashboardFile struct {
	UID    string
	Panels []struct {
		Title   string
		Targets []struct{ Expr string }
	}
	Annotations struct {
		List []struct{ Name, Expr string }
	}
}

func dashboardFiles(t *testing.T) []dashboardFile {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(operations, "grafana/dashboards/*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no dashboards (%v)", err)
	}
	var files []dashboardFile
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var f dashboardFile
		if err := json.Unmarshal(raw, &f); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		files = append(files, f)
	}
	return files
}

// A promServer is a running Prometheus.
type promServer struct{ url string }

// startPrometheus scrapes a node every second with the rules that are shipped,
// until the test ends.
func startPrometheus(t *testing.T, n *process.Node) promServer {
	t.Helper()
	rules, err := filepath.Abs(filepath.Join(operations, "prometheus/rules"))
	if err != nil {
		t.Fatal(err)
	}
	return startPrometheusWith(t, n, rules)
}

// startPrometheusWith does so with the rules of a folder.
func startPrometheusWith(t *testing.T, n *process.Node, rules string, flags ...string) promServer {
	t.Helper()
	dir := t.TempDir()
	config := fmt.Sprintf(`global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
rule_files: [%q]
scrape_configs:
  - job_name: shiplog
    static_configs: [{targets: [%q]}]
`, rules+"/*.yml", strings.TrimPrefix(n.Ops, "http://"))
	file := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	addr := ledgertest.ReserveAddr(t) // Prometheus tells its port nowhere
	cmd := exec.Command("prometheus", append([]string{
		"--config.file", file, "--storage.tsdb.path", filepath.Join(dir, "data"),
		"--web.listen-address", addr, "--log.level", "warn",
	}, flags...)...)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v; `make deps` installs it", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("prometheus said:\n%s", log.String())
		}
	})
	p := promServer{url: "http://" + addr}
	eventually(t, "prometheus is ready", func() bool {
		resp, err := http.Get(p.url + "/-/ready")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return p
}

// A sample is one series of an answer, as of now.
type sample struct {
	Metric map[string]string
	Value  [2]any
	Values [][2]any
}

func (p promServer) ask(t *testing.T, path string, form url.Values) []sample {
	t.Helper()
	resp, err := http.PostForm(p.url+path, form)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		Status, Error string
		Data          struct{ Result []sample }
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if answer.Status != "success" {
		t.Errorf("%s: %s", form.Get("query"), answer.Error)
	}
	return answer.Data.Result
}

func (p promServer) query(t *testing.T, expr string) []sample {
	t.Helper()
	return p.ask(t, "/api/v1/query", url.Values{"query": {expr}})
}

// wait waits until an expression has a result.
func (p promServer) wait(t *testing.T, expr string) {
	t.Helper()
	p.within(t, 10, expr)
}

// within waits for so many seconds.
func (p promServer) within(t *testing.T, seconds int, expr string) {
	t.Helper()
	deadline := time.After(time.Duration(seconds) * time.Second)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for len(p.query(t, expr)) == 0 {
		select {
		case <-deadline:
			t.Fatalf("after %d seconds still no result: %s; alerts: %v", seconds, expr, p.query(t, "ALERTS"))
		case <-tick.C:
		}
	}
}

// macros are what Grafana puts into a query.
var macros = strings.NewReplacer(
	"$__rate_interval", "15s", "$__interval", "15s", "$__range", "1m",
	"$job", ".+", "$instance", ".+", "$projection", ".+",
)

// queryRange asks as a panel does, and returns how many series there are.
func (p promServer) queryRange(t *testing.T, what, expr string) int {
	t.Helper()
	expr = macros.Replace(expr)
	if strings.Contains(expr, "$") {
		t.Errorf("%s: a variable is unknown in %s", what, expr)
	}
	now := time.Now()
	return len(p.ask(t, "/api/v1/query_range", url.Values{
		"query": {expr}, "step": {"1"},
		"start": {stamp(now.Add(-time.Minute))}, "end": {stamp(now)},
	}))
}

func stamp(t time.Time) string { return strconv.FormatFloat(float64(t.UnixMilli())/1000, 'f', 3, 64) }
