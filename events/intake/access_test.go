package intake_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shiplog/events"
	"shiplog/events/intake"
	"shiplog/events/intake/intaketest"
)

const token = "correct-horse-battery"

// postFrom sends an event as if from a peer.
func postFrom(t *testing.T, h http.Handler, peer, host string, body []byte, headers ...string) answer {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+host+"/api/v1/events", strings.NewReader(string(body)))
	r.RemoteAddr = peer
	for _, h := range append(headers, asJSON) {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return answer{w.Result(), w.Body.Bytes()}
}

func TestAccess(t *testing.T) {
	in, _ := intaketest.New(t)
	const local, far = "127.0.0.1:5000", "192.0.2.7:5000"
	bearer := "Authorization: Bearer " + token
	tests := []struct {
		name       string
		peer, host string
		headers    []string
		open       bool // without a write token configured
		guarded    bool // with one
	}{
		{"a local program", local, "localhost:8080", nil, true, true},
		{"over IPv6", "[::1]:5000", "[::1]:8080", nil, true, true},
		{"over IPv6 without port", "[::1]:5000", "[::1]", nil, true, true},
		{"an IPv4 peer on an IPv6 socket", "[::ffff:127.0.0.1]:5000", "127.0.0.1:8080", nil, true, true},
		{"another loopback address", "127.3.2.1:5000", "127.3.2.1:8080", nil, true, true},
		{"a name below localhost", local, "shiplog.localhost:8080", nil, true, true},
		{"in capitals with a dot", local, "LOCALHOST.:80", nil, true, true},
		{"from elsewhere", far, "localhost:8080", nil, false, false},
		{"from a private network", "10.0.0.9:5000", "localhost", nil, false, false},
		{"from no address", "@", "localhost", nil, false, false},
		{"a foreign host", local, "shiplog.example:8080", nil, false, false},
		{"a host that only begins so", local, "localhost.example", nil, false, false},
		{"a host that only ends so", local, "notlocalhost", nil, false, false},
		{"a host in numbers that is not loopback", local, "192.0.2.1", nil, false, false},
		{"Forwarded", local, "localhost", []string{"Forwarded: for=192.0.2.7"}, false, false},
		{"X-Forwarded-For", local, "localhost", []string{"X-Forwarded-For: 127.0.0.1"}, false, false},
		{"X-Forwarded-Proto", local, "localhost", []string{"x-forwarded-proto: https"}, false, false},
		{"Via", local, "localhost", []string{"Via: 1.1 proxy"}, false, false},
		{"X-Real-IP", local, "localhost", []string{"X-Real-IP: 192.0.2.7"}, false, false},
		{"a page of another origin", local, "localhost:8080", []string{"Origin: https://evil.example"}, false, false},
		{"a page of another site", local, "localhost:8080", []string{"Sec-Fetch-Site: cross-site"}, false, false},
		{"a page of another port", local, "localhost:8080", []string{"Origin: http://localhost:3000", "Sec-Fetch-Site: same-site"}, false, false},
		{"a sandboxed page", local, "localhost:8080", []string{"Origin: null"}, false, false},
		{"its own page", local, "localhost:8080", []string{"Origin: http://localhost:8080", "Sec-Fetch-Site: same-origin"}, true, true},
		{"the token from elsewhere", far, "shiplog.example", []string{bearer}, false, true},
		{"the token through a proxy", local, "shiplog.example", []string{bearer, "X-Forwarded-For: 192.0.2.7"}, false, true},
		{"the token, scheme in small letters", far, "shiplog.example", []string{"authorization: bearer " + token}, false, true},
		{"a wrong token", far, "shiplog.example", []string{bearer + "x"}, false, false},
		{"a wrong token from here", local, "localhost", []string{bearer + "x"}, true, false},
		{"an empty token", far, "shiplog.example", []string{"Authorization: Bearer "}, false, false},
		{"the token by another scheme", far, "shiplog.example", []string{"Authorization: Basic " + token}, false, false},
	}
	event := intaketest.Event("x", "tool.registered", map[string]string{"tool": "smolvm", "name": "smolvm"})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, server := range []struct {
				options intake.HTTPOptions
				allowed bool
			}{
				{intake.HTTPOptions{}, tt.open},
				{intake.HTTPOptions{Token: func() string { return token }}, tt.guarded},
			} {
				a := postFrom(t, intake.NewHTTP(in, server.options), tt.peer, tt.host, event, tt.headers...)
				if allowed := a.StatusCode < http.StatusMultipleChoices; allowed != server.allowed {
					t.Errorf("token configured: %v: status %d: %s", server.options.Token != nil, a.StatusCode, a.body)
				}
				if !server.allowed {
					checkForbidden(t, a)
				}
			}
		})
	}
}

