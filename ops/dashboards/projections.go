package dashboards

func projections() board {
	return board{
		uid: "shiplog-projections", title: "Shiplog / Projections",
		description: "How the read models follow the ledger.", projections: true,
		rows: []row{
			{"Are they well?", []panel{
				lag(), projectionStates(),
				{
					title: "Events not applied", unit: "short", zero: true, bad: new(50000.0),
					description: "Events that are recorded but not applied. At 50,000 the intake waits for the panel.",
					queries:     []query{{`max by (projection, instance) (shiplog_projection_lag_events{projection=~"$projection", $sel})`, "{{projection}} {{instance}}"}},
					runbooks:    []string{"ShiplogProjectionLagging", "ShiplogProjectionStalled"},
				},
				{
					title: "Since the heartbeat", unit: "s", zero: true, bad: new(60.0),
					description: "Time since a projection was last seen working or waiting. Below zero, the clocks disagree.",
					queries:     []query{{`time() - shiplog_projection_heartbeat_timestamp_seconds{projection=~"$projection", $sel}`, "{{projection}} {{instance}}"}},
					runbooks:    []string{"ShiplogProjectionStopped", "ShiplogClockSkew"},
				},
				{
					title: "Share of time that pages were behind", unit: "percentunit", zero: true, warn: new(0.005), bad: new(0.072), w: 24,
					description: "Share of the last five minutes, hour and six hours in which pages were ten seconds or more behind. Objective: less than 0.5 % over 30 days.",
					queries: []query{
						{`job:shiplog_panel_stale:ratio5m{$of}`, "5 minutes"},
						{`job:shiplog_panel_stale:ratio1h{$of}`, "1 hour"},
						{`job:shiplog_panel_stale:ratio6h{$of}`, "6 hours"},
					},
					runbooks: []string{"ShiplogFreshnessBudgetBurn"},
				},
			}},
			{"What do they do?", []panel{
				{
					title: "Position", unit: "short",
					description: "Sequence of the last event applied, beside that of the last event in the ledger.",
					queries: []query{
						{`shiplog_projection_position{projection=~"$projection", $sel}`, "{{projection}} {{instance}}"},
						{`max(shiplog_ledger_last_sequence{$sel})`, "ledger"},
					},
					runbooks: []string{"ShiplogProjectionRewound"},
				},
				{
					title: "Applied", unit: "ops", zero: true,
					description: "Events applied a second, without those of a replay.",
					queries:     []query{{`sum by (projection, instance) (rate(shiplog_projection_events_total{projection=~"$projection", $sel}[$__rate_interval]))`, "{{projection}} {{instance}}"}},
				},
				{
					title: "Events in a transaction", unit: "short", zero: true,
					description: "Mean number of events applied in one transaction, replay included. Large ones mean that there was something to catch up.",
					queries: []query{{`
sum by (projection) (rate(shiplog_projection_batch_size_sum{projection="panel", $sel}[$__rate_interval]))
/ sum by (projection) (rate(shiplog_projection_batch_size_count{projection="panel", $sel}[$__rate_interval]))`, "{{projection}}"}},
				},
				{
					kind: heat, title: "From recorded to visible", unit: "s",
					description: "How many events took how long until readers saw them.",
					queries:     []query{{`sum by (le) (increase(shiplog_projection_latency_seconds_bucket{projection=~"$projection", $sel}[$__rate_interval]))`, "{{le}}"}},
				},
			}},
		},
	}
}
