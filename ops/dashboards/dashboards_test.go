package dashboards_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"shiplog/ops/dashboards"
)

var update = flag.Bool("update", false, "write the JSON anew")

const committed = "../grafana/dashboards"

func files(t *testing.T) []dashboards.File {
	t.Helper()
	files, err := dashboards.Files()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// What is committed is what the code makes, and nothing else is there.
func TestJSONIsFresh(t *testing.T) {
	known := map[string]bool{}
	for _, f := range files(t) {
		known[f.Name()] = true
		path := filepath.Join(committed, f.Name())
		if *update {
			if err := os.WriteFile(path, f.JSON, 0o644); err != nil { // Grafana reads it as another user
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(f.JSON)); diff != "" {
			t.Errorf("go test ./ops/dashboards -update writes %s anew (-want +got):\n%s", f.Name(), diff)
		}
	}
	entries, err := os.ReadDir(committed)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !known[e.Name()] {
			t.Errorf("%s is made by no code", e.Name())
		}
	}
}

// Grafana's own schema knows every field and misses none.
func TestJSONHasTheSchema(t *testing.T) {
	plugins.RegisterDefaultPlugins()
	for _, f := range files(t) {
		if err := strict(f.JSON); err != nil {
			t.Errorf("%s: %v", f.Name(), err)
		}
		for _, name := range []string{`"editable"`, `"expr"`, `"gridPos"`} {
			if err := strict(bytes.Replace(f.JSON, []byte(name), []byte(`"misspelt"`), 1)); err == nil {
				t.Errorf("%s: %s can be misspelt", f.Name(), name)
			}
		}
	}
}

// strict decodes a dashboard that must hold nothing unknown. The SDK wraps no
// errors into an error that is not nil.
func strict(raw []byte) error {
	var d dashboard.Dashboard //nolint:staticcheck // every Grafana reads the classic schema from files
	err := d.UnmarshalJSONStrict(raw)
	if found, ok := errors.AsType[cog.BuildErrors](err); err != nil && (!ok || len(found) > 0) {
		return err
	}
	return d.Validate()
}

// A drawn is what the lint looks at of a dashboard.
type drawn struct {
	UID, Title string
	Editable   bool
	Templating struct {
		List []struct {
			Name    string
			Refresh int
		}
	}
	Panels []drawnPanel
}

type drawnPanel struct {
	ID                       int
	Type, Title, Description string
	GridPos                  struct{ X, Y, W, H int }
	Datasource               struct{ UID string }
	FieldConfig              struct{ Defaults struct{ Unit string } }
	Links                    []struct{ URL string }
	Targets                  []struct {
		Expr, RefID string
		Datasource  struct{ UID string }
	}
}

func decoded(t *testing.T) []drawn {
	t.Helper()
	var list []drawn
	for _, f := range files(t) {
		var d drawn
		if err := json.Unmarshal(f.JSON, &d); err != nil {
			t.Fatal(err)
		}
		list = append(list, d)
	}
	return list
}

func TestDashboardsAreSound(t *testing.T) {
	uids, titles := map[string]bool{}, map[string]bool{}
	for _, d := range decoded(t) {
		if uids[d.UID] || titles[d.Title] || !strings.HasPrefix(d.UID, "shiplog-") {
			t.Errorf("uid %q or title %q is taken, or not ours", d.UID, d.Title)
		}
		uids[d.UID], titles[d.Title] = true, true
		if d.Editable {
			t.Errorf("%s can be edited in Grafana, where the change would be lost", d.UID)
		}
		var names []string
		for _, v := range d.Templating.List {
			names = append(names, v.Name)
			if (v.Name == "job" || v.Name == "instance" || v.Name == "projection") && v.Refresh != 2 {
				t.Errorf("%s: $%s is not read anew when the time range changes", d.UID, v.Name)
			}
		}
		if len(names) < 4 || !cmp.Equal(names[:3], []string{"datasource", "job", "instance"}) {
			t.Errorf("%s has the variables %v", d.UID, names)
		}
		taken, ids := map[[2]int]string{}, map[int]bool{}
		for _, p := range d.Panels {
			if ids[p.ID] {
				t.Errorf("%s: id %d is taken", d.UID, p.ID)
			}
			ids[p.ID] = true
			g := p.GridPos
			if g.X+g.W > 24 || g.W == 0 || g.H == 0 {
				t.Errorf("%s, %s: leaves the grid: %+v", d.UID, p.Title, g)
			}
			for x := g.X; x < g.X+g.W; x++ {
				for y := g.Y; y < g.Y+g.H; y++ {
					if other, is := taken[[2]int{x, y}]; is {
						t.Fatalf("%s: %s lies on %s", d.UID, p.Title, other)
					}
					taken[[2]int{x, y}] = p.Title
				}
			}
			if p.Type != "row" {
				lint(t, d.UID, p)
			}
		}
	}
}

func lint(t *testing.T, uid string, p drawnPanel) {
	t.Helper()
	where := uid + ", " + p.Title
	if p.Title == "" || !strings.HasSuffix(p.Description, ".") || p.FieldConfig.Defaults.Unit == "" {
		t.Errorf("%s: wants a title, a description in sentences and a unit", where)
	}
	if p.Datasource.UID != "${datasource}" || len(p.Targets) == 0 {
		t.Errorf("%s: data source %q, %d queries", where, p.Datasource.UID, len(p.Targets))
	}
	refs := map[string]bool{}
	for _, q := range p.Targets {
		if refs[q.RefID] || q.Datasource.UID != "${datasource}" {
			t.Errorf("%s: query %q, data source %q", where, q.RefID, q.Datasource.UID)
		}
		refs[q.RefID] = true
		for _, problem := range problems(q.Expr) {
			t.Errorf("%s: %s in %s", where, problem, q.Expr)
		}
	}
	for _, l := range p.Links {
		file, found := strings.CutPrefix(l.URL, "${runbooks}/")
		if _, err := os.Stat(filepath.Join("../runbooks", file)); !found || err != nil {
			t.Errorf("%s: link %s: %v", where, l.URL, err)
		}
	}
}

var (
	selector = regexp.MustCompile(`\b((?:shiplog|go|process|scrape)_[a-z_]+|job[a-z_]*:[a-z0-9_:]+|ALERTS)\b(\{[^}]*\})?`)
	ranged   = regexp.MustCompile(`\b(rate|increase)\(([a-z_:]+)\{[^}]*\}\[([^\]]+)\]`)
	counter  = regexp.MustCompile(`(_total|_bucket|_count|_sum)$`)
	inQuotes = regexp.MustCompile(`"[^"]*"`)
)

// asIs are counters whose value, not its growth, is what is looked at.
var asIs = map[string]string{
	"shiplog_ledger_gaps_total": "one gap since the start is as grave as many now",
}

// problems are what is wrong with an expression.
func problems(expr string) (found []string) {
	growth := map[string]bool{}
	for _, m := range ranged.FindAllStringSubmatch(expr, -1) {
		growth[m[2]] = true
		if m[3] != "$__rate_interval" {
			found = append(found, m[1]+" over "+m[3])
		}
	}
	for _, m := range selector.FindAllStringSubmatchIndex(expr, -1) {
		name, matchers := expr[m[2]:m[3]], ""
		if m[4] >= 0 {
			matchers = expr[m[4]:m[5]]
		}
		if strings.Count(expr[:m[2]], `"`)%2 == 1 {
			continue // within a text
		}
		summed := strings.Contains(name, ":") || name == "ALERTS"
		if !strings.Contains(matchers, `job=~"$job"`) || !summed && !strings.Contains(matchers, `instance=~"$instance"`) {
			found = append(found, name+" is not narrowed")
		}
		if counter.MatchString(name) && !growth[name] && asIs[name] == "" {
			found = append(found, name+" is a counter, and its growth is not taken")
		}
	}
	if len(selector.FindAllString(inQuotes.ReplaceAllString(expr, `""`), -1)) == 0 {
		found = append(found, "no metric")
	}
	return found
}

// The lint itself sees what it is there for.
func TestProblems(t *testing.T) {
	for expr, want := range map[string]int{
		`rate(shiplog_submissions_total{job=~"$job", instance=~"$instance"}[$__rate_interval])`: 0,
		`rate(shiplog_submissions_total{job=~"$job", instance=~"$instance"}[5m])`:               1,
		`shiplog_submissions_total{job=~"$job", instance=~"$instance"}`:                         1,
		`shiplog_ready`:               1,
		`shiplog_ready{job=~"$job"}`:  1,
		`job:x:rate5m{job=~"$job"}`:   0,
		`vector(1)`:                   1,
		`sum(job_route:x:rate5m{})`:   1,
		`up{state="shiplog_ready{}"}`: 1,
	} {
		if got := problems(expr); len(got) != want {
			t.Errorf("%s: %v, want %d", expr, got, want)
		}
	}
}
