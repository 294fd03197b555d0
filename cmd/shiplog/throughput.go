package main

import (
	"bytes"
	"context"
	"math"
	"net/http"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"shiplog/ops"
)

// lookTimeout bounds how long a node may take to tell of itself once.
const lookTimeout = 5 * time.Second

// A throughput is what goes through a node, as of one moment. Rates are means
// since the moment before, a second; they are nil where there was none, or where
// the node has begun to count anew since.
type throughput struct {
	Time        time.Time        `json:"time"`
	Ready       bool             `json:"ready"`
	Red         []ops.Finding    `json:"red"` // the checks that fail
	Submissions submissionRates  `json:"submissions"`
	Ledger      ledgerRate       `json:"ledger"`
	Projections []projectionRate `json:"projections"`
	Requests    []requestRate    `json:"requests"`
	Inbox       *uint64          `json:"inbox_pending"`   // nil while NATS gives no answer
	Rejected    *uint64          `json:"rejected_events"` // that are kept; nil likewise
	DiskFree    uint64           `json:"disk_free_bytes"`
	DiskMinFree uint64           `json:"disk_min_free_bytes"`
}

// submissionRates are by what became of submissions, whatever way they came in.
type submissionRates struct {
	Accepted  *float64 `json:"accepted_per_second"`
	Duplicate *float64 `json:"duplicate_per_second"`
	Rejected  *float64 `json:"rejected_per_second"`
	Error     *float64 `json:"error_per_second"` // not decided: to be sent again
}

// ledgerRate counts the events of every node.
type ledgerRate struct {
	Head            uint64   `json:"head"`
	EventsPerSecond *float64 `json:"events_per_second"`
	Bytes           uint64   `json:"bytes"`
	MaxBytes        int64    `json:"max_bytes"`
}

type projectionRate struct {
	ops.ProjectionStatus
	EventsPerSecond *float64 `json:"events_per_second"`
}

// requestRate is of one kind of request to the public listener.
type requestRate struct {
	Kind      string   `json:"kind"` // pages, feeds or api
	PerSecond *float64 `json:"per_second"`
	// Share3xx is the share of 304 and redirects; nil where nobody asked.
	Share3xx *float64 `json:"share_3xx"`
}

// A sample is what a node tells of itself at one moment. It is asked twice, so
// each answer has the time it came at.
type sample struct {
	status     ops.Status
	statusTime time.Time
	totals     totals
	totalsTime time.Time
}

// totals are sums of a node's metrics by the label that matters.
type totals struct {
	submissions       map[string]float64 // by outcome
	requests          map[string]float64 // by kind
	unchanged         map[string]float64 // those of requests that were answered 3xx
	diskFree, minFree float64
}

// requestKinds are the kinds of requests, in the order they are shown.
var requestKinds = []string{"pages", "feeds", "api"}

// sampleOf asks a node.
func sampleOf(ctx context.Context, c *client) (*sample, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	s := &sample{}
	if _, err := c.get(ctx, "/admin/v1/status", &s.status); err != nil {
		return nil, err
	}
	s.statusTime = time.Now()
	r, err := c.call(ctx, lookTimeout, http.MethodGet, "/metrics", "", nil)
	if err != nil {
		return nil, err
	}
	s.totalsTime = time.Now()
	if r.status != http.StatusOK {
		return nil, c.refused(r)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(r.body))
	if err != nil {
		return nil, c.strange(r)
	}
	s.totals = totalsOf(families)
	return s, nil
}

func totalsOf(families map[string]*dto.MetricFamily) totals {
	t := totals{submissions: map[string]float64{}, requests: map[string]float64{}, unchanged: map[string]float64{}}
	for _, m := range families["shiplog_submissions_total"].GetMetric() {
		t.submissions[labelOf(m, "outcome")] += m.GetCounter().GetValue()
	}
	for _, m := range families["shiplog_http_requests_total"].GetMetric() {
		kind := requestKind(labelOf(m, "route"))
		t.requests[kind] += m.GetCounter().GetValue()
		if labelOf(m, "code") == "3xx" {
			t.unchanged[kind] += m.GetCounter().GetValue()
		}
	}
	for _, m := range families["shiplog_disk_free_bytes"].GetMetric() {
		t.diskFree = m.GetGauge().GetValue()
	}
	for _, m := range families["shiplog_disk_min_free_bytes"].GetMetric() {
		t.minFree = m.GetGauge().GetValue()
	}
	return t
}

func labelOf(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

// requestKind is what is asked for by a route. Pictures and the style sheet go
// with the pages that show them.
func requestKind(route string) string {
	switch {
	case strings.HasPrefix(route, "/api/"):
		return "api"
	case strings.HasPrefix(route, "/feeds/"), route == "/feeds.opml":
		return "feeds"
	}
	return "pages"
}

// since is what went through the node since an earlier sample, nil for none.
func (s *sample) since(before *sample) throughput {
	if before == nil {
		before = &sample{}
	}
	asked, counted := s.statusTime.Sub(before.statusTime), s.totalsTime.Sub(before.totalsTime)
	if before.statusTime.IsZero() {
		asked, counted = 0, 0
	}
	of := func(outcome string) *float64 {
		return rate(before.totals.submissions[outcome], s.totals.submissions[outcome], counted)
	}
	t := throughput{
		Time: s.statusTime.UTC().Truncate(time.Millisecond), Ready: s.status.Ready, Red: []ops.Finding{},
		Submissions: submissionRates{of("accepted"), of("duplicate"), of("rejected"), of("error")},
		Ledger: ledgerRate{
			Head: s.status.Ledger.Head, EventsPerSecond: rate(float64(before.status.Ledger.Head), float64(s.status.Ledger.Head), asked),
			Bytes: s.status.Ledger.Bytes, MaxBytes: s.status.Ledger.MaxBytes,
		},
		Inbox: s.status.Inbox.Pending, Rejected: s.status.Rejected.Count,
		DiskFree: uint64(s.totals.diskFree), DiskMinFree: uint64(s.totals.minFree),
	}
	for _, f := range s.status.Checks {
		if !f.OK {
			t.Red = append(t.Red, f)
		}
	}
	for _, p := range s.status.Projections {
		t.Projections = append(t.Projections, projectionRate{p, rate(before.position(p.Name), float64(p.Position), asked)})
	}
	for _, kind := range requestKinds {
		r := requestRate{Kind: kind, PerSecond: rate(before.totals.requests[kind], s.totals.requests[kind], counted)}
		if all := s.totals.requests[kind] - before.totals.requests[kind]; r.PerSecond != nil && all > 0 {
			share := math.Round(1000*(s.totals.unchanged[kind]-before.totals.unchanged[kind])/all) / 1000
			r.Share3xx = &share
		}
		t.Requests = append(t.Requests, r)
	}
	return t
}

// position is where a projection was; out of reach for one that was not there.
func (s *sample) position(name string) float64 {
	for _, p := range s.status.Projections {
		if p.Name == name {
			return float64(p.Position)
		}
	}
	return math.Inf(1)
}

// rate is a difference over a time, a second, to a tenth.
func rate(before, now float64, took time.Duration) *float64 {
	if took <= 0 || now < before {
		return nil
	}
	r := math.Round(10*(now-before)/took.Seconds()) / 10
	return &r
}
