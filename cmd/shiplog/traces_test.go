package main

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	dto "github.com/prometheus/client_model/go"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"shiplog/events/ledger/ledgertest"
	"shiplog/events/logtest"
)

// A sink is a collector that takes OTLP over HTTP.
type sink struct {
	*httptest.Server
	mu    sync.Mutex
	spans []*otlp.Span
}

func newSink(t *testing.T) *sink {
	t.Helper()
	s := &sink{}
	s.Server = httptest.NewServer(http.HandlerFunc(s.take))
	t.Cleanup(s.Close)
	// What a batch of spans waits for otherwise is five seconds.
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
	return s
}

func (s *sink) take(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil && r.Header.Get("Content-Encoding") == "gzip" {
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(body)); err == nil {
			body, err = io.ReadAll(z)
		}
	}
	var request collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &request)
	}
	if err != nil || r.URL.Path != "/v1/traces" {
		http.Error(w, "no spans", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range request.GetResourceSpans() {
		for _, in := range of.GetScopeSpans() {
			s.spans = append(s.spans, in.GetSpans()...)
		}
	}
}

// named are the spans of a trace that have a name; of every trace for "".
func (s *sink) named(traceID, name string) (found []*otlp.Span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, span := range s.spans {
		if span.GetName() == name && (traceID == "" || hex.EncodeToString(span.GetTraceId()) == traceID) {
			found = append(found, span)
		}
	}
	return found
}

// one waits for the only span of a trace that has a name.
func (s *sink) one(n aNode, traceID, name string) *otlp.Span {
	n.t.Helper()
	n.until("there is a span "+name, func() bool { return len(s.named(traceID, name)) > 0 })
	found := s.named(traceID, name)
	if len(found) > 1 {
		n.t.Errorf("%d spans %s in trace %s", len(found), name, traceID)
	}
	return found[0]
}

// attributes are those of a span, as text.
func attributes(s *otlp.Span) map[string]string {
	all := map[string]string{}
	for _, a := range s.GetAttributes() {
		all[a.GetKey()] = a.GetValue().GetStringValue()
		if n, ok := a.GetValue().GetValue().(*common.AnyValue_IntValue); ok {
			all[a.GetKey()] = strconv.FormatInt(n.IntValue, 10)
		}
	}
	return all
}

// holds reports a child that is not below its parent.
func holds(t *testing.T, parent, child *otlp.Span) {
	t.Helper()
	if !bytes.Equal(child.GetParentSpanId(), parent.GetSpanId()) || !bytes.Equal(child.GetTraceId(), parent.GetTraceId()) {
		t.Errorf("%s is not below %s", child.GetName(), parent.GetName())
	}
}

func linksTo(from, to *otlp.Span) bool {
	return slices.ContainsFunc(from.GetLinks(), func(l *otlp.Span_Link) bool { return bytes.Equal(l.GetSpanId(), to.GetSpanId()) })
}

const (
	writersTrace = "0af7651916cd43dd8448eb211c80319c"
	readersTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	parentSpan   = "b7ad6b7169203331"
)

// traceparent names a span as W3C Trace Context does, to be sampled.
func traceparent(trace string) string { return "00-" + trace + "-" + parentSpan + "-01" }

// within sends a request in a trace.
func (n aNode) within(trace, method, path, body string) {
	n.t.Helper()
	req, err := http.NewRequestWithContext(n.t.Context(), method, "http://"+n.Addr()+path, strings.NewReader(body))
	if err != nil {
		n.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Traceparent", traceparent(trace))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		n.t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode >= 300 {
		n.t.Fatalf("%s %s: %s", method, path, res.Status)
	}
}

// aRevision is a review that changes the verdict of [aReview].
func aRevision(id, tool string) string {
	return strings.Replace(aReview(id, tool), `"ship"`, `"skip"`, 1)
}

// A submission over HTTP is one trace, from the request through the commit and
// the projection to the feed that shows it, though another request had the feed
// made.
func TestTraceOfARequest(t *testing.T) {
	to := newSink(t)
	n := startNode(t, t.TempDir(), "--otlp-endpoint", to.URL)
	n.submit(aReview("first", "awl")) // three events, which may be applied in two batches
	n.caughtUp()
	n.within(writersTrace, http.MethodPost, "/api/v1/events", aRevision("traced", "awl"))
	n.caughtUp()
	n.within(readersTrace, http.MethodGet, "/feeds/reviews.atom", "")

	post := to.one(n, writersTrace, "POST /api/v1/events")
	if got := hex.EncodeToString(post.GetParentSpanId()); got != parentSpan {
		t.Errorf("the request is below %s", got)
	}
	// What the semantic conventions for HTTP require of a server's span.
	want := map[string]string{
		"http.request.method": "POST", "url.path": "/api/v1/events", "url.scheme": "http", "http.route": "/api/v1/events", "http.response.status_code": "201",
	}
	if diff := cmp.Diff(want, attributes(post)); diff != "" {
		t.Errorf("the request's attributes (-want +got):\n%s", diff)
	}
	commit := to.one(n, writersTrace, "commit")
	project := to.one(n, writersTrace, "project panel")
	feed := to.one(n, writersTrace, "feed reviews")
	holds(t, post, commit)
	holds(t, commit, project)
	holds(t, project, feed)
	if !linksTo(commit, post) || !linksTo(project, commit) {
		t.Error("a batch does not link to its submission")
	}
	made := to.one(n, readersTrace, "feed reviews")
	holds(t, to.one(n, readersTrace, "GET /feeds/{file}"), made)
	if !linksTo(feed, made) || !linksTo(made, project) {
		t.Error("the reader's trace and the submission's do not lead to each other")
	}
	for _, later := range []*otlp.Span{project, feed} {
		if later.GetStartTimeUnixNano() < commit.GetStartTimeUnixNano() || later.GetEndTimeUnixNano() < later.GetStartTimeUnixNano() {
			t.Errorf("%s is out of order", later.GetName())
		}
	}
	// Made again for a newer event, the feed is no news of the older one.
	n.submit(aReview("other", "gimlet"))
	n.caughtUp()
	n.within(readersTrace, http.MethodGet, "/feeds/reviews.atom", "")
	n.until("the feed was made again", func() bool { return len(to.named(readersTrace, "feed reviews")) == 2 })
	to.one(n, writersTrace, "feed reviews")
}

// The context of a trace travels in NATS headers, in lower case as it is sent,
// and nothing of it is stored.
func TestTraceOfAMessage(t *testing.T) {
	to := newSink(t)
	n := startNode(t, t.TempDir(), "--otlp-endpoint", to.URL)
	nc, err := nats.Connect("nats://"+n.server.Addr(), nats.Name("a publisher"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	n.submit("[" + aReview("first", "awl") + "," + aReview("second", "gimlet") + "]")
	n.caughtUp()
	for name, c := range map[string]struct{ subject, trace, tool string }{
		"submit": {"shiplog.submit.local", writersTrace, "awl"},
		"inbox":  {"shiplog.inbox.local", readersTrace, "gimlet"},
	} {
		msg := &nats.Msg{Subject: c.subject, Header: nats.Header{"traceparent": {traceparent(c.trace)}}, Data: []byte(aRevision(name, c.tool))}
		if _, err := nc.RequestMsg(msg, waitTime); err != nil {
			t.Fatal(err)
		}
		received := to.one(n, c.trace, name)
		if got := hex.EncodeToString(received.GetParentSpanId()); got != parentSpan {
			t.Errorf("%s is below %s", name, got)
		}
		commit := to.one(n, c.trace, "commit")
		holds(t, received, commit)
		holds(t, commit, to.one(n, c.trace, "project panel"))
	}
	head, err := n.ledger.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := n.ledger.Get(t.Context(), head)
	if err != nil || bytes.Contains(raw, []byte(readersTrace)) {
		t.Errorf("stored: %s, %v", raw, err)
	}
}

// Neither a replay nor a rebuild is in a trace.
func TestNoTraceOfAReplay(t *testing.T) {
	dir := t.TempDir()
	first := startNode(t, dir)
	first.submit(aReview("before", "awl"))
	first.caughtUp()
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}
	to := newSink(t)
	n := startNode(t, dir, "--otlp-endpoint", to.URL)
	n.caughtUp()
	n.within(writersTrace, http.MethodPost, "/api/v1/events", aRevision("after", "awl"))
	n.caughtUp()
	to.one(n, writersTrace, "project panel")
	if exit, _, stderr := n.run("rebuild"); exit != 0 {
		t.Fatal(stderr)
	}
	n.within(readersTrace, http.MethodGet, "/tools", "")
	to.one(n, readersTrace, "GET /tools")
	if got := len(to.named("", "project panel")); got != 1 {
		t.Errorf("%d batches are in traces, want that of the live event", got)
	}
	if got := len(to.named("", "commit")); got != 1 {
		t.Errorf("%d commits are in traces", got)
	}
}

// Without an endpoint there is no tracer.
func TestNoTracesUnlessWanted(t *testing.T) {
	if n := startNode(t, t.TempDir()); n.spans != nil {
		t.Error("a node that was told of no collector makes spans")
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
	if n := startNode(t, t.TempDir()); n.spans == nil {
		t.Error("OTEL_EXPORTER_OTLP_ENDPOINT is not heard")
	}
	t.Setenv("OTEL_SDK_DISABLED", "true")
	if n := startNode(t, t.TempDir()); n.spans != nil {
		t.Error("OTEL_SDK_DISABLED is not heard")
	}
}

// Spans that do not fit into the queue are told by those that ended.
func TestSpansThatDoNotFit(t *testing.T) {
	release := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(slow.Close)
	free := sync.OnceFunc(func() { close(release) })
	t.Cleanup(free)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "10")
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "2")
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1")
	n := startNode(t, t.TempDir(), "--otlp-endpoint", slow.URL)
	for range 20 {
		n.page("/tools")
	}
	ended := func() float64 { return n.metric("shiplog_trace_spans_ended_total") }
	n.until("all have ended", func() bool { return ended() >= 20 })
	free()
	handed := func() float64 {
		return n.metric(`shiplog_trace_spans_total{outcome="sent"}`) + n.metric(`shiplog_trace_spans_total{outcome="failed"}`)
	}
	n.until("some were sent", func() bool { return handed() > 0 })
	if got, all := handed(), ended(); got > all/2 {
		t.Errorf("%v of %v spans were handed to a collector that took none", got, all)
	}
}

// A collector that is gone costs one line of the log and nobody's time.
func TestCollectorIsGone(t *testing.T) {
	gone := "http://" + ledgertest.ReserveAddr(t)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "10")
	t.Setenv("OTEL_BSP_EXPORT_TIMEOUT", "100")
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "100")
	var log logtest.Book
	app, err := startLogging(t.Context(), &log, t.TempDir(), "--otlp-endpoint", gone)
	if err != nil {
		t.Fatal(err)
	}
	n := aNode{app, t}
	failed := func() float64 { return n.metric(`shiplog_trace_spans_total{outcome="failed"}`) }
	for i := 0; failed() < 20; i++ {
		if status, body := n.submit(aReview(fmt.Sprint("review-", i), "awl")); status >= 300 {
			t.Fatalf("%d %s", status, body)
		}
	}
	start := time.Now()
	if err := app.Stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > waitTime {
		t.Errorf("stopping took %s", took)
	}
	if got := strings.Count(log.String(), "traces cannot be sent"); got != 1 {
		t.Errorf("%d lines of the log tell of it:\n%s", got, log.String())
	}
}

