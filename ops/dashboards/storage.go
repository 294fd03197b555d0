package dashboards

func storage() board {
	return board{
		uid: "shiplog-storage", title: "Shiplog / Storage and NATS",
		description: "The ledger's stream, the connection to NATS, and the disk.",
		rows: []row{
			{"Is it well?", []panel{
				readiness(),
				{
					kind: figure, title: "Connected to NATS", unit: "bool_yes_no", warn: new(1.0), bad: new(0.5),
					description: "Yes while every node that is chosen above is connected.",
					queries:     []query{{`min(shiplog_nats_connected{$sel})`, "connected"}},
					runbooks:    []string{"ShiplogNATSDisconnected"},
				},
				{
					kind: figure, title: "Gaps in the ledger", unit: "short", bad: new(1.0),
					description: "Times that events were found missing. Anything but 0 is serious.",
					queries:     []query{{`sum(shiplog_ledger_gaps_total{$sel})`, "gaps"}},
					runbooks:    []string{"ShiplogLedgerGap"},
				},
				{
					kind: figure, title: "Ledger full", unit: "percentunit", warn: new(0.5), bad: new(0.9),
					description: "Size of the ledger's stream as a share of --max-bytes.",
					queries:     []query{{`max(shiplog_ledger_bytes{$sel} / shiplog_ledger_max_bytes{$sel})`, "full"}},
					runbooks:    []string{"ShiplogLogNearLimit"},
				},
				{
					kind: figure, title: "Disk free", unit: "percentunit", warn: new(0.3), bad: new(0.1),
					description: "Free space on the disk of the data directory as a share of its size, on the node that has least.",
					queries:     []query{{`min(shiplog_disk_free_bytes{$sel} / shiplog_disk_size_bytes{$sel})`, "free"}},
					runbooks:    []string{"ShiplogDiskFillingUp"},
				},
				{
					kind: figure, title: "Last event", unit: "dateTimeFromNow",
					description: "When the last event was recorded.",
					queries:     []query{{`1000 * max(shiplog_ledger_last_append_timestamp_seconds{$sel})`, "last"}},
				},
				{
					kind: states, title: "Checks of /readyz", unit: "short", w: 24, warn: new(1.0), bad: new(0.5),
					words:       map[string]string{"0": "fails", "1": "well"},
					description: "Each check of /readyz by name. `shiplog status` says why one fails.",
					queries:     []query{{`shiplog_check_ok{$sel}`, "{{check}} {{instance}}"}},
					runbooks:    []string{"ShiplogNotReady"},
				},
			}},
			ledger(),
			jetstream(),
			sqlite(),
			{"Disk", []panel{
				{
					title: "Free disk", unit: "bytes", zero: true, w: 24,
					description: "Free space on the disk of the data directory, and the space below which nothing is recorded.",
					queries: []query{
						{`shiplog_disk_free_bytes{$sel}`, "free {{instance}}"},
						{`shiplog_disk_min_free_bytes{$sel}`, "least {{instance}}"},
					},
					runbooks: []string{"ShiplogDiskFillingUp"},
				},
			}},
		},
	}
}

// ledger is the row of the stream's figures.
func ledger() row {
	return row{"Ledger", []panel{
		{
			title: "Ledger bytes and limit", unit: "bytes", zero: true,
			description: "Size of the ledger's stream, and the size at which it takes no more.",
			queries: []query{
				{`max(shiplog_ledger_bytes{$sel})`, "ledger"},
				{`max(shiplog_ledger_max_bytes{$sel})`, "limit"},
			},
			runbooks: []string{"ShiplogLogNearLimit"},
		},
		{
			title: "Growth of the ledger", unit: "binBps",
			description: "Bytes by which the stream grows a second, over an hour.",
			queries:     []query{{`deriv(shiplog_ledger_bytes{$sel}[1h])`, "{{instance}}"}},
		},
		{
			title: "Last sequence", unit: "short",
			description: "Sequence of the last event, as each node knows it.",
			queries:     []query{{`shiplog_ledger_last_sequence{$sel}`, "{{instance}}"}},
		},
		{
			title: "Connected to NATS over time", unit: "bool_yes_no", kind: states, warn: new(1.0), bad: new(0.5),
			words:       map[string]string{"0": "no", "1": "yes"},
			description: "Whether each node had a connection to NATS.",
			queries:     []query{{`shiplog_nats_connected{$sel}`, "{{instance}}"}},
			runbooks:    []string{"ShiplogNATSDisconnected"},
		},
	}}
}

