package dashboards

import "fmt"

// native is the dashboard of the histograms as native ones, whose quantiles are
// exact to a tenth of the value.
func native() board {
	return board{
		uid: "shiplog-native", title: "Shiplog / Native histograms",
		description: "The histograms of the other dashboards, read as native ones: for Prometheus from 3.8 on with scrape_native_histograms. Empty where those are not scraped.",
		rows: []row{
			{"From publisher to reader", []panel{
				nativeGraph("Commit", "s", "Time from publishing a batch to its being stored for good.", "shiplog_commit_duration_seconds", "", "", "ShiplogAppendSlow"),
				nativeHeat("Commits", "s", "How many commits took how long.", "shiplog_commit_duration_seconds"),
				nativeGraph("From recorded to visible, native", "s", "Time from the recording of an event until readers see it.", "shiplog_projection_latency_seconds", "projection", `projection="panel", `, "ShiplogProjectionLagging"),
				nativeHeat("From recorded to visible by number", "s", "How many events took how long until readers saw them.", "shiplog_projection_latency_seconds"),
			}},
			{"HTTP", []panel{
				nativeGraph("Time to answer", "s", "Time to answer a request, of all routes.", "shiplog_http_request_duration_seconds", "", "", "ShiplogReadErrorBudgetBurn"),
				{
					title: "Answered within 100 ms", unit: "percentunit", zero: true,
					description: "Share of requests that were answered within a tenth of a second, by route: a native histogram tells it for any bound.",
					queries: []query{{
						`histogram_fraction(0, 0.1, sum by (route) (rate(shiplog_http_request_duration_seconds{$sel}[$__rate_interval]))) > 0`,
						"{{route}}",
					}},
				},
			}},
			{"How work is cut", []panel{
				nativeGraph("Events in a commit", "short", "Events in one commit to the ledger.", "shiplog_commit_batch_size", "", "", ""),
				nativeGraph("Events in one transaction", "short", "Events applied in one transaction, replay included.", "shiplog_projection_batch_size", "projection", `projection="panel", `, ""),
				nativeGraph("Time of a transaction", "s", "Time that a transaction of the read model took, replay included.", "shiplog_projection_apply_duration_seconds", "projection", `projection="panel", `, "ShiplogProjectionLagging"),
			}},
		},
	}
}

// nativeGraph draws three quantiles of a native histogram, by a label and
// narrowed further if those are named.
func nativeGraph(title, unit, description, metric, by, narrowed, runbook string) panel {
	p := panel{title: title, unit: unit, zero: true, description: description}
	sum, legend := "sum", ""
	if by != "" {
		sum, legend = "sum by ("+by+")", " {{"+by+"}}"
	}
	for _, q := range []string{"0.5", "0.9", "0.99"} {
		p.queries = append(p.queries, query{
			fmt.Sprintf("histogram_quantile(%s, %s (rate(%s{%s$sel}[$__rate_interval])))", q, sum, metric, narrowed), q + legend,
		})
	}
	if runbook != "" {
		p.runbooks = []string{runbook}
	}
	return p
}

func nativeHeat(title, unit, description, metric string) panel {
	return panel{
		kind: heat, title: title, unit: unit, description: description,
		queries: []query{{fmt.Sprintf("sum(increase(%s{$sel}[$__rate_interval]))", metric), "{{le}}"}},
	}
}
