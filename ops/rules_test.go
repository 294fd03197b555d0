package ops_test

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A ruleFile is a file of rules of Prometheus.
type ruleFile struct {
	Groups []struct {
		Name  string
		Rules []rule
	}
}

type rule struct {
	Record      string
	Alert       string
	Expr        string
	For         *string
	Labels      map[string]string
	Annotations map[string]string
}

// rules are all rules that are shipped.
func rules(t *testing.T) (recorded, alerts []rule) {
	t.Helper()
	for _, path := range glob(t, "prometheus/rules/*.yml") {
		var f ruleFile
		decodeYAML(t, path, &f)
		for _, g := range f.Groups {
			for _, r := range g.Rules {
				if r.Record != "" {
					recorded = append(recorded, r)
				} else {
					alerts = append(alerts, r)
				}
			}
		}
	}
	return recorded, alerts
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("nothing matches %s (%v)", pattern, err)
	}
	return paths
}

// decodeYAML reads a file that must hold nothing unknown.
func decodeYAML(t *testing.T, path string, into any) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := yaml.NewDecoder(f)
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

var (
	metricRow = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| ([a-z]+) ")
	// What an expression names: metrics of ours and recorded series.
	named = regexp.MustCompile(`\b(?:(?:shiplog|go|process|promhttp)_[a-z_]+|[a-z_]+:[a-z_]+:[a-z0-9_]+)\b`)
	// In texts and selectors, not names of metrics.
	quoted = regexp.MustCompile(`"[^"]*"`)
)

// known are the names that a query may use: of METRICS.md, as Prometheus
// stores them, and of recording rules.
func known(t *testing.T) map[string]bool {
	t.Helper()
	page, err := os.ReadFile("METRICS.md")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range metricRow.FindAllStringSubmatch(string(page), -1) {
		names[m[1]] = true
		switch m[2] {
		case "histogram":
			names[m[1]+"_bucket"] = true
			fallthrough
		case "summary":
			names[m[1]+"_sum"], names[m[1]+"_count"] = true, true
		}
	}
	recorded, _ := rules(t)
	for _, r := range recorded {
		names[r.Record] = true
	}
	return names
}

// metricsIn are the metrics that an expression names.
func metricsIn(expr string) []string {
	return named.FindAllString(quoted.ReplaceAllString(expr, ""), -1)
}

func TestRulesUseMetricsThatExist(t *testing.T) {
	names := known(t)
	recorded, alerts := rules(t)
	for _, r := range slices.Concat(recorded, alerts) {
		for _, name := range metricsIn(r.Expr) {
			if !names[name] {
				t.Errorf("%s%s uses %s, which neither METRICS.md nor a recording rule has", r.Record, r.Alert, name)
			}
		}
	}
}

var headings = regexp.MustCompile(`(?m)^## (.+)$`)

// Every alert says how bad it is, what it means, and where to read on; every
// runbook belongs to an alert.
func TestAlertsHaveRunbooks(t *testing.T) {
	_, alerts := rules(t)
	severities := []string{"page", "ticket", "none"}
	seen := map[string]bool{}
	for _, a := range alerts {
		seen[a.Alert] = true
		if !slices.Contains(severities, a.Labels["severity"]) {
			t.Errorf("%s: severity %q is none of %v", a.Alert, a.Labels["severity"], severities)
		}
		for _, name := range []string{"summary", "description", "runbook_url", "dashboard_url"} {
			if a.Annotations[name] == "" {
				t.Errorf("%s has no %s", a.Alert, name)
			}
		}
		if a.For == nil {
			t.Errorf("%s does not say for how long", a.Alert)
		}
		if !strings.ContainsAny(a.Expr, "<>=") && a.Alert != "Watchdog" {
			t.Errorf("%s compares nothing", a.Alert)
		}
		if !strings.HasSuffix(a.Annotations["runbook_url"], "/"+a.Alert+".md") {
			t.Errorf("%s: runbook_url %s is another alert's", a.Alert, a.Annotations["runbook_url"])
		}
		uid := a.Annotations["dashboard_url"][strings.LastIndex(a.Annotations["dashboard_url"], "/")+1:]
		if _, err := os.Stat(filepath.Join("grafana/dashboards", uid+".json")); err != nil {
			t.Errorf("%s: dashboard %s: %v", a.Alert, uid, err)
		}
	}
	for _, path := range glob(t, "runbooks/*.md") {
		name := strings.TrimSuffix(filepath.Base(path), ".md")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(name, "Shiplog") && name != "Watchdog" {
			continue // about something that is no alert
		}
		if !seen[name] {
			t.Errorf("%s belongs to no alert", path)
		}
		delete(seen, name)
		var got []string
		for _, h := range headings.FindAllStringSubmatch(string(text), -1) {
			got = append(got, h[1])
		}
		if want := []string{"Meaning", "Impact", "Diagnosis", "Mitigation"}; len(got) < 4 || !slices.Equal(got[:4], want) {
			t.Errorf("%s has the headings %v, want %v first", path, got, want)
		}
		for _, link := range mdLink.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join("runbooks", link[1])); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	for name := range seen {
		t.Errorf("%s has no runbook", name)
	}
}

