package feeds

import (
	"errors"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
)

// opml is the kind and format of the list of all feeds.
const opml = "opml"

// metrics counts requests by what was asked and how it ended. Every label set
// exists from the start, so that the first error is an increase.
type metrics struct {
	requests map[asked]*[6]prometheus.Counter // by class of status code
	builds   map[Kind]prometheus.Counter
}

type asked struct {
	kind   Kind
	format Format
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	vec := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "shiplog_feed_requests_total",
		Help: "Requests for feeds, by kind of feed, format and class of status code.",
	}, []string{"feed", "format", "code"})
	m := &metrics{requests: map[asked]*[6]prometheus.Counter{}, builds: map[Kind]prometheus.Counter{}}
	add := func(a asked) {
		var classes [6]prometheus.Counter
		for class := 2; class <= 5; class++ {
			classes[class] = vec.WithLabelValues(string(a.kind), string(a.format), strconv.Itoa(class)+"xx")
		}
		m.requests[a] = &classes
	}
	for _, kind := range Kinds() {
		for _, format := range Formats() {
			add(asked{kind, format})
		}
	}
	add(asked{opml, opml})
	builds := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "shiplog_feed_builds_total",
		Help: "Feeds built from the read model because something they show had changed, by kind of feed.",
	}, []string{"feed"})
	for a := range m.requests {
		m.builds[a.kind] = builds.WithLabelValues(string(a.kind))
	}
	if reg == nil {
		return m, nil
	}
	return m, errors.Join(reg.Register(vec), reg.Register(builds))
}

func (m *metrics) count(kind Kind, format Format, status int) {
	if classes := m.requests[asked{kind, format}]; classes != nil {
		if c := classes[status/100]; c != nil {
			c.Inc()
		}
	}
}
