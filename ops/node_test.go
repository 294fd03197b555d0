package ops_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"shiplog/ops"
)

func TestNodeMetricsSayWhatReadyzSays(t *testing.T) {
	fault := errors.New("no answer")
	h := ops.NewHealth(time.Now,
		ops.Check{Name: "disk", Fn: func(context.Context) (string, error) { return "", nil }},
		ops.Check{Name: "nats", Fn: func(context.Context) (string, error) { return "", fault }},
	)
	reg := ops.NewRegistry(ops.Build{})
	if err := ops.RegisterNode(reg, h, ops.DiskWatch{Dir: t.TempDir(), MinFree: 7}); err != nil {
		t.Fatal(err)
	}
	compare := func(want string) {
		t.Helper()
		if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "shiplog_ready", "shiplog_check_ok", "shiplog_disk_min_free_bytes"); err != nil {
			t.Error(err)
		}
	}
	const help = `# HELP shiplog_check_ok 1 while a check of /readyz is well, else 0.
# TYPE shiplog_check_ok gauge
# HELP shiplog_disk_min_free_bytes Free space below which nothing is recorded.
# TYPE shiplog_disk_min_free_bytes gauge
shiplog_disk_min_free_bytes 7
# HELP shiplog_ready 1 while /readyz answers 200, else 0.
# TYPE shiplog_ready gauge
`
	compare(help + "shiplog_ready 0\nshiplog_check_ok{check=\"disk\"} 1\nshiplog_check_ok{check=\"nats\"} 0\n")
	fault = nil
	compare(help + "shiplog_ready 1\nshiplog_check_ok{check=\"disk\"} 1\nshiplog_check_ok{check=\"nats\"} 1\n")
	if n, err := testutil.GatherAndCount(reg, "shiplog_disk_free_bytes", "shiplog_disk_size_bytes"); n != 2 || err != nil {
		t.Errorf("%d figures of the disk (%v), want 2", n, err)
	}
}