var mdLink = regexp.MustCompile(`\]\(([A-Za-z]+\.md)\)`)

// A ruleTest is what is looked at of a file of promtool tests.
type ruleTest struct {
	Tests []struct {
		Name  string
		Exprs []struct {
			Samples []struct{ Labels string } `yaml:"exp_samples"`
		} `yaml:"promql_expr_test"`
	}
}

// Every alert has a test in which it fires, and one in which it does not.
func TestAlertsAreTested(t *testing.T) {
	fires, quiet := map[string]bool{}, map[string]bool{}
	for _, path := range glob(t, "prometheus/tests/*.yml") {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var f ruleTest
		if err := yaml.Unmarshal(raw, &f); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, test := range f.Tests {
			subject, _, _ := strings.Cut(test.Name, " ")
			fired := false
			for _, e := range test.Exprs {
				for _, s := range e.Samples {
					fired = true
					fires[labelAlert.FindStringSubmatch(s.Labels)[1]] = true
				}
			}
			if !fired {
				quiet[subject] = true
			}
		}
	}
	_, alerts := rules(t)
	for _, a := range slices.CompactFunc(alerts, func(a, b rule) bool { return cmp.Compare(a.Alert, b.Alert) == 0 }) {
		if !fires[a.Alert] {
			t.Errorf("no test makes %s fire", a.Alert)
		}
		if !quiet[a.Alert] {
			t.Errorf("in no test %s does not fire", a.Alert)
		}
	}
}

var labelAlert = regexp.MustCompile(`alertname="([A-Za-z]+)"`)

// An alert that keeps another one back is one that there is, and its runbook names the
// other among its consequences.
func TestInhibitionsAreConsequences(t *testing.T) {
	raw, err := os.ReadFile("alertmanager/alertmanager.yml")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		InhibitRules []struct {
			SourceMatchers []string `yaml:"source_matchers"`
			TargetMatchers []string `yaml:"target_matchers"`
		} `yaml:"inhibit_rules"`
	}
	if err := yaml.Unmarshal(raw, &config); err != nil || len(config.InhibitRules) == 0 {
		t.Fatalf("%d inhibitions: %v", len(config.InhibitRules), err)
	}
	checked := 0
	for _, r := range config.InhibitRules {
		for _, target := range alertName.FindAllString(strings.Join(r.TargetMatchers, " "), -1) {
			for _, source := range alertName.FindAllString(strings.Join(r.SourceMatchers, " "), -1) {
				text, err := os.ReadFile(filepath.Join("runbooks", source+".md"))
				if err != nil {
					t.Fatal(err)
				}
				if _, consequences, _ := strings.Cut(string(text), "\n## Consequences\n"); !strings.Contains(consequences, target) {
					t.Errorf("%s keeps %s back, which its runbook does not call a consequence", source, target)
				}
				checked++
			}
		}
	}
	if checked < 5 {
		t.Errorf("only %d pairs were found", checked)
	}
}

var alertName = regexp.MustCompile(`Shiplog[A-Za-z]+`)

// contracted are the alerts that an operator is promised.
var contracted = []string{
	"ShiplogDown", "ShiplogNotReady", "ShiplogRestarting", "ShiplogSubmissionErrorBudgetBurn", "ShiplogReadErrorBudgetBurn",
	"ShiplogFreshnessBudgetBurn", "ShiplogAppendSlow", "ShiplogProjectionLagging", "ShiplogProjectionStalled", "ShiplogProjectionFailed",
	"ShiplogProjectionStopped", "ShiplogLedgerGap", "ShiplogLogNearLimit", "ShiplogDiskFillingUp", "ShiplogNATSDisconnected",
	"ShiplogFeedStale", "ShiplogClockSkew", "Watchdog",
}

// None of them is lost, and a budget is watched over a long and a short window at each
// speed.
func TestContractedAlertsAreThere(t *testing.T) {
	_, alerts := rules(t)
	windows := map[string][]string{}
	for _, a := range alerts {
		windows[a.Alert] = append(windows[a.Alert], a.Labels["window"])
	}
	for _, name := range contracted {
		if windows[name] == nil {
			t.Errorf("there is no alert %s", name)
		}
		if strings.HasSuffix(name, "BudgetBurn") && !slices.Equal(windows[name], []string{"1h", "6h", "3d"}) {
			t.Errorf("%s looks at %v", name, windows[name])
		}
	}
}
