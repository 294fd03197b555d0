package dashboards

func overview() board {
	return board{
		uid: "shiplog-overview", title: "Shiplog / Overview",
		description: "Is anything wrong, how much goes in and out, and how fresh is what readers see?",
		rows: []row{
			{"Objectives", []panel{
				readiness(),
				{
					kind: figure, title: "Pages are behind by", unit: "s", warn: new(10.0), bad: new(30.0),
					description: "Age of the oldest event that pages do not show yet. The objective is less than ten seconds for 99.5 % of the time.",
					queries:     []query{{`max(shiplog_projection_lag_seconds{projection="panel", $sel})`, "behind"}},
					runbooks:    []string{"ShiplogFreshnessBudgetBurn", "ShiplogProjectionLagging"},
				},
				{
					kind: figure, title: "Fresh, three days", unit: "percentunit", warn: new(0.998), bad: new(0.995),
					description: "Share of the last three days in which pages were less than ten seconds behind. Objective: 99.5 %.",
					queries:     []query{{`1 - max(job:shiplog_panel_stale:ratio3d{$of})`, "fresh"}},
					runbooks:    []string{"ShiplogFreshnessBudgetBurn"},
				},
				{
					kind: figure, title: "Recorded, three days", unit: "percentunit", warn: new(0.9995), bad: new(0.999),
					description: "Share of submissions in the last three days that did not fail through a fault of the node. Objective: 99.9 %. Empty where nobody sent anything.",
					queries:     []query{{`1 - max(job:shiplog_submissions_failed:ratio_rate3d{$of})`, "recorded"}},
					runbooks:    []string{"ShiplogSubmissionErrorBudgetBurn"},
				},
				{
					kind: figure, title: "Answered, three days", unit: "percentunit", warn: new(0.9995), bad: new(0.999),
					description: "Share of reads in the last three days that were not answered with 5xx. Objective: 99.9 %.",
					queries:     []query{{`1 - max(job:shiplog_reads_failed:ratio_rate3d{$of})`, "answered"}},
					runbooks:    []string{"ShiplogReadErrorBudgetBurn"},
				},
				{
					kind: figure, title: "Alerts that fire", unit: "short", bad: new(1.0),
					description: "Alerts of Shiplog that fire now, without the watchdog.",
					queries:     []query{{`count(ALERTS{alertname=~"Shiplog.+", alertstate="firing", $of}) or vector(0)`, "alerts"}},
				},
			}},
			{"In and out", []panel{
				{
					title: "Submissions", unit: "ops", zero: true, stack: true,
					description: "Submissions a second by what became of them. Rejected is the publisher's fault, error the node's.",
					queries:     []query{{`sum by (outcome) (rate(shiplog_submissions_total{$sel}[$__rate_interval]))`, "{{outcome}}"}},
					runbooks:    []string{"ShiplogSubmissionErrorBudgetBurn"},
				},
				{
					title: "Reads", unit: "reqps", zero: true, stack: true,
					description: "Pages, feeds and API read a second, by class of status code.",
					queries:     []query{{`sum by (code) (rate(shiplog_http_requests_total{method=~"GET|HEAD", $sel}[$__rate_interval]))`, "{{code}}"}},
					runbooks:    []string{"ShiplogReadErrorBudgetBurn"},
				},
				{
					title: "Events recorded", unit: "ops", zero: true,
					description: "Events that entered the ledger a second, as the projection of each node counts them.",
					queries:     []query{{`sum by (instance) (rate(shiplog_ledger_events_total{$sel}[$__rate_interval]))`, "{{instance}}"}},
				},
				{
					title: "Verdicts and matchups", unit: "cpm", zero: true,
					description: "Changes of a tool's verdict and matchups opened, a minute.",
					queries: []query{
						{`60 * sum(rate(shiplog_verdict_changes_total{$sel}[$__rate_interval]))`, "verdicts changed"},
						{`60 * sum(rate(shiplog_matchups_opened_total{$sel}[$__rate_interval]))`, "matchups opened"},
					},
				},
			}},
			{"Freshness and state", []panel{
				lag(), projectionStates(),
				{
					title: "Since the last event", unit: "s", zero: true,
					description: "Time since the last event was recorded. A quiet ledger is no fault.",
					queries:     []query{{`time() - max(shiplog_ledger_last_append_timestamp_seconds{$sel} > 0)`, "last event"}},
				},
				{
					title: "Versions", unit: "short", zero: true,
					description: "Nodes by what was built. More than one version means that an upgrade is going on.",
					queries:     []query{{`count by (version, revision, goversion) (shiplog_build_info{$sel})`, "{{version}} {{revision}} {{goversion}}"}},
				},
			}},
		},
	}
}

func readiness() panel {
	return panel{
		kind: figure, title: "Ready", unit: "bool_yes_no", warn: new(1.0), bad: new(0.5),
		description: "Yes while every node that is chosen above answers /readyz with 200.",
		queries:     []query{{`min(shiplog_ready{$sel})`, "ready"}},
		runbooks:    []string{"ShiplogNotReady", "ShiplogDown"},
	}
}

func lag() panel {
	return panel{
		title: "Lag", unit: "s", zero: true, warn: new(10.0), bad: new(30.0),
		description: "Age of the oldest event that a projection has not applied; 0 when it has caught up, 292 years while that cannot be found out.",
		queries:     []query{{`max by (projection, instance) (shiplog_projection_lag_seconds{$sel})`, "{{projection}} {{instance}}"}},
		runbooks:    []string{"ShiplogProjectionLagging", "ShiplogProjectionStalled"},
	}
}

func projectionStates() panel {
	return panel{
		kind: states, title: "State", unit: "short", warn: new(1.5), bad: new(3.5),
		description: "What each projection is doing. Stopped means that it has met an error.",
		words:       map[string]string{"1": "live", "2": "catching up", "3": "starting", "4": "stopped"},
		queries: []query{{`
sum by (projection, instance) (
  shiplog_projection_state{state="live", $sel}
  or 2 * shiplog_projection_state{state="catching_up", $sel}
  or 3 * shiplog_projection_state{state="starting", $sel}
  or 4 * shiplog_projection_state{state="stopped", $sel}
)`, "{{projection}} {{instance}}"}},
		runbooks: []string{"ShiplogProjectionFailed", "ShiplogProjectionStopped"},
	}
}