func checkForbidden(t *testing.T, a answer) {
	t.Helper()
	checkProblem(t, a)
	if a.StatusCode != http.StatusForbidden || !a.receipt(t).Problems.Has(events.CodeNotAllowed) {
		t.Errorf("status %d: %s", a.StatusCode, a.body)
	}
	if !strings.Contains(string(a.body), "--write-token-file") && !strings.Contains(string(a.body), "send it from there") {
		t.Errorf("the answer does not say how: %s", a.body)
	}
}

func TestAccessTokenDoesNotChangeThePanel(t *testing.T) {
	in, _ := intaketest.New(t)
	h := intake.NewHTTP(in, intake.HTTPOptions{Token: func() string { return token }})
	intaketest.Accept(t, in,
		intaketest.Review("r1", "smolvm", "builder", "ship", "a"),
		intaketest.Review("r2", "firebox", "builder", "ship", "b"))
	restricted := [][]byte{
		intaketest.Event("p1", "rules.published", map[string]any{"version": 1}),
		intaketest.Event("p2", "tool.merged", map[string]any{"tool": "smolvm", "into": "firebox"}),
		intaketest.Event("p3", "tool.unmerged", map[string]any{"tool": "smolvm", "into": "firebox"}),
		intaketest.Event("p4", "reviewer.unseated", map[string]any{"reviewer": "builder"}),
	}
	bearer := "Authorization: Bearer " + token
	for _, event := range restricted {
		checkForbidden(t, postFrom(t, h, "192.0.2.7:1", "shiplog.example", event, bearer))
	}
	open := intaketest.Event("o", "tool.retired", map[string]any{"tool": "firebox"})
	a := postFrom(t, h, "192.0.2.7:1", "shiplog.example", array(append(restricted, open)...), bearer)
	for i, r := range a.receipts(t) {
		if i < 4 && (r.Status != "rejected" || !r.Problems.Has(events.CodeNotAllowed)) || i == 4 && r.Status != "accepted" {
			t.Errorf("receipt %d: %+v", i, r)
		}
	}
	for _, event := range restricted {
		if a := postFrom(t, h, "127.0.0.1:1", "localhost", event, bearer); a.StatusCode != http.StatusCreated {
			t.Errorf("status %d with the token from here: %s", a.StatusCode, a.body)
		}
	}
}

func TestTokenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	if _, err := intake.TokenFile(path); err == nil {
		t.Error("no error for a file that is not there")
	}
	changed := time.Now().Add(-time.Hour)
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		changed = changed.Add(time.Minute)
		if err := os.Chtimes(path, changed, changed); err != nil {
			t.Fatal(err)
		}
	}
	for _, bad := range []string{"", "short", "two tokens of this file", "two-lines-of-a\nfile-of-tokens"} {
		write(bad)
		if _, err := intake.TokenFile(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: error %v", bad, err)
		}
	}
	write(token + "\n")
	get, err := intake.TokenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	steps := []struct{ content, want string }{
		{token, token}, {"another-horse-battery", "another-horse-battery"}, {"", ""}, {token, token},
	}
	for _, step := range steps {
		write(step.content)
		for range 2 {
			if got := get(); got != step.want {
				t.Errorf("after %q: token %q, want %q", step.content, got, step.want)
			}
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := get(); got != "" {
		t.Errorf("token %q after the file is gone", got)
	}
}
