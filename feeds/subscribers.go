package feeds

import "github.com/prometheus/client_golang/prometheus"

// announcedSubscribers tells how many people services say that they ask for.
type announcedSubscribers struct{ readers *readers }

func subscribersDesc() *prometheus.Desc {
	return prometheus.NewDesc("shiplog_feed_subscribers",
		"Subscribers that services announced in the last two weeks for the feeds of a kind, as they say themselves.",
		[]string{"feed", "reader"}, nil)
}

// Describe implements prometheus.Collector.
func (announcedSubscribers) Describe(ch chan<- *prometheus.Desc) { ch <- subscribersDesc() }

// Collect implements prometheus.Collector.
func (a announcedSubscribers) Collect(ch chan<- prometheus.Metric) {
	desc, sums := subscribersDesc(), a.readers.sums()
	for _, kind := range Kinds() {
		for _, f := range families {
			if f.announces {
				value := float64(sums[announcedBy{kind, f.name}])
				ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, string(kind), f.name)
			}
		}
	}
}
