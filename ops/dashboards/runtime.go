package dashboards

// runtime is the dashboard of the process and of Go's runtime.
func runtime() board {
	return board{
		uid: "shiplog-go", title: "Shiplog / Go runtime",
		description: "Memory, CPU, goroutines, garbage collection and files of the process.",
		rows: []row{
			{"Process", []panel{
				{
					title: "CPU", unit: "short", zero: true,
					description: "CPU seconds used a second, and how many the runtime may use.",
					queries: []query{
						{`rate(process_cpu_seconds_total{$sel}[$__rate_interval])`, "used {{instance}}"},
						{`go_sched_gomaxprocs_threads{$sel}`, "may use {{instance}}"},
					},
				},
				{
					title: "Resident memory", unit: "bytes", zero: true,
					description: "Memory of the process that is in RAM, and what Go holds of it. The ledger, the read model and the decisions are files; much of the rest is their pages.",
					queries: []query{
						{`process_resident_memory_bytes{$sel}`, "resident {{instance}}"},
						{`go_memstats_sys_bytes{$sel} - go_memstats_heap_released_bytes{$sel}`, "held by Go {{instance}}"},
					},
				},
				{
					title: "Open files", unit: "short", zero: true,
					description: "File descriptors in use, connections included.",
					queries:     []query{{`process_open_fds{$sel}`, "{{instance}}"}},
				},
				{
					title: "Up since", unit: "dateTimeFromNow", kind: figure, w: 6, h: 8,
					description: "When the process started.",
					queries:     []query{{`1000 * process_start_time_seconds{$sel}`, "{{instance}}"}},
					runbooks:    []string{"ShiplogRestarting"},
				},
				{
					title: "Limit of files", unit: "short", kind: figure, w: 6, h: 8,
					description: "File descriptors that the process may have open.",
					queries:     []query{{`process_max_fds{$sel}`, "{{instance}}"}},
				},
				{
					title: "Network", unit: "binBps",
					description: "Bytes received and sent a second by the process's network namespace.",
					queries: []query{
						{`rate(process_network_receive_bytes_total{$sel}[$__rate_interval])`, "received {{instance}}"},
						{`rate(process_network_transmit_bytes_total{$sel}[$__rate_interval])`, "sent {{instance}}"},
					},
				},
				{
					title: "Scrape", unit: "s", zero: true,
					description: "How long Prometheus took to scrape the node.",
					queries:     []query{{`scrape_duration_seconds{$sel}`, "{{instance}}"}},
					runbooks:    []string{"ShiplogDown"},
				},
			}},
			goRow(),
			{"Log and traces", []panel{
				{
					title: "Lines of the log", unit: "ops", zero: true,
					description: "Lines written to the log a second, by level. Errors are for somebody to look at.",
					queries:     []query{{`sum by (level) (rate(shiplog_log_records_total{$sel}[$__rate_interval]))`, "{{level}}"}},
				},
				{
					title: "Spans", unit: "ops", zero: true,
					description: "Spans sent to the collector a second, and those that could not be and were dropped. Where more end than that, the queue was full: sample, or raise OTEL_BSP_MAX_QUEUE_SIZE. Nothing where traces are off.",
					queries: []query{
						{`sum by (outcome) (rate(shiplog_trace_spans_total{$sel}[$__rate_interval]))`, "{{outcome}}"},
						{`sum(rate(shiplog_trace_spans_ended_total{$sel}[$__rate_interval]))`, "ended"},
					},
				},
			}},
		},
	}
}

// goRow is the row of Go's own figures.
func goRow() row {
	return row{"Go", []panel{
		{
			title: "Heap", unit: "bytes", zero: true,
			description: "Heap in use, the size at which the next collection begins, and the limit GOMEMLIMIT where one is set.",
			queries: []query{
				{`go_memstats_heap_inuse_bytes{$sel}`, "in use {{instance}}"},
				{`go_memstats_next_gc_bytes{$sel}`, "next collection {{instance}}"},
				{`go_gc_gomemlimit_bytes{$sel} < 2^62`, "limit {{instance}}"},
			},
		},
		{
			title: "Allocations", unit: "binBps", zero: true,
			description: "Bytes allocated a second.",
			queries:     []query{{`rate(go_memstats_alloc_bytes_total{$sel}[$__rate_interval])`, "{{instance}}"}},
		},
		{
			title: "Goroutines and threads", unit: "short", zero: true,
			description: "A number of goroutines that only grows is a leak.",
			queries: []query{
				{`go_goroutines{$sel}`, "goroutines {{instance}}"},
				{`go_threads{$sel}`, "threads {{instance}}"},
			},
		},
		{
			title: "Garbage collection", unit: "s", zero: true,
			description: "The longest pause among the latest collections, and their mean over time.",
			queries: []query{
				{`max by (instance) (go_gc_duration_seconds{$sel})`, "longest {{instance}}"},
				{`rate(go_gc_duration_seconds_sum{$sel}[$__rate_interval]) / rate(go_gc_duration_seconds_count{$sel}[$__rate_interval])`, "mean {{instance}}"},
			},
		},
	}}
}
