package dashboards

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
)

// width is the number of columns of Grafana's grid.
const width = 24

// A board is one dashboard.
type board struct {
	uid, title, description string
	projections             bool // has a variable to choose projections by
	rows                    []row
}

// A row is a titled group of panels, laid out from left to right.
type row struct {
	title  string
	panels []panel
}

// A File is a dashboard as it is committed.
type File struct {
	UID  string
	JSON []byte
}

// Name is the name of the file.
func (f File) Name() string { return f.UID + ".json" }

// Files are all dashboards, the overview first.
func Files() ([]File, error) {
	var files []File
	for _, b := range []board{overview(), pipeline(), projections(), feeds(), web(), storage(), runtime(), native()} {
		d, err := b.build()
		if err != nil {
			return nil, fmt.Errorf("dashboard %s: %w", b.uid, err)
		}
		raw, err := json.MarshalIndent(d, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("dashboard %s: %w", b.uid, err)
		}
		files = append(files, File{UID: b.uid, JSON: append(raw, '\n')})
	}
	return files, nil
}

func (b board) build() (dashboard.Dashboard, error) { //nolint:staticcheck // every Grafana reads the classic schema from files
	d := dashboard.NewDashboardBuilder(b.title). //nolint:staticcheck // see above
							Uid(b.uid).
							Description(b.description).
							Tags([]string{"shiplog"}).
							Readonly().
							Tooltip(dashboard.DashboardCursorSyncCrosshair).
							Time("now-3h", "now").
							Refresh("30s").
							Link(dashboard.NewDashboardLinkBuilder("Shiplog").
								Type(dashboard.DashboardLinkTypeDashboards).Tags([]string{"shiplog"}).IncludeVars(true).KeepTime(true)).
							Annotation(starts())
	for _, v := range b.variables() {
		d = d.WithVariable(v)
	}
	built, err := d.Build()
	if err != nil {
		return built, err
	}
	built.Links[0].Placement = nil // in sight, not in a menu
	built.Panels, err = b.layout()
	if err != nil {
		return built, err
	}
	return built, built.Validate()
}

// layout puts rows below one another and the panels of a row side by side.
func (b board) layout() ([]dashboard.PanelOrRowPanel, error) {
	var placed []dashboard.PanelOrRowPanel
	id, y := uint32(0), uint32(0)
	for _, r := range b.rows {
		id++
		placed = append(placed, dashboard.PanelOrRowPanel{RowPanel: &dashboard.RowPanel{
			Type: "row", Title: &r.title, Id: id, Panels: []dashboard.Panel{},
			GridPos: &dashboard.GridPos{W: width, H: 1, Y: y},
		}})
		y++
		x, height := uint32(0), uint32(0)
		for _, p := range r.panels {
			w, h := p.size()
			if x+w > width {
				x, y, height = 0, y+height, 0
			}
			built, err := p.build()
			if err != nil {
				return nil, fmt.Errorf("panel %q: %w", p.title, err)
			}
			id++
			n := id
			built.Id, built.GridPos = &n, &dashboard.GridPos{X: x, Y: y, W: w, H: h}
			placed = append(placed, dashboard.PanelOrRowPanel{Panel: &built})
			x, height = x+w, max(height, h)
		}
		y += height
	}
	return placed, nil
}

// source is the data source that the variable names.
func source() common.DataSourceRef {
	kind, uid := "prometheus", "${datasource}"
	return common.DataSourceRef{Type: &kind, Uid: &uid}
}

// starts marks when a process started, with its version.
func starts() *dashboard.AnnotationQueryBuilder {
	expr := expand(`changes(process_start_time_seconds{$sel}[$__interval]) > 0`)
	return dashboard.NewAnnotationQueryBuilder().
		Name("Starts").Datasource(source()).Enable(true).IconColor("blue").Expr(expr).
		Target(prometheus.NewDataqueryBuilder().RefId("Anno").Expr(expr)).
		TitleFormat("{{instance}} started")
}

// expand writes out what nearly every selector says.
func expand(expr string) string {
	return strings.NewReplacer(
		"$sel", `job=~"$job", instance=~"$instance"`,
		"$of", `job=~"$job"`,
	).Replace(strings.TrimSpace(expr))
}
