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
