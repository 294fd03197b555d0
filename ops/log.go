package ops

import (
	"context"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/lmittmann/tint"
	"github.com/mattn/go-isatty"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
)

// A Log is the log of a node. Lines that belong to a trace name it. The level
// can be changed at any time.
type Log struct {
	*slog.Logger
	Level *slog.LevelVar

	records *prometheus.CounterVec
}

// NewLog is a log that writes text with colours to a terminal, JSON elsewhere,
// or as format ("text", "json") says.
func NewLog(w io.Writer, format string, level slog.Level) *Log {
	l := &Log{Level: new(slog.LevelVar), records: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "shiplog_log_records_total",
		Help: "Lines written to the log, by level.",
	}, []string{"level"})}
	l.Level.Set(level)
	for _, known := range logLevels {
		l.records.WithLabelValues(levelName(known))
	}
	l.Logger = slog.New(&logHandler{l.writer(w, format), l.records})
	return l
}

func (l *Log) writer(w io.Writer, format string) slog.Handler {
	if format == "auto" || format == "" {
		format = "json"
		if isTerminal(w) {
			format = "text"
		}
	}
	if format == "json" {
		return slog.NewJSONHandler(w, &slog.HandlerOptions{Level: l.Level, ReplaceAttr: withUnit})
	}
	return tint.NewTextHandler(w, &tint.Options{Level: l.Level, TimeFormat: time.TimeOnly, NoColor: !isTerminal(w)})
}

// withUnit writes a duration as text has it, such as "1.5s": a bare number would
// not say of what.
func withUnit(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(a.Value.Duration().String())
	}
	return a
}

// Register adds the log's metric.
func (l *Log) Register(reg prometheus.Registerer) error { return reg.Register(l.records) }

var logLevels = []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}

// levelName is the name of the level, or of the next one below: "debug", "info",
// "warn" or "error".
func levelName(level slog.Level) string {
	switch {
	case level >= slog.LevelError:
		return "error"
	case level >= slog.LevelWarn:
		return "warn"
	case level >= slog.LevelInfo:
		return "info"
	}
	return "debug"
}

// logHandler counts lines and names the traces they belong to.
type logHandler struct {
	slog.Handler
	records *prometheus.CounterVec
}

// Handle implements [slog.Handler].
func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	h.records.WithLabelValues(levelName(r.Level)).Inc()
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		r.AddAttrs(slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{h.Handler.WithAttrs(attrs), h.records}
}

// WithGroup implements [slog.Handler].
func (h *logHandler) WithGroup(name string) slog.Handler {
	return &logHandler{h.Handler.WithGroup(name), h.records}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
