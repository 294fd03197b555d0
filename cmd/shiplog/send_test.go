package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shiplog/events/intake"
)

// TestSenderSendsAgainWhatWasNotDecided has a server that decides one event of
// a request and says of the others that it could not.
func TestSenderSendsAgainWhatWasNotDecided(t *testing.T) {
	var requests []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		requests = append(requests, string(body))
		var batch []int
		if err := json.Unmarshal(body, &batch); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusMultiStatus)
		fmt.Fprintf(w, `[{"status":"accepted","seq":%d}%s]`, batch[0], strings.Repeat(`,{"status":"error","problems":[{"detail":"not now"}]}`, len(batch)-1))
	}))
	defer server.Close()
	c, err := newClient(server.URL, "--to")
	if err != nil {
		t.Fatal(err)
	}
	notes := 0
	s := newSender(c, false, time.Minute, func(string, ...any) { notes++ })
	receipts, err := s.send(t.Context(), [][]byte{[]byte("1"), []byte("2"), []byte("3")})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"[1,2,3]", "[2,3]", "[3]"}, requests); diff != "" {
		t.Errorf("requests (-want +got)\n%s", diff)
	}
	for i, r := range receipts {
		if r.Status != intake.StatusAccepted || r.Seq != uint64(i+1) {
			t.Errorf("receipt %d is %+v", i, r.Receipt)
		}
	}
	if notes != 2 {
		t.Errorf("told of trouble %d times, want 2", notes)
	}
}

func TestSenderExplainsOtherAnswers(t *testing.T) {
	for _, tt := range []struct {
		name, kind, body, location string
		status                     int
		want                       string
	}{
		{name: "another program", kind: "text/html", body: "<p>Hello", status: 200, want: "URL answers 200 OK; is that a Shiplog server? Name another with --to"},
		{name: "another JSON", kind: "application/json", body: "{}", status: 200, want: "URL answers 200 with something else than Shiplog would; name another server with --to"},
		{name: "too few receipts", kind: "application/json", body: "[]", status: 200, want: "URL answers 200 with something else than Shiplog would; name another server with --to"},
		{name: "no such route", kind: "text/plain", body: "404", status: 404, want: "URL answers 404 Not Found; is that a Shiplog server? Name another with --to"},
		{name: "a redirect", location: "https://example.org/", status: 301, want: "URL sends us on to https://example.org/; name that server with --to"},
		{name: "a proxy that takes no large requests", kind: "text/html", body: "<p>No", status: 413, want: "what stands before URL takes no large requests; let it take 8 MiB"},
		{name: "a refusal", kind: "application/problem+json", body: `{"detail":"bring a token"}`, status: 403, want: "the server answers 403 Forbidden: bring a token"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.kind)
				if tt.location != "" {
					w.Header().Set("Location", tt.location)
				}
				w.WriteHeader(tt.status)
				fmt.Fprint(w, tt.body)
			}))
			defer server.Close()
			c, err := newClient(server.URL, "--to")
			if err != nil {
				t.Fatal(err)
			}
			_, err = newSender(c, false, time.Minute, t.Logf).send(t.Context(), [][]byte{[]byte("{}")})
			if err == nil {
				t.Fatal("no error")
			}
			if got := strings.ReplaceAll(err.Error(), server.URL, "URL"); got != tt.want {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}
