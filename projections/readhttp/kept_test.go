package readhttp_test

import (
	"net/http"
	"testing"

	"shiplog/projections/readhttp"
)

func TestAcceptsGzip(t *testing.T) {
	tests := []struct {
		header []string
		want   bool
	}{
		{nil, false},
		{[]string{""}, false},
		{[]string{"gzip"}, true},
		{[]string{"br, GZIP;q=0.5"}, true},
		{[]string{"br", "x-gzip"}, true},
		{[]string{"deflate, br"}, false},
		{[]string{"gzip;q=0"}, false},
		{[]string{"gzip; q=0.000, *"}, false},
		{[]string{"gzip;q=0.001"}, true},
		{[]string{"*"}, true},
		{[]string{"*;q=0"}, false},
		{[]string{"identity, *;q=0.1"}, true},
	}
	for _, test := range tests {
		r := &http.Request{Header: http.Header{"Accept-Encoding": test.header}}
		if got := readhttp.AcceptsGzip(r); got != test.want {
			t.Errorf("%q: got %t, want %t", test.header, got, test.want)
		}
	}
}

func TestMatches(t *testing.T) {
	const tag = `W/"abc"`
	tests := []struct {
		header []string
		want   bool
	}{
		{nil, false},
		{[]string{`W/"abc"`}, true},
		{[]string{`"abc"`}, true},
		{[]string{`"x", W/"abc-gzip"`}, true},
		{[]string{`"x"`, `"abc"`}, true},
		{[]string{"*"}, true},
		{[]string{`W/"abcd"`}, false},
		{[]string{"abc"}, false},
	}
	for _, test := range tests {
		r := &http.Request{Header: http.Header{"If-None-Match": test.header}}
		if got := readhttp.Matches(r, tag); got != test.want {
			t.Errorf("%q: got %t, want %t", test.header, got, test.want)
		}
	}
}
