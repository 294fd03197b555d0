package ops_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"shiplog/ops"
)

func TestNodeMetricsSayWhatReadyzSays(t *testing.T) {
	fault := errors.New("no answer")
	h := ops.NewHealth(time.Now)
	h.Starting("its ledger is being opened")
	reg := prometheus.NewRegistry()
	if err := ops.RegisterNode(reg, h, ops.DiskWatch{Dir: t.TempDir(), MinFree: 7}); err != nil {
		t.Fatal(err)
	}
	// A node that starts is not ready, and has no check yet.
	if diff := cmp.Diff(map[string]float64{"shiplog_ready": 0, "shiplog_disk_min_free_bytes": 7}, figures(t, reg)); diff != "" {
		t.Errorf("starting (-want +got):\n%s", diff)
	}
	h.Begin(
		ops.Check{Name: "disk", Fn: func(context.Context) (string, error) { return "", nil }},
		ops.Check{Name: "nats", Fn: func(context.Context) (string, error) { return "", fault }},
	)
	if diff := cmp.Diff(map[string]float64{"shiplog_ready": 0, "disk": 1, "nats": 0, "shiplog_disk_min_free_bytes": 7}, figures(t, reg)); diff != "" {
		t.Errorf("unwell (-want +got):\n%s", diff)
	}
	fault = nil
	if diff := cmp.Diff(map[string]float64{"shiplog_ready": 1, "disk": 1, "nats": 1, "shiplog_disk_min_free_bytes": 7}, figures(t, reg)); diff != "" {
		t.Errorf("well (-want +got):\n%s", diff)
	}
	// A node that stops is not ready, and has no check more.
	h.Close()
	if diff := cmp.Diff(map[string]float64{"shiplog_ready": 0, "disk": 1, "nats": 1, "shiplog_disk_min_free_bytes": 7}, figures(t, reg)); diff != "" {
		t.Errorf("stopping (-want +got):\n%s", diff)
	}
}

// figures are the gauges by name, the checks by theirs; those of the disk must
// be possible, and are left out.
func figures(t *testing.T, reg *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			if l := m.GetLabel(); len(l) > 0 {
				name = l[0].GetValue()
			}
			got[name] = m.GetGauge().GetValue()
		}
	}
	if free, size := got["shiplog_disk_free_bytes"], got["shiplog_disk_size_bytes"]; free <= 0 || free > size {
		t.Errorf("%v of %v bytes are free", free, size)
	}
	delete(got, "shiplog_disk_free_bytes")
	delete(got, "shiplog_disk_size_bytes")
	return got
}
