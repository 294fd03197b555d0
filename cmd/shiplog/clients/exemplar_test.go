//go:build clients

package clients_test

import (
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"
)

// A point of a graph leads to a trace: the exemplar that a real Prometheus keeps of a
// commit carries, under the name that Grafana is told to look for, the id of a trace
// that the collector was sent.
func TestClientExemplarsLeadToTraces(t *testing.T) {
	traces := collect(t)
	n := start(t, t.TempDir(), "--demo", "--otlp-endpoint", traces.url)
	prom := startPrometheusWith(t, n, t.TempDir(), "--enable-feature=exemplar-storage")
	shiplog(t, 0, "review", "--to", n.Base, "--tool", "traced", "--tool-name", "Traced", "--reviewer", "ruth", "--reviewer-name", "Ruth", "--verdict", "ship", "--body", "Followed.")
	settle(t, n)
	label := exemplarLabel(t)
	for _, metric := range []string{"shiplog_commit_duration_seconds_bucket", "shiplog_projection_latency_seconds_bucket", "shiplog_http_request_duration_seconds_bucket"} {
		eventually(t, "an exemplar of "+metric+" leads to a trace", func() bool {
			return slices.ContainsFunc(prom.exemplars(t, metric, label), traces.has)
		})
	}
}

// A traceSink is a collector of traces that remembers their ids.
type traceSink struct {
	url string
	mu  sync.Mutex
	ids map[string]bool
}

func collect(t *testing.T) *traceSink {
	t.Helper()
	s := &traceSink{ids: map[string]bool{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		var request collector.ExportTraceServiceRequest
		if err != nil || proto.Unmarshal(body, &request) != nil {
			http.Error(w, "no traces", http.StatusBadRequest)
			return
		}
		s.take(&request)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *traceSink) take(request *collector.ExportTraceServiceRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, resource := range request.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				s.ids[hex.EncodeToString(span.GetTraceId())] = true
			}
		}
	}
}

func (s *traceSink) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids[id]
}

// exemplarLabel is where Grafana looks for the id of a trace.
func exemplarLabel(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(operations, "grafana/provisioning/datasources/shiplog.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var sources struct {
		Datasources []struct {
			JSONData struct {
				Exemplars []struct{ Name string } `yaml:"exemplarTraceIdDestinations"`
			} `yaml:"jsonData"`
		}
	}
	if err := yaml.Unmarshal(raw, &sources); err != nil {
		t.Fatal(err)
	}
	for _, s := range sources.Datasources {
		if len(s.JSONData.Exemplars) > 0 {
			return s.JSONData.Exemplars[0].Name
		}
	}
	t.Fatal("Grafana is told of no exemplars")
	return ""
}

// exemplars are a label of those that Prometheus keeps of a metric.
func (p promServer) exemplars(t *testing.T, metric, label string) []string {
	t.Helper()
	raw := get(t, p.url+"/api/v1/query_exemplars?"+url.Values{"query": {metric}, "start": {"0"}, "end": {"9999999999"}}.Encode())
	var answer struct {
		Data []struct {
			Exemplars []struct{ Labels map[string]string }
		}
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, series := range answer.Data {
		for _, e := range series.Exemplars {
			found = append(found, e.Labels[label])
		}
	}
	return found
}
