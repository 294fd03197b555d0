package main

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// syncBuffer is a log that is written and read at once.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

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
