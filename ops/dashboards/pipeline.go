package dashboards

func pipeline() board {
	return board{
		uid: "shiplog-pipeline", title: "Shiplog / Pipeline",
		description: "From the submission to the commit, the projection and the feed, stage by stage.",
		rows: []row{
			{"1. Submission", []panel{
				{
					title: "Submissions by way and outcome", unit: "ops", zero: true,
					description: "Submissions a second by the way they came in and what became of them.",
					queries:     []query{{`sum by (via, outcome) (rate(shiplog_submissions_total{$sel}[$__rate_interval]))`, "{{via}} {{outcome}}"}},
					runbooks:    []string{"ShiplogSubmissionErrorBudgetBurn"},
				},
				{
					title: "Share of submissions that fail", unit: "percentunit", zero: true, warn: new(0.001), bad: new(0.0144),
					description: "Submissions that failed through a fault of the node, as a share of all, over five minutes and an hour. Empty where nobody sends.",
					queries: []query{
						{`job:shiplog_submissions_failed:ratio_rate5m{$of}`, "5 minutes"},
						{`job:shiplog_submissions_failed:ratio_rate1h{$of}`, "1 hour"},
					},
					runbooks: []string{"ShiplogSubmissionErrorBudgetBurn"},
				},
				{
					title: "Inbox", unit: "short", zero: true, warn: new(1000.0),
					description: "Events in the inbox that are not settled yet.",
					queries:     []query{{`max(shiplog_inbox_pending{$sel})`, "pending"}},
					runbooks:    []string{"ShiplogInboxBacklog"},
				},
				{
					title: "Rejected events kept", unit: "short", zero: true,
					description: "Events from the inbox that could not be recorded and wait in SHIPLOG_REJECTED to be mended.",
					queries:     []query{{`max(shiplog_rejected_events{$sel})`, "rejected"}},
					runbooks:    []string{"ShiplogRejectedEvents"},
				},
			}},
			{"2. Commit", []panel{
				{
					title: "Commit duration", unit: "s", zero: true, warn: new(0.2048),
					description: "Time from publishing a batch to its being stored for good, syncs included. Objective: 99 % below the dashed line.",
					queries:     quantiles("shiplog_commit_duration_seconds", ""),
					runbooks:    []string{"ShiplogAppendSlow"},
				},
				{
					kind: heat, title: "Commit durations", unit: "s",
					description: "How many commits took how long.",
					queries:     []query{{`sum by (le) (increase(shiplog_commit_duration_seconds_bucket{$sel}[$__rate_interval]))`, "{{le}}"}},
				},
				{
					title: "Batch size", unit: "short", zero: true,
					description: "Events in one commit. Batches grow under load, and with them throughput.",
					queries:     quantiles("shiplog_commit_batch_size", ""),
				},
				{
					title: "Commits and conflicts", unit: "ops", zero: true,
					description: "Commits a second, and those that met another node's event at the expected head and were decided again.",
					queries: []query{
						{`sum(rate(shiplog_commit_duration_seconds_count{$sel}[$__rate_interval]))`, "commits"},
						{`sum(rate(shiplog_commit_conflicts_total{$sel}[$__rate_interval]))`, "conflicts"},
					},
				},
				{
					title: "Events by type", unit: "ops", zero: true, stack: true, w: 24,
					description: "Events that entered the ledger a second, by type.",
					queries:     []query{{`max without (instance) (rate(shiplog_ledger_events_total{$sel}[$__rate_interval]))`, "{{type}}"}},
				},
			}},
			{"3. Projection", []panel{
				{
					title: "From recorded to visible", unit: "s", zero: true, warn: new(10.0),
					description: "Time from the recording of an event until readers see it, live events only.",
					queries:     quantiles("shiplog_projection_latency_seconds", "projection"),
				},
				lag(),
			}},
			{"4. Feed", []panel{
				feedAge(), feedBuilds(),
			}},
		},
	}
}
