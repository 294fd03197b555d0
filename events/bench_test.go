package events_test

import (
	"strings"
	"testing"
	"time"

	"shiplog/events"
)

// aReview is a review of the usual size, about 900 bytes.
const aReview = `{"specversion":"1.0","id":"review-000123","source":"/panel/pipeline","type":"shiplog.review.submitted.v1",` +
	`"time":"2026-05-02T09:30:00Z","subject":"ferrule","datacontenttype":"application/json","data":{"tool":"ferrule","reviewer":"skeptic",` +
	`"verdict":"ship","body":"I went in expecting another wrapper and came out with my build times halved.\nThe cache is honest: it says what it kept and why, and clearing it is one command.\nWhat I would not do is run it on a shared host yet, since the socket has no permissions of its own.",` +
	`"pros":["build times halved on the first day","says what it cached and why"],"cons":["no permissions on the socket"],` +
	`"evidence":["https://example.org/ferrule/bench"],"condition":"one build host for each team","provenance":"stated","format":"text",` +
	`"disclosure":"None: I have no ties to the makers, and I paid for the licence that I tried."}}`

func aStoredReview(tb testing.TB) (*events.Event, []byte) {
	tb.Helper()
	s, ps := events.Parse([]byte(aReview))
	if len(ps) > 0 {
		tb.Fatal(ps)
	}
	e := &events.Event{
		Seq: 7, ID: s.ID, Source: s.Source, Subject: s.Subject, Time: s.Time, Extensions: s.Extensions, Data: s.Data,
		RecordedTime: time.UnixMilli(1_777_714_200_123), Publisher: "local", Salt: events.Salt{1, 2, 3},
	}
	e.InputHash = events.InputHash(e.Salt, s.Input)
	return e, e.AppendCanonical(nil)
}

func BenchmarkParse(b *testing.B) {
	raw := []byte(aReview)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, ps := events.Parse(raw); ps != nil {
			b.Fatal(ps)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	_, stored := aStoredReview(b)
	b.SetBytes(int64(len(stored)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := events.Decode(7, stored); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendCanonical(b *testing.B) {
	e, stored := aStoredReview(b)
	room := make([]byte, 0, len(stored))
	b.SetBytes(int64(len(stored)))
	b.ReportAllocs()
	for b.Loop() {
		room = e.AppendCanonical(room[:0])
	}
}

func BenchmarkSplitBatch(b *testing.B) {
	raw := []byte("[" + strings.Repeat(aReview+",", 999) + aReview + "]")
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if list, _ := events.SplitBatch(raw); len(list) != 1000 {
			b.Fatal(len(list))
		}
	}
}
