//go:build clients

package clients_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"image/png"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"shiplog/cmd/shiplog/process"
)

const (
	previewFile = operations + "/grafana/overview.png"
	previewUnit = 30 // pixels of a row of Grafana's grid
)

// The preview of the overview is there. With -update it is drawn anew: by this
// test, not by Grafana, from what a real Prometheus answers.
func TestClientPreview(t *testing.T) {
	if *update {
		takePreview(t)
	}
	raw, err := os.ReadFile(previewFile)
	if err != nil {
		t.Fatalf("%v; tools/pictures/take makes it", err)
	}
	if _, err := png.Decode(bytes.NewReader(raw)); err != nil || len(raw) > largestPicture {
		t.Errorf("%s: %d bytes, %v", previewFile, len(raw), err)
	}
}

// A previewPanel is what is drawn of a panel.
type previewPanel struct {
	Type, Title string
	GridPos     struct{ X, Y, W, H int }
	FieldConfig struct {
		Defaults struct {
			Unit     string
			Mappings []struct {
				Options map[string]struct{ Text string }
			}
		}
	}
	Targets []struct{ Expr, LegendFormat string }

	Figure, Top string
	Lines       []previewLine
}

type previewLine struct {
	Legend, Points, Colour string
	Last                   string
}

func takePreview(t *testing.T) {
	t.Helper()
	n := start(t, t.TempDir(), "--demo")
	settle(t, n)
	prom := startPrometheus(t, n)
	for i := range 12 { // something to see, in waves
		prom.within(t, 20, fmt.Sprintf(`count_over_time(up{job="shiplog"}[5m]) >= %d`, 4*i+2))
		makeWave(t, n, i)
	}
	var d struct{ Panels []*previewPanel }
	raw, err := os.ReadFile(filepath.Join(operations, "grafana/dashboards/shiplog-overview.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	bottom := 0
	for _, p := range d.Panels {
		p.draw(t, prom)
		bottom = max(bottom, p.GridPos.Y+p.GridPos.H)
	}
	var page bytes.Buffer
	if err := previewPage.Execute(&page, d.Panels); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page.Bytes())
	}))
	defer server.Close()
	b := openBrowser(t)
	b.do(t, chromedp.EmulateViewport(1280, int64(bottom*previewUnit+8)))
	b.visit(t, server.URL)
	shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(previewFile, shot, 0o644); err != nil {
		t.Fatal(err)
	}
}

