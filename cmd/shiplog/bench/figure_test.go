package bench_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/cmd/shiplog/bench"
)

func TestWriteTable(t *testing.T) {
	figures := []bench.Figure{
		{Group: "Ingest", Name: "batches", Value: 20_000, Unit: "events/s", Against: "raw", Baseline: 50_000, Ratio: 0.4, Floor: 0.35, Memory: 300 << 20, Note: "five matchups"},
		{Group: "Ingest", Name: "singles", Value: 1234.5, Unit: "events/s", Against: "raw", Baseline: 1000, Ratio: 1.2345, Floor: 2},
		{Group: "Others", Name: "a database", Skipped: "not installed"},
		{Group: "Others", Name: "start", Value: 1.25, Unit: "s"},
		{Group: "Others", Name: "cost", Value: 1.1, Unit: "s", Against: "without", Baseline: 1, Ratio: 1.1, Ceiling: 1.05},
		{Group: "Others", Name: "scrape", Value: 12, Unit: "ms", Ceiling: 20},
		{Group: "Others", Name: "slow scrape", Value: 21, Unit: "ms", Ceiling: 20},
	}
	var out strings.Builder
	if err := bench.WriteTable(&out, figures); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"measured baseline ratio floor peak memory",
		"Ingest",
		"batches 20000 events/s 50000 raw 0.40 0.35 300 MiB [1]",
		"singles 1234 events/s 1000 raw 1.23 2.00 missed",
		"Others",
		"a database skipped [2]",
		"start 1.2 s",
		"cost 1.1 s 1.0 without 1.10 ≤ 1.05 missed",
		"scrape 12.0 ms ≤ 20.00",
		"slow scrape 21.0 ms ≤ 20.00 missed",
		"[1] five matchups",
		"[2] not installed: skipped",
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}
