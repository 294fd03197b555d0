package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/events/ledger/ledgertest"
	"shiplog/events/logtest"
	"shiplog/ops"
)

// TestThroughput holds rates to what was done between two looks at a node.
func TestThroughput(t *testing.T) {
	n := startNode(t, t.TempDir())
	n.until("the node is ready", func() bool { status, _ := n.ready(); return status == http.StatusOK })
	c, err := opsFlags{OpsURL: "http://" + n.OpsAddr()}.client()
	if err != nil {
		t.Fatal(err)
	}
	look := func() *sample {
		s, err := sampleOf(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	before := look()
	for _, tool := range []string{"one", "two", "three", "one", "two", "Not A Slug"} {
		n.submit(fmt.Sprintf(`{"specversion":"1.0","id":%q,"source":"/test","type":"shiplog.tool.registered.v1","data":{"tool":%q,"name":"A tool"}}`, tool, tool))
	}
	n.until("the pages show the tools", func() bool { return n.metric(`shiplog_projection_position{projection="panel"}`) == 4 })
	for range 3 {
		n.page("/tools")
	}
	for range 4 {
		n.revalidate("/feeds/reviews.atom")
	}
	after := look()
	got, counted, asked := after.since(before), after.totalsTime.Sub(before.totalsTime), after.statusTime.Sub(before.statusTime)

	share := func(part float64) *float64 { return &part }
	want := throughput{
		Time: got.Time, Ready: true, Red: []ops.Finding{},
		Submissions: submissionRates{rate(0, 3, counted), rate(0, 2, counted), rate(0, 1, counted), rate(0, 0, counted)},
		Ledger:      ledgerRate{Head: 4, EventsPerSecond: rate(0, 3, asked), Bytes: got.Ledger.Bytes, MaxBytes: got.Ledger.MaxBytes},
		Projections: []projectionRate{
			{ops.ProjectionStatus{Name: "panel", State: "live", Position: 4}, rate(0, 3, asked)},
			{ops.ProjectionStatus{Name: "decisions", State: "live", Position: 4}, rate(0, 3, asked)},
		},
		Requests: []requestRate{{"pages", rate(0, 3, counted), share(0)}, {"feeds", rate(0, 8, counted), share(.5)}, {"api", rate(0, 6, counted), share(0)}},
		Inbox:    new(uint64), Rejected: new(uint64),
		DiskFree: got.DiskFree, DiskMinFree: got.DiskMinFree,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("in %s (-want +got):\n%s", counted, diff)
	}
	if got.DiskFree == 0 || got.DiskMinFree == 0 || got.Ledger.Bytes == 0 {
		t.Errorf("the disk or the ledger is of no size: %+v", got)
	}
	// A node that has begun anew has no rate yet.
	if back := before.since(after); back.Submissions.Accepted != nil || back.Ledger.EventsPerSecond != nil || back.Projections[0].EventsPerSecond != nil {
		t.Errorf("counters that went back have a rate: %+v", back)
	}
}

// revalidate asks for a page, and again whether it has changed since.
func (n aNode) revalidate(path string) {
	n.t.Helper()
	tag := ""
	for _, want := range []int{http.StatusOK, http.StatusNotModified} {
		req, err := http.NewRequestWithContext(n.t.Context(), http.MethodGet, "http://"+n.Addr()+path, http.NoBody)
		if err != nil {
			n.t.Fatal(err)
		}
		if tag != "" {
			req.Header.Set("If-None-Match", tag)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			n.t.Fatal(err)
		}
		res.Body.Close()
		if tag = res.Header.Get("ETag"); res.StatusCode != want || tag == "" {
			n.t.Fatalf("%s: %s with ETag %q, want %d", path, res.Status, tag, want)
		}
	}
}

// TestWatchScreen looks on at a terminal: figures are drawn over one another, a
// node that goes away is a line in their place until it is back, and the
// terminal is left as it was.
func TestWatchScreen(t *testing.T) {
	dir := t.TempDir()
	flags := []string{"--http", ledgertest.ReserveAddr(t), "--ops", ledgertest.ReserveAddr(t)}
	n := startNode(t, dir, flags...)
	ctx, interrupt := context.WithCancel(t.Context())
	var out, errs logtest.Book
	ended := make(chan int, 1)
	std := &stdio{in: bytes.NewReader(nil), out: &out, err: &errs, outTerminal: true}
	go func() {
		ended <- run(ctx, []string{"status", "--watch", "--every", "100ms", "--ops-url", "http://" + n.OpsAddr()}, std, ops.Build{})
	}()
	drawn := func(text string, times int) func() bool {
		return func() bool { return strings.Count(out.String(), text) >= times }
	}
	n.until("the figures are drawn again", drawn("Ledger  head #1,", 3))
	if err := n.Stop(); err != nil {
		t.Fatal(err)
	}
	n.until("it is said that the node is gone", drawn("; trying again"+lineEnd+screenEnd, 1))
	seen := strings.Count(out.String(), "Ledger  head #1,")
	n = startNode(t, dir, flags...)
	n.until("the figures are back", drawn("Ledger  head #1,", seen+2))
	interrupt()
	if code := <-ended; code != exitYes {
		t.Errorf("exits %d, want %d", code, exitYes)
	}
	text := out.String()
	if !strings.HasPrefix(text, screenOpen+"Node ") || !strings.HasSuffix(text, lineEnd+screenEnd+screenClose) || strings.Count(text, screenClose) != 1 {
		t.Errorf("the terminal is not as it was before: %q", text)
	}
	frames := strings.SplitAfter(text, screenEnd)
	if up := fmt.Sprintf("\x1b[%dF", strings.Count(frames[0], "\n")); !strings.HasPrefix(frames[1], up) {
		t.Errorf("the second drawing begins with %.8q, want %q", frames[1], up)
	}
	if strings.Count(text, "trying again") != 1 || errs.String() != "" {
		t.Errorf("that the node was gone is said %d times, and beside it %q", strings.Count(text, "trying again"), errs.String())
	}
}
