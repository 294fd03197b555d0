package ops_test

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"shiplog/events/intake/intaketest"
	"shiplog/events/ledger"
	"shiplog/ops"
)

// Every stream has its figures from the start, and they come to be JetStream's.
func TestStreamWatch(t *testing.T) {
	in, l := intaketest.New(t)
	intaketest.Accept(t, in, intaketest.Event("tool", "tool.registered", map[string]any{"tool": "watched", "name": "Watched"}))
	reg := prometheus.NewRegistry()
	w := ops.NewStreamWatch(reg, l)
	if got, known := labelled(t, reg, "shiplog_stream_bytes", ledger.Stream); !known || got != 0 {
		t.Errorf("before it has looked: %v, %v", got, known)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- w.Run(ctx) }()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for led := 0.0; led == 0; led, _ = labelled(t, reg, "shiplog_stream_has_leader", ledger.RejectedStream) {
		select {
		case <-deadline:
			t.Fatal("the watch sees nothing")
		case <-tick.C:
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	info, err := l.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{
		"shiplog_stream_bytes":      float64(info.Bytes),
		"shiplog_stream_max_bytes":  float64(info.MaxBytes),
		"shiplog_stream_messages":   float64(info.Messages),
		"shiplog_stream_has_leader": 1,
	} {
		if got, _ := labelled(t, reg, name, ledger.Stream); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// labelled is the value of a gauge of a stream.
func labelled(t *testing.T, reg *prometheus.Registry, name, stream string) (value float64, known bool) {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if f.GetName() == name && l.GetName() == "stream" && l.GetValue() == stream {
					return m.GetGauge().GetValue(), true
				}
			}
		}
	}
	return 0, false
}
