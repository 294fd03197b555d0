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
	readers  [][6]prometheus.Counter // by place of the family, by class of status code
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
	readers := m.addReaders()
	if reg == nil {
		return m, nil
	}
	return m, errors.Join(reg.Register(vec), reg.Register(builds), reg.Register(readers))
}

func (m *metrics) addReaders() *prometheus.CounterVec {
	vec := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "shiplog_feed_reader_requests_total",
		Help: "Requests for feeds, by the family of reader that User-Agent names and class of status code.",
	}, []string{"reader", "code"})
	m.readers = make([][6]prometheus.Counter, len(families))
	for i, f := range families {
		for class := 2; class <= 5; class++ {
			m.readers[i][class] = vec.WithLabelValues(f.name, strconv.Itoa(class)+"xx")
		}
	}
	return vec
}

// countReader counts a request of a reader.
func (m *metrics) countReader(family uint8, status int) {
	if c := m.readers[family][status/100]; c != nil {
		c.Inc()
	}
}

func (m *metrics) count(kind Kind, format Format, status int) {
	if classes := m.requests[asked{kind, format}]; classes != nil {
		if c := classes[status/100]; c != nil {
			c.Inc()
		}
	}
}
