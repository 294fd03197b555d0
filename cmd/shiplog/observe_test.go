package main

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// metric is the value of a series, written as it is exposed; the test fails
// where there is none.
func (n aNode) metric(series string) float64 {
	n.t.Helper()
	_, body := n.ask(http.MethodGet, "http://"+n.OpsAddr()+"/metrics", "")
	for line := range strings.Lines(body) {
		if text, found := strings.CutPrefix(line, series+" "); found {
			value, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil {
				n.t.Fatal(err)
			}
			return value
		}
	}
	n.t.Fatalf("there is no %s", series)
	return 0
}

// The flight recorder is switched on and off while the node runs, and what it
// holds is an execution trace.
func TestFlightRecorder(t *testing.T) {
	n := startNode(t, t.TempDir(), "--mutex-profile", "5", "--block-profile", "1us")
	flight := "http://" + n.OpsAddr() + "/debug/flight"
	for _, c := range []struct {
		method, query string
		want          int
		holds         string
	}{
		{http.MethodGet, "", http.StatusConflict, "PUT /debug/flight"},
		{http.MethodPut, "?seconds=never", http.StatusBadRequest, "seconds must be"},
		{http.MethodPut, "?seconds=2", http.StatusOK, `"seconds": 2`},
		{http.MethodPut, "", http.StatusOK, `"seconds": 5`},
		{http.MethodGet, "", http.StatusOK, "go 1."},
		{http.MethodDelete, "", http.StatusNoContent, ""},
		{http.MethodDelete, "", http.StatusConflict, "is off"},
	} {
		if got, body := n.ask(c.method, flight+c.query, ""); got != c.want || !strings.Contains(body, c.holds) {
			t.Errorf("%s %s: %d %.200q", c.method, c.query, got, body)
		}
	}
	for _, profile := range []string{"mutex", "block"} {
		if _, body := n.ask(http.MethodGet, "http://"+n.OpsAddr()+"/debug/pprof/"+profile+"?debug=1", ""); !strings.Contains(body, " @ 0x") {
			t.Errorf("the profile %s is empty: %.200s", profile, body)
		}
	}
	if status, _ := n.page("/debug/pprof/"); status != http.StatusNotFound {
		t.Errorf("the public listener answers profiles with %d", status)
	}
}

// What the intake decides is counted as what its own projection applied, and that
// one has no histograms: a series that nothing ever moves tells a lie.
func TestDecisionsAreCounted(t *testing.T) {
	n := startNode(t, t.TempDir())
	n.until("decisions are seen to have caught up, which is when they begin to be counted", func() bool {
		return n.metric(`shiplog_projection_lag_events{projection="decisions"}`) == 0
	})
	if applied := n.metric(`shiplog_projection_events_total{projection="decisions"}`); applied != 0 {
		t.Errorf("%v events are counted before any was recorded", applied)
	}
	if status, body := n.submit(aReview("1", "awl")); status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	n.caughtUp()
	for _, projection := range []string{"decisions", "panel"} {
		if applied := n.metric(`shiplog_projection_events_total{projection="` + projection + `"}`); applied != 3 {
			t.Errorf("%s: %v events are counted, of three", projection, applied)
		}
	}
	if _, body := n.ask(http.MethodGet, "http://"+n.OpsAddr()+"/metrics", ""); strings.Contains(body, `_count{projection="decisions"}`) {
		t.Error("decisions have a histogram that stays empty")
	}
}
