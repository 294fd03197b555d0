package demo_test

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shiplog/cmd/shiplog/demo"
	"shiplog/events"
)

// event is what this test reads of a line; the intake reads the rest.
type event struct {
	SpecVersion string
	ID          string
	Source      string
	Type        string
	Time        time.Time
	Data        struct {
		Tool, Name, Category, Reviewer, Verdict, Body, Format, Homepage, Into string
		Evidence, Aliases                                                     []string
	}
}

func parse(t *testing.T) []event {
	t.Helper()
	var list []event
	for i, line := range bytes.Split(bytes.TrimSuffix(demo.Events(), []byte("\n")), []byte("\n")) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		list = append(list, e)
	}
	return list
}

func TestOpenReadsTheSameBytes(t *testing.T) {
	got, err := io.ReadAll(demo.Open())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, demo.Events()) {
		t.Error("Open and Events differ")
	}
}

func TestEachLineIsAnOrderlyEvent(t *testing.T) {
	seen := map[string]bool{}
	first := time.Date(2026, time.June, 1, 0, 0, 0, 0, time.UTC)
	last, end := first, time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC)
	for i, e := range parse(t) {
		if e.SpecVersion != "1.0" || e.Source != "/demo" || e.ID == "" || !strings.HasPrefix(e.Type, "shiplog.") {
			t.Errorf("line %d: envelope is %q %q %q %q", i+1, e.SpecVersion, e.Source, e.ID, e.Type)
		}
		if seen[e.ID] {
			t.Errorf("line %d: id %q stands twice", i+1, e.ID)
		}
		seen[e.ID] = true
		if !e.Time.After(last) || !e.Time.Before(end) {
			t.Errorf("line %d: time %s is out of order or out of range", i+1, e.Time)
		}
		last = e.Time
	}
}

func TestEachLineIsValid(t *testing.T) {
	for i, line := range bytes.Split(bytes.TrimSuffix(demo.Events(), []byte("\n")), []byte("\n")) {
		if _, problems := events.Parse(line); len(problems) > 0 {
			t.Errorf("line %d: %v", i+1, problems)
		}
	}
}

func TestAddressesAreReserved(t *testing.T) {
	reserved := regexp.MustCompile(`^https://[a-z-]+\.example(/|$)`)
	for _, e := range parse(t) {
		for _, address := range append(e.Data.Evidence, e.Data.Homepage) {
			if address != "" && !reserved.MatchString(address) {
				t.Errorf("%s: %s could be somebody's", e.ID, address)
			}
		}
	}
}

// TestVerdicts folds the file by hand, with nothing of the program, so that an
// edited line cannot quietly take a verdict off the front page.
func TestVerdicts(t *testing.T) {
	current, alias, names := map[string]map[string]string{}, map[string]string{}, map[string]bool{}
	for _, e := range parse(t) {
		d := e.Data
		if to, ok := alias[d.Tool]; ok {
			d.Tool = to
		}
		switch e.Type {
		case "shiplog.tool.registered.v1":
			names[d.Name] = true
			for _, a := range d.Aliases {
				alias[a] = d.Tool
			}
		case "shiplog.tool.merged.v1":
			delete(current, d.Tool)
		case "shiplog.review.submitted.v1":
			if current[d.Tool] == nil {
				current[d.Tool] = map[string]string{}
			}
			current[d.Tool][d.Reviewer] = d.Verdict
		case "shiplog.review.withdrawn.v1":
			delete(current[d.Tool], d.Reviewer)
		}
	}
	got := map[string]int{}
	for _, reviews := range current {
		got[label(reviews)]++
	}
	want := map[string]int{"Ship": 9, "Skip": 4, "Split": 2, "Pending": 3}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	if len(names) != 19 {
		t.Errorf("%d tools are named, want 19", len(names))
	}
}

func label(reviews map[string]string) string {
	ships, n := 0, 0
	for _, verdict := range reviews {
		switch verdict {
		case "ship":
			ships, n = ships+1, n+1
		case "skip":
			n++
		}
	}
	switch {
	case n < 3:
		return "Pending"
	case 2*ships > n:
		return "Ship"
	case 2*ships < n:
		return "Skip"
	}
	return "Split"
}
