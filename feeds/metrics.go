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
	requests map[asked]*classes
	builds   map[Kind]prometheus.Counter
	readers  []classes // by place of the family

	notModified []prometheus.Counter // by place of the family
}

// classes are counters by class of status code, of which there are none of 0 and
// 1. Nil counts nothing.
type classes [6]prometheus.Counter

func (c *classes) count(status int) {
	if c != nil && c[status/100] != nil {
		c[status/100].Inc()
	}
}

func newClasses(of func(code string) prometheus.Counter) (c classes) {
	for class := 2; class <= 5; class++ {
		c[class] = of(strconv.Itoa(class) + "xx")
	}
	return c
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
	m := &metrics{requests: map[asked]*classes{}, builds: map[Kind]prometheus.Counter{}}
	add := func(a asked) {
		c := newClasses(func(code string) prometheus.Counter {
			return vec.WithLabelValues(string(a.kind), string(a.format), code)
		})
		m.requests[a] = &c
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
	readers, notModified := m.addReaders()
	if reg == nil {
		return m, nil
	}
	return m, errors.Join(reg.Register(vec), reg.Register(builds), reg.Register(readers), reg.Register(notModified))
}

func (m *metrics) addReaders() (requests, notModified *prometheus.CounterVec) {
	requests = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "shiplog_feed_reader_requests_total",
		Help: "Requests for feeds, by the family of reader that User-Agent names and class of status code.",
	}, []string{"reader", "code"})
	notModified = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "shiplog_feed_not_modified_total",
		Help: "Requests for feeds that were answered 304, by the family of reader that User-Agent names; class 3xx holds redirects, too.",
	}, []string{"reader"})
	for _, f := range families {
		m.readers = append(m.readers, newClasses(func(code string) prometheus.Counter { return requests.WithLabelValues(f.name, code) }))
		m.notModified = append(m.notModified, notModified.WithLabelValues(f.name))
	}
	return requests, notModified
}

// of are the counters of a kind of feeds in a format, nil where there are none
// such.
func (m *metrics) of(kind Kind, format Format) *classes { return m.requests[asked{kind, format}] }
