package demo_test

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"shiplog/cmd/shiplog/demo"
)

// event is what this test reads of a line; the intake reads the rest.
type event struct {
	SpecVersion string
	ID          string
	Source      string
	Type        string
	Time        time.Time
	Data        struct {
		Homepage string
		Evidence []string
	}
}

// lines are the events' bytes, one each.
func lines() [][]byte {
	return bytes.Split(bytes.TrimSuffix(demo.Events(), []byte("\n")), []byte("\n"))
}

func parse(t *testing.T) []event {
	t.Helper()
	var list []event
	for i, line := range lines() {
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