// jetstream is the row of what JetStream tells of itself.
func jetstream() row {
	return row{"JetStream", []panel{
		{
			title: "Streams full", unit: "percentunit", zero: true,
			description: "Size of each stream as a share of its limit. SHIPLOG_REJECTED drops its oldest at the limit; the others take no more.",
			queries:     []query{{`max by (stream) (shiplog_stream_bytes{$sel} / shiplog_stream_max_bytes{$sel})`, "{{stream}}"}},
			runbooks:    []string{"ShiplogLogNearLimit"},
		},
		{
			title: "Messages", unit: "short", zero: true,
			description: "Messages in the inbox and among the rejected.",
			queries:     []query{{`max by (stream) (shiplog_stream_messages{stream!="SHIPLOG_LEDGER", $sel})`, "{{stream}}"}},
			runbooks:    []string{"ShiplogInboxBacklog", "ShiplogRejectedEvents"},
		},
		{
			title: "Reading the inbox", unit: "short", zero: true,
			description: "Messages of the inbox not handed out, handed out and not acknowledged, and of those handed out again; and requests that wait for messages.",
			queries: []query{
				{`max(shiplog_consumer_pending{$sel})`, "not handed out"},
				{`max(shiplog_consumer_ack_pending{$sel})`, "not acknowledged"},
				{`max(shiplog_consumer_redelivered{$sel})`, "handed out again"},
				{`max(shiplog_consumer_waiting{$sel})`, "requests that wait"},
			},
			runbooks: []string{"ShiplogInboxBacklog"},
		},
		{
			title: "Reconnects to NATS", unit: "short", zero: true,
			description: "Times that a node's connection to NATS was lost and came back, by interval.",
			queries:     []query{{`increase(shiplog_nats_reconnects_total{$sel}[$__rate_interval])`, "{{instance}}"}},
			runbooks:    []string{"ShiplogNATSDisconnected"},
		},
		{
			title: "Streams with a leader", unit: "bool_yes_no", kind: states, warn: new(1.0), bad: new(0.5),
			words:       map[string]string{"0": "no", "1": "yes"},
			description: "Whether each stream has a Raft leader and answers, as each node sees it. Without one nothing is stored.",
			queries:     []query{{`shiplog_stream_has_leader{$sel}`, "{{stream}} {{instance}}"}},
			runbooks:    []string{"ShiplogNATSDisconnected"},
		},
		{
			title: "Copies of the ledger", unit: "short", zero: true,
			description: "Copies of the ledger's stream by state, and how many operations the slowest is behind. One, current, is what a node with its embedded server has.",
			queries: []query{
				{`max by (state) (shiplog_stream_replicas{stream="SHIPLOG_LEDGER", $sel})`, "{{state}}"},
				{`max(shiplog_stream_replica_lag{stream="SHIPLOG_LEDGER", $sel})`, "operations behind"},
			},
		},
	}}
}

// sqlite is the row of the read model's file.
func sqlite() row {
	return row{"Read model (SQLite)", []panel{
		{
			title: "Size of the read model", unit: "bytes", zero: true,
			description: "The file of the read model and its write-ahead log. The log grows while it cannot be checkpointed.",
			queries: []query{
				{`shiplog_sqlite_database_bytes{$sel}`, "database {{instance}}"},
				{`shiplog_sqlite_wal_bytes{$sel}`, "write-ahead log {{instance}}"},
			},
			runbooks: []string{"ShiplogDiskFillingUp"},
		},
		{
			title: "Transactions", unit: "s", zero: true,
			description: "Time that a transaction of the read model took, median and slowest hundredth, replay included.",
			queries: []query{
				{`histogram_quantile(0.5, sum by (le) (rate(shiplog_projection_apply_duration_seconds_bucket{projection="panel", $sel}[$__rate_interval])))`, "median"},
				{`histogram_quantile(0.99, sum by (le) (rate(shiplog_projection_apply_duration_seconds_bucket{projection="panel", $sel}[$__rate_interval])))`, "99 %"},
			},
			runbooks: []string{"ShiplogProjectionLagging"},
		},
		{
			title: "Connections that read", unit: "short", zero: true, stack: true, w: 24,
			description: "Connections that read the read model, by whether they are in use. All in use for long, requests wait.",
			queries:     []query{{`sum by (state) (shiplog_sqlite_readers{$sel})`, "{{state}}"}},
		},
	}}
}
