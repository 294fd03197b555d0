package dashboards

func feeds() board {
	return board{
		uid: "shiplog-feeds", title: "Shiplog / Feeds and readers",
		description: "What subscribers and readers ask for, and how old what they get is.",
		rows: []row{
			{"Are feeds fresh?", []panel{feedAge(), feedBuilds()}},
			{"Subscribers", []panel{
				{
					title: "Requests by feed", unit: "reqps", zero: true, stack: true,
					description: "Requests for feeds a second, by kind of feed.",
					queries:     []query{{`sum by (feed) (rate(shiplog_feed_requests_total{$sel}[$__rate_interval]))`, "{{feed}}"}},
				},
				{
					title: "Requests by format", unit: "reqps", zero: true, stack: true,
					description: "Requests for feeds a second, by format.",
					queries:     []query{{`sum by (format) (rate(shiplog_feed_requests_total{$sel}[$__rate_interval]))`, "{{format}}"}},
				},
				{
					title: "Answered with 304", unit: "percentunit", zero: true,
					description: "Share of requests for feeds by readers that remembered what they had and were told that it is still so. The more, the better.",
					queries: []query{{`
sum(rate(shiplog_feed_not_modified_total{$sel}[$__rate_interval]))
/ sum(rate(shiplog_feed_requests_total{$sel}[$__rate_interval]))`, "not modified"}},
				},
				{
					title: "Requests by code", unit: "reqps", zero: true,
					description: "Requests for feeds a second, by class of status code.",
					queries:     []query{{`sum by (code) (rate(shiplog_feed_requests_total{$sel}[$__rate_interval]))`, "{{code}}"}},
					runbooks:    []string{"ShiplogReadErrorBudgetBurn"},
				},
			}},
			{"Readers", []panel{
				{
					title: "Announced subscribers", unit: "short", zero: true, stack: true,
					description: "People that services say they ask for, by service: the last number each gave for each feed in the last two weeks. Programs that people run themselves announce nothing.",
					queries:     []query{{`sum by (reader) (shiplog_feed_subscribers{$sel}) > 0`, "{{reader}}"}},
				},
				{
					title: "Announced subscribers by feed", unit: "short", zero: true, stack: true,
					description: "The same by kind of feed.",
					queries:     []query{{`sum by (feed) (shiplog_feed_subscribers{$sel}) > 0`, "{{feed}}"}},
				},
				{
					title: "Requests by reader", unit: "reqps", zero: true, stack: true,
					description: "Requests for feeds a second, by the family of reader that User-Agent names.",
					queries:     []query{{`sum by (reader) (rate(shiplog_feed_reader_requests_total{$sel}[$__rate_interval])) > 0`, "{{reader}}"}},
				},
				{
					title: "Answered with 304, by reader", unit: "percentunit", zero: true,
					description: "Share of requests of each family of reader that were answered with 304. One that stays at zero remembers nothing and costs the most.",
					queries: []query{{`
sum by (reader) (rate(shiplog_feed_not_modified_total{$sel}[$__rate_interval]))
/ (sum by (reader) (rate(shiplog_feed_reader_requests_total{$sel}[$__rate_interval])) > 0)`, "{{reader}}"}},
				},
			}},
			{"WebSub hub", []panel{
				{
					title: "Told to the hub", unit: "ops", zero: true,
					description: "Feed addresses told to the WebSub hub a second, by how that ended. Nothing where no hub is configured.",
					queries:     []query{{`sum by (outcome) (rate(shiplog_websub_notifications_total{$sel}[$__rate_interval]))`, "{{outcome}}"}},
				},
				{
					title: "Not told yet", unit: "short", zero: true,
					description: "Feed addresses whose change the hub has not taken yet. Subscribers that poll see it all the same.",
					queries:     []query{{`max by (instance) (shiplog_websub_pending{$sel})`, "{{instance}}"}},
				},
			}},
			{"Readers", []panel{
				{
					title: "Pages", unit: "reqps", zero: true, w: 24,
					description: "Pages read a second, the ten that are read most. API, feeds and files are on the dashboard HTTP.",
					queries:     []query{{`topk(10, sum by (route) (rate(shiplog_http_requests_total{route!~"/(api|feeds|static|favicon|robots).*", method=~"GET|HEAD", $sel}[$__rate_interval])))`, "{{route}}"}},
				},
			}},
		},
	}
}

func feedAge() panel {
	return panel{
		title: "Since the newest item", unit: "s", zero: true,
		description: "Time since the last event that changed an item of the feeds of a kind. It grows while nothing happens.",
		queries:     []query{{`time() - max by (feed) (shiplog_feed_last_item_timestamp_seconds{$sel} > 0)`, "{{feed}}"}},
		runbooks:    []string{"ShiplogFeedStale"},
	}
}

func feedBuilds() panel {
	return panel{
		title: "Feeds built", unit: "ops", zero: true,
		description: "Feeds built from the read model a second, because something they show had changed. Other requests are answered from memory.",
		queries:     []query{{`sum by (feed) (rate(shiplog_feed_builds_total{$sel}[$__rate_interval]))`, "{{feed}}"}},
	}
}
