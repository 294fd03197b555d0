package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// variables are what a dashboard is narrowed by: data source, job, instance,
// and where it has them projections. The last one, which is not shown, is where
// the runbooks are.
func (b board) variables() []cog.Builder[dashboard.VariableModel] {
	list := []cog.Builder[dashboard.VariableModel]{
		dashboard.NewDatasourceVariableBuilder("datasource").Label("Data source").Type("prometheus"),
		labelValues("job", "Job", `label_values(shiplog_build_info, job)`),
		labelValues("instance", "Instance", `label_values(shiplog_build_info{job=~"$job"}, instance)`),
	}
	if b.projections {
		list = append(list, labelValues("projection", "Projection", `label_values(shiplog_projection_position{job=~"$job"}, projection)`))
	}
	return append(list, dashboard.NewConstantVariableBuilder("runbooks").
		Label("Base of the runbooks").
		Description("Where the files of ops/runbooks are served.").
		Value(dashboard.StringOrMap{String: new("/public/shiplog-runbooks")}))
}

func labelValues(name, label, query string) *dashboard.QueryVariableBuilder {
	return dashboard.NewQueryVariableBuilder(name).
		Label(label).
		Datasource(source()).
		Query(dashboard.StringOrMap{String: &query}).
		Refresh(dashboard.VariableRefreshOnTimeRangeChanged).
		Sort(dashboard.VariableSortAlphabeticalAsc).
		Multi(true).
		IncludeAll(true).
		AllValue(".+").
		Current(dashboard.VariableOption{
			Selected: new(true),
			Text:     dashboard.StringOrArrayOfString{ArrayOfString: []string{"All"}},
			Value:    dashboard.StringOrArrayOfString{ArrayOfString: []string{"$__all"}},
		})
}
