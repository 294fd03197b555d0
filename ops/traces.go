package ops

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"shiplog/events/redact"
	"shiplog/events/tracing"
)

// TraceOptions say where traces go.
type TraceOptions struct {
	// Endpoint is the address of a collector that takes OTLP over HTTP. Empty is
	// what the variables of the OpenTelemetry specification say, which also say
	// the rest: OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_SAMPLER,
	// OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_BSP_MAX_QUEUE_SIZE and
	// the others.
	Endpoint string
	Build    Build
	Registry prometheus.Registerer
	Log      *slog.Logger
}

// Traces sends the spans of a node to a collector.
type Traces struct {
	Tracer   *tracing.Tracer
	provider *sdk.TracerProvider
}

// TracesWanted reports whether traces are to be sent: an endpoint is named, here
// or in the environment, and the environment does not forbid it.
func TracesWanted(endpoint string) bool {
	if os.Getenv("OTEL_SDK_DISABLED") == "true" || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return endpoint != "" || os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// spanPath is where a collector takes spans (OTLP/HTTP, section "OTLP/HTTP
// Request").
const spanPath = "/v1/traces"

// StartTraces makes a tracer whose spans are sent in the background. At most
// 2,048 wait; what does not fit is dropped, and nobody waits for any.
func StartTraces(ctx context.Context, o TraceOptions) (*Traces, error) {
	var options []otlptracehttp.Option
	if o.Endpoint != "" {
		u, err := collector(o.Endpoint)
		if err != nil {
			return nil, fmt.Errorf("--otlp-endpoint is %w", err)
		}
		if u.Path == "" || u.Path == "/" {
			u.Path = spanPath
		}
		options = append(options, otlptracehttp.WithEndpointURL(u.String()))
	}
	if err := checkTraceVariables(); err != nil {
		return nil, err
	}
	exporter, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("send traces: %w; see --otlp-endpoint and the variables OTEL_EXPORTER_OTLP_…", err)
	}
	described, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "shiplog"), attribute.String("service.version", o.Build.Version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("describe this node for traces: %w; see OTEL_RESOURCE_ATTRIBUTES", err)
	}
	queue := newSpanQueue(newSpanExporter(exporter, o.Registry, o.Log), o.Registry)
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(queue), sdk.WithResource(described))
	return &Traces{Tracer: tracing.New(provider), provider: provider}, nil
}

// checkTraceVariables refuses what the SDK would panic at, only complain of, or pass
// over: a queue of no size, a collector that is no address, a sampler or a protocol
// that there is not.
func checkTraceVariables() error {
	if err := errors.Join(checkSampler(), checkProtocol()); err != nil {
		return err
	}
	for _, name := range []string{"OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"} {
		if v := os.Getenv(name); v != "" {
			if n, err := strconv.Atoi(v); err != nil || n <= 0 {
				return fmt.Errorf("%s is %q; it must be a whole number above 0, or not set", name, v)
			}
		}
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"} {
		if v := os.Getenv(name); v != "" {
			if _, err := collector(v); err != nil {
				return fmt.Errorf("%s is %w", name, err)
			}
		}
	}
	return nil
}

// checkSampler holds the sampler to those of the SDK.
func checkSampler() error {
	const name, argument = "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"
	known := []string{"always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"}
	sampler := strings.ToLower(strings.TrimSpace(os.Getenv(name)))
	if sampler != "" && !slices.Contains(known, sampler) {
		return fmt.Errorf("%s is %q; it must be one of %s, or not set", name, sampler, strings.Join(known, ", "))
	}
	ratio := strings.TrimSpace(os.Getenv(argument))
	if ratio == "" || !strings.HasSuffix(sampler, "traceidratio") {
		return nil
	}
	if share, err := strconv.ParseFloat(ratio, 64); err != nil || !(share >= 0 && share <= 1) {
		return fmt.Errorf("%s is %q; it must be a number from 0 to 1, or not set", argument, ratio)
	}
	return nil
}

// checkProtocol refuses a protocol that spans are not sent by.
func checkProtocol() error {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"} {
		if v := os.Getenv(name); v != "" && v != "http/protobuf" {
			return fmt.Errorf("%s is %q; traces are sent by http/protobuf alone: name a port of the collector that takes it, such as 4318", name, v)
		}
	}
	return nil
}

// collector reads the address of one.
func collector(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q, which is no absolute http or https address; write one such as http://localhost:4318", redact.URL(address))
	}
	return u, nil
}

// flushTimeout bounds how long a stopping node tries to send the last spans.
const flushTimeout = 3 * time.Second

// Close sends what waits, unless that takes too long.
func (t *Traces) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // that spans were not sent has been logged
	return nil
}

// A spanQueue counts what ends, since what does not fit is dropped without a word.
type spanQueue struct {
	sdk.SpanProcessor
	ended prometheus.Counter
}

func newSpanQueue(to sdk.SpanExporter, reg prometheus.Registerer) *spanQueue {
	return &spanQueue{sdk.NewBatchSpanProcessor(to), promauto.With(reg).NewCounter(prometheus.CounterOpts{
		Name: "shiplog_trace_spans_ended_total",
		Help: "Spans that ended and were to be sent. Those that shiplog_trace_spans_total has under no outcome did not fit into the queue, but for the newest.",
	})}
}

// OnEnd implements [sdk.SpanProcessor].
func (q *spanQueue) OnEnd(s sdk.ReadOnlySpan) {
	if s.SpanContext().IsSampled() {
		q.ended.Inc()
	}
	q.SpanProcessor.OnEnd(s)
}

// A spanExporter says once that spans cannot be sent, and once that they can be
// again, and counts them.
type spanExporter struct {
	sdk.SpanExporter
	log          *slog.Logger
	failing      atomic.Bool
	sent, failed prometheus.Counter
}

func newSpanExporter(to sdk.SpanExporter, reg prometheus.Registerer, log *slog.Logger) *spanExporter {
	spans := promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "shiplog_trace_spans_total",
		Help: "Spans handed to the collector, by outcome: sent, or failed and dropped. None while traces are off.",
	}, []string{"outcome"})
	return &spanExporter{SpanExporter: to, log: log, sent: spans.WithLabelValues("sent"), failed: spans.WithLabelValues("failed")}
}

// ExportSpans implements [sdk.SpanExporter].
func (e *spanExporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	if err != nil {
		e.failed.Add(float64(len(spans)))
		if !e.failing.Swap(true) {
			e.log.LogAttrs(ctx, slog.LevelWarn, "traces cannot be sent; the node goes on without", slog.Any("error", err))
		}
		return nil // it is told, and OpenTelemetry would tell it again each time
	}
	e.sent.Add(float64(len(spans)))
	if e.failing.Swap(false) {
		e.log.LogAttrs(ctx, slog.LevelInfo, "traces are sent again")
	}
	return nil
}