// Histograms are classic and native at once, with the traces of what they
// measured; OpenMetrics shows those.
func TestExemplars(t *testing.T) {
	to := newSink(t)
	n := startNode(t, t.TempDir(), "--otlp-endpoint", to.URL)
	n.within(writersTrace, http.MethodPost, "/api/v1/events", aReview("traced", "awl"))
	n.caughtUp()
	to.one(n, writersTrace, "commit")

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+n.OpsAddr()+"/metrics", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || !bytes.HasSuffix(text, []byte("# EOF\n")) {
		t.Fatalf("no OpenMetrics: %v", err)
	}
	families, err := n.reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for name, series := range map[string]string{
		"shiplog_commit_duration_seconds":       "",
		"shiplog_projection_latency_seconds":    `projection="panel",`,
		"shiplog_http_request_duration_seconds": `method="POST",route="/api/v1/events",`,
	} {
		shown := regexp.MustCompile(regexp.QuoteMeta(name+"_bucket{"+series) + `le="[^"]+"\} \d+ # \{[^}]*trace_id="` + writersTrace)
		if !shown.Match(text) {
			t.Errorf("OpenMetrics shows no trace beside %s", name)
		}
		i := slices.IndexFunc(families, func(f *dto.MetricFamily) bool { return f.GetName() == name })
		if !slices.ContainsFunc(families[i].GetMetric(), func(m *dto.Metric) bool { return len(m.GetHistogram().GetExemplars()) > 0 }) {
			t.Errorf("the native histogram %s has no trace beside it", name)
		}
	}
}
