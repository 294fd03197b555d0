package dashboards

// web is the dashboard of the public listener.
func web() board {
	return board{
		uid: "shiplog-http", title: "Shiplog / HTTP",
		description: "Requests to the public listener by route, code and duration.",
		rows: []row{
			{"Errors", []panel{
				{
					title: "Share of reads that fail", unit: "percentunit", zero: true, warn: new(0.001), bad: new(0.0144),
					description: "Reads answered with 5xx, as a share of all, over five minutes and an hour, without those that ask for an event that does not exist. Objective: 0.1 % over 30 days.",
					queries: []query{
						{`job:shiplog_reads_failed:ratio_rate5m{$of}`, "5 minutes"},
						{`job:shiplog_reads_failed:ratio_rate1h{$of}`, "1 hour"},
					},
					runbooks: []string{"ShiplogReadErrorBudgetBurn"},
				},
				{
					title: "5xx by route", unit: "reqps", zero: true,
					description: "Requests answered with 5xx a second, by route; routes without any are not shown. Those that ask for an event that does not exist (Shiplog-Min-Seq) are among them, drawn apart, and outside the objective.",
					queries: []query{
						{`sum by (route, method) (rate(shiplog_http_requests_total{code="5xx", $sel}[$__rate_interval])) > 0`, "{{method}} {{route}}"},
						{`sum(rate(shiplog_http_requests_ahead_total{$sel}[$__rate_interval])) > 0`, "asked for an event that does not exist"},
					},
					runbooks: []string{"ShiplogReadErrorBudgetBurn", "ShiplogSubmissionErrorBudgetBurn"},
				},
			}},
			{"Requests", []panel{
				{
					title: "By code", unit: "reqps", zero: true, stack: true,
					description: "Requests a second by class of status code.",
					queries:     []query{{`sum by (code) (rate(shiplog_http_requests_total{$sel}[$__rate_interval]))`, "{{code}}"}},
				},
				{
					title: "By route", unit: "reqps", zero: true,
					description: "Requests a second over five minutes, the twelve routes that are asked for most.",
					queries:     []query{{`topk(12, sum by (route) (job_route:shiplog_http_requests:rate5m{$of}))`, "{{route}}"}},
				},
				{
					title: "4xx by route", unit: "reqps", zero: true,
					description: "Requests a second that were answered with 4xx, by route, and those whose client did not wait for the answer. The route other is for what no pattern matches.",
					queries:     []query{{`topk(12, sum by (route) (rate(shiplog_http_requests_total{code="4xx", $sel}[$__rate_interval])))`, "{{route}}"}},
				},
				{
					title: "By method", unit: "reqps", zero: true,
					description: "Requests a second by method.",
					queries:     []query{{`sum by (method) (rate(shiplog_http_requests_total{$sel}[$__rate_interval]))`, "{{method}}"}},
				},
			}},
			{"Duration", []panel{
				{
					title: "Duration", unit: "s", zero: true,
					description: "Time to answer a request, all routes.",
					queries:     quantiles("shiplog_http_request_duration_seconds", ""),
				},
				{
					kind: heat, title: "Durations", unit: "s",
					description: "How many requests took how long.",
					queries:     []query{{`sum by (le) (increase(shiplog_http_request_duration_seconds_bucket{$sel}[$__rate_interval]))`, "{{le}}"}},
				},
				{
					title: "Slowest routes", unit: "s", zero: true, w: 24,
					description: "Mean time to answer, the ten slowest routes that were asked for.",
					queries: []query{{`
topk(10,
  sum by (route) (rate(shiplog_http_request_duration_seconds_sum{$sel}[$__rate_interval]))
  / (sum by (route) (rate(shiplog_http_request_duration_seconds_count{$sel}[$__rate_interval])) > 0)
)`, "{{route}}"}},
				},
			}},
		},
	}
}