// makeWave sends events and reads pages, more in some waves than in others.
func makeWave(t *testing.T, n *process.Node, wave int) {
	t.Helper()
	size := 20 + int(15*math.Sin(float64(wave)))
	var events strings.Builder
	for i := range size {
		id := fmt.Sprintf("%d-%d", wave, i)
		fmt.Fprintf(&events, `{"specversion":"1.0","id":"load-%s","source":"/load","type":"shiplog.tool.registered.v1","data":{"tool":"load-%s","name":"Load"}}`+"\n", id, id)
	}
	file := filepath.Join(t.TempDir(), "events.jsonl")
	if err := os.WriteFile(file, []byte(events.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	shiplog(t, 0, "submit", "--to", n.Base, file)
	shiplog(t, 0, "submit", "--to", n.Base, file) // again: duplicates
	for i := range size {
		get(t, n.Base+[]string{"/", "/tools", "/feeds/reviews.atom"}[i%3])
	}
}

var previewColours = []string{"#73bf69", "#f2cc0c", "#5794f2", "#ff9830", "#b877d9", "#f2495c", "#8ab8ff"}

// draw asks Prometheus, and makes lines or a figure of the answer.
func (p *previewPanel) draw(t *testing.T, prom promServer) {
	t.Helper()
	from, now := time.Now().Add(-time.Minute), time.Now()
	var series []sample
	var legends []string
	for _, q := range p.Targets {
		for _, s := range prom.ask(t, "/api/v1/query_range", map[string][]string{
			"query": {macros.Replace(q.Expr)}, "step": {"1"}, "start": {stamp(from)}, "end": {stamp(now)},
		}) {
			series = append(series, s)
			legends = append(legends, legendVariable.ReplaceAllStringFunc(q.LegendFormat, func(v string) string {
				return s.Metric[strings.Trim(v, "{}")]
			}))
		}
	}
	top := 0.0
	for _, s := range series {
		for _, v := range s.Values {
			top = max(top, number(v))
		}
	}
	p.Top = p.words(top)
	for i, s := range series {
		var points strings.Builder
		for _, v := range s.Values {
			if y := number(v); !math.IsNaN(y) {
				seconds, _ := v[0].(float64)
				x := (seconds - float64(from.UnixMilli())/1000) / 60
				fmt.Fprintf(&points, "%.4f,%.4f ", x, 1-y/max(top*1.1, 1e-9))
			}
		}
		last := p.words(number(s.Values[len(s.Values)-1]))
		p.Lines = append(p.Lines, previewLine{legends[i], points.String(), previewColours[i%len(previewColours)], last})
		p.Figure = last
	}
}

var legendVariable = regexp.MustCompile(`\{\{\w+\}\}`)

func number(v [2]any) float64 {
	text, _ := v[1].(string)
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return f
}

// words are a value as Grafana would about write it.
func (p *previewPanel) words(v float64) string {
	for _, m := range p.FieldConfig.Defaults.Mappings {
		if w, ok := m.Options[strconv.FormatFloat(v, 'f', -1, 64)]; ok {
			return w.Text
		}
	}
	switch p.FieldConfig.Defaults.Unit {
	case "bool_yes_no":
		return map[bool]string{true: "Yes", false: "No"}[v != 0]
	case "percentunit":
		return strconv.FormatFloat(math.Round(v*1e5)/1e3, 'f', -1, 64) + " %"
	case "s":
		return strconv.FormatFloat(math.Round(v*1e3)/1e3, 'f', -1, 64) + " s"
	case "ops", "reqps":
		return strconv.FormatFloat(math.Round(v*1e2)/1e2, 'f', -1, 64) + "/s"
	case "cpm":
		return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) + "/min"
	}
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
}

var previewPage = template.Must(template.New("").Funcs(template.FuncMap{
	"x": func(cells int) float64 { return float64(cells) * 1280 / 24 },
	"y": func(rows int) int { return rows * previewUnit },
}).Parse(`<!doctype html><html lang="en"><title>Preview</title><style>
body{margin:0;background:#111217;color:#ccccdc;font:13px "DejaVu Sans",sans-serif;position:relative}
section{position:absolute;box-sizing:border-box;padding:4px}
section>div{background:#181b1f;border:1px solid #2c2f35;border-radius:3px;height:100%;box-sizing:border-box;padding:6px 8px;display:flex;flex-direction:column;overflow:hidden}
small{font-weight:400;color:#8e8e9b;float:right}h2{font-size:13px;margin:0 0 4px;font-weight:600}section.row h2{padding:6px 4px;font-size:14px}
p{font-size:26px;margin:auto;color:#73bf69;font-weight:600}
svg{flex:1;min-height:0;width:100%;border-bottom:1px solid #3a3d44;border-left:1px solid #3a3d44}
ul{list-style:none;margin:4px 0 0;padding:0;display:flex;flex-wrap:wrap;gap:2px 14px;font-size:11px}
i{display:inline-block;width:12px;height:4px;margin-right:5px;vertical-align:middle}
</style>{{range .}}<section{{if eq .Type "row"}} class="row"{{end}} style="left:{{x .GridPos.X}}px;top:{{y .GridPos.Y}}px;width:{{x .GridPos.W}}px;height:{{y .GridPos.H}}px">
{{if eq .Type "row"}}<h2>{{.Title}}</h2>{{else}}<div><h2>{{.Title}}{{if eq .Type "timeseries"}} <small>up to {{.Top}}</small>{{end}}</h2>
{{if eq .Type "stat"}}<p>{{.Figure}}</p>{{else}}
<svg viewBox="0 0 1 1" preserveAspectRatio="none">{{range .Lines}}<polyline points="{{.Points}}" fill="none" stroke="{{.Colour}}" stroke-width="1.5" vector-effect="non-scaling-stroke"/>{{end}}</svg>
<ul>{{range .Lines}}<li><i style="background:{{.Colour}}"></i>{{.Legend}}: {{.Last}}</li>{{end}}</ul>{{end}}</div>{{end}}</section>{{end}}`))
