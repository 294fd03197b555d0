package dashboards

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/statetimeline"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// The kinds of panels.
type kind int

const (
	graph  kind = iota // lines over time
	figure             // one number, as of now
	heat               // the buckets of a histogram over time
	states             // what something is, over time
)

// A panel is one picture of a dashboard.
type panel struct {
	kind                     kind
	title, description, unit string
	w, h                     uint32 // 0 for the usual size of the kind
	queries                  []query
	runbooks                 []string // names of alerts
	stack                    bool
	zero                     bool     // the axis begins at zero
	warn, bad                *float64 // from where the colour changes; bad below warn where less is worse
	words                    map[string]string
}

// A query is a line of PromQL, in which $sel stands for the matchers of job and
// instance, and $of for that of job, and what its series are called.
type query struct{ expr, legend string }

func (p panel) size() (w, h uint32) {
	w, h = 12, 8
	if p.kind == figure {
		w, h = 4, 4
	}
	if p.w > 0 {
		w = p.w
	}
	if p.h > 0 {
		h = p.h
	}
	return w, h
}

func (p panel) build() (dashboard.Panel, error) {
	built, err := p.picture().Build()
	if err != nil {
		return built, err
	}
	if built.FieldConfig == nil {
		built.FieldConfig = dashboard.NewFieldConfigSource()
	}
	ref := source()
	built.Title, built.Description, built.Datasource = &p.title, &p.description, &ref
	built.FieldConfig.Defaults.Unit = &p.unit
	built.FieldConfig.Defaults.Thresholds = p.thresholds()
	built.FieldConfig.Defaults.Mappings = p.mappings()
	if p.kind == figure || p.kind == states {
		built.FieldConfig.Defaults.Color = &dashboard.FieldColor{Mode: dashboard.FieldColorModeIdThresholds}
	}
	if p.zero {
		built.FieldConfig.Defaults.Min = new(0.0)
	}
	for i, q := range p.queries {
		target := prometheus.NewDataqueryBuilder().
			RefId(string(rune('A' + i))).Datasource(ref).Expr(expand(q.expr)).LegendFormat(q.legend)
		switch p.kind {
		case heat:
			target = target.Range().Format(prometheus.PromQueryFormatHeatmap)
		case figure:
			target = target.Instant()
		default:
			target = target.Range().Exemplar(true)
		}
		t, err := target.Build()
		if err != nil {
			return built, fmt.Errorf("query %d: %w", i, err)
		}
		built.Targets = append(built.Targets, t)
	}
	for _, alert := range p.runbooks {
		built.Links = append(built.Links, dashboard.DashboardLink{
			Title: "Runbook " + alert, Type: dashboard.DashboardLinkTypeLink, Icon: "doc", Tags: []string{},
			Url: new("${runbooks}/" + alert + ".md"), TargetBlank: true,
		})
	}
	return built, nil
}

// picture is the builder of the kind, with what only that kind has.
func (p panel) picture() cog.Builder[dashboard.Panel] {
	switch p.kind {
	case figure:
		return stat.NewPanelBuilder().
			ColorMode(common.BigValueColorModeValue).
			GraphMode(common.BigValueGraphModeNone).
			ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"}))
	case heat:
		return heatmap.NewPanelBuilder().
			Color(heatmap.NewHeatmapColorOptionsBuilder().Mode(heatmap.HeatmapColorModeScheme).Scheme("Blues").Steps(64).Reverse(true)).
			YAxis(heatmap.NewYAxisConfigBuilder().Unit(p.unit))
	case states:
		return statetimeline.NewPanelBuilder().ShowValue(common.VisibilityModeAuto).FillOpacity(70).MergeValues(true)
	}
	lines := timeseries.NewPanelBuilder().
		LineWidth(1).FillOpacity(10).ShowPoints(common.VisibilityModeNever).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeMulti).Sort(common.SortOrderDescending)).
		Legend(common.NewVizLegendOptionsBuilder().ShowLegend(true).DisplayMode(common.LegendDisplayModeList).Placement(common.LegendPlacementBottom))
	if p.stack {
		lines = lines.Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal)).FillOpacity(40)
	}
	if p.warn != nil || p.bad != nil {
		lines = lines.ThresholdsStyle(common.NewGraphThresholdsStyleConfigBuilder().Mode(common.GraphThresholdsStyleModeDashed))
	}
	return lines
}

// thresholds colour from good to bad, in whichever direction that is.
func (p panel) thresholds() *dashboard.ThresholdsConfig {
	steps := []dashboard.Threshold{{Color: "green"}}
	switch {
	case p.bad != nil && p.warn != nil && *p.bad < *p.warn:
		steps = []dashboard.Threshold{{Color: "red"}, {Value: p.bad, Color: "orange"}, {Value: p.warn, Color: "green"}}
	default:
		if p.warn != nil {
			steps = append(steps, dashboard.Threshold{Value: p.warn, Color: "orange"})
		}
		if p.bad != nil {
			steps = append(steps, dashboard.Threshold{Value: p.bad, Color: "red"})
		}
	}
	return &dashboard.ThresholdsConfig{Mode: dashboard.ThresholdsModeAbsolute, Steps: steps}
}

func (p panel) mappings() []dashboard.ValueMapping {
	if p.words == nil {
		return nil
	}
	options := map[string]dashboard.ValueMappingResult{}
	for value, word := range p.words {
		options[value] = dashboard.ValueMappingResult{Text: &word}
	}
	return []dashboard.ValueMapping{{ValueMap: &dashboard.ValueMap{Type: dashboard.MappingTypeValueToText, Options: options}}}
}

// quantiles are three quantiles of a classic histogram, by further labels if
// any are named.
func quantiles(metric string, by string) []query {
	le, legend := "le", ""
	if by != "" {
		le, legend = "le, "+by, " {{"+by+"}}"
	}
	var list []query
	for _, q := range []string{"0.5", "0.9", "0.99"} {
		list = append(list, query{
			fmt.Sprintf("histogram_quantile(%s, sum by (%s) (rate(%s_bucket{$sel}[$__rate_interval])))", q, le, metric),
			"p" + map[string]string{"0.5": "50", "0.9": "90", "0.99": "99"}[q] + legend,
		})
	}
	return list
}
