package ops_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"shiplog/events"
	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
	"shiplog/ops"
)

func admin(t *testing.T, l *ledger.Ledger, fault *error) string {
	t.Helper()
	a := &ops.Admin{
		Registry: ops.NewRegistry(ops.Build{Version: "test"}),
		Health: ops.NewHealth(time.Now, ops.Check{Name: "thing", Fn: func(context.Context) (string, error) {
			return "", *fault
		}}),
		Status: func(context.Context) ops.Status { return ops.Status{Build: ops.Build{Version: "test"}} },
		Ledger: given(l),
	}
	server := httptest.NewServer(a.Handler())
	t.Cleanup(server.Close)
	return server.URL
}

// given is a ledger that is there.
func given(l *ledger.Ledger) func() (*ledger.Ledger, error) {
	return func() (*ledger.Ledger, error) { return l, nil }
}

func call(t *testing.T, method, url string, want int) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != want {
		t.Errorf("%s %s: %d, want %d: %s", method, url, resp.StatusCode, want, body)
	}
	return string(body)
}

// What is left out of the request to skip an event is not taken for event 0, or
// for no reason.
func TestAdminSkipNeedsBoth(t *testing.T) {
	base := admin(t, nil, new(error))
	for _, body := range []string{`{}`, `{"seq":5}`, `{"reason":"x"}`, `{"seq":5,"reason":" "}`} {
		resp, err := http.Post(base+"/admin/v1/skip", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(got), "both needed") {
			t.Errorf("%s: %d %s", body, resp.StatusCode, got)
		}
	}
}

// A page whose name was pointed at this machine is in the browser's eyes of one
// origin with the listener. It may read and change nothing.
func TestAdminKnowsItsNames(t *testing.T) {
	base := admin(t, nil, new(error))
	for _, c := range []struct {
		method, path, host string
		want               int
	}{
		{"GET", "/admin/v1/status", "evil.example:9464", http.StatusForbidden},
		{"GET", "/admin/v1/export", "evil.example:9464", http.StatusForbidden},
		{"GET", "/admin/../admin/v1/status", "evil.example", http.StatusForbidden},
		{"POST", "/admin/v1/skip", "evil.example", http.StatusForbidden},
		{"POST", "/admin/v1/skip", "127.0.0.1.evil.example", http.StatusForbidden},
		{"GET", "/debug/pprof/", "evil.example", http.StatusForbidden},
		{"GET", "/admin/v1/status", "localhost:9464", http.StatusOK},
		{"GET", "/admin/v1/status", "[::1]:9464", http.StatusOK},
		{"GET", "/admin/v1/status", "127.0.0.1", http.StatusOK},
		{"GET", "/metrics", "shiplog.example", http.StatusOK},
		{"GET", "/healthz", "shiplog.example", http.StatusOK},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, base+c.path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = c.host
		req.Header.Set("Origin", "http://"+c.host)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err := errors.Join(err, resp.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != c.want || c.want == http.StatusForbidden && !strings.Contains(string(body), "ask for 127.0.0.1 or localhost") {
			t.Errorf("%s %s of %s: %d, want %d: %s", c.method, c.path, c.host, resp.StatusCode, c.want, body)
		}
	}
}

// It makes no difference where a request comes from: to a container, a browser on the
// machine that publishes its port is another machine. Names that no stranger can have
// are answered, as are those that the node was given.
func TestAdminKnowsItsNamesElsewhere(t *testing.T) {
	h := (&ops.Admin{
		Registry: ops.NewRegistry(ops.Build{}), Health: ops.NewHealth(time.Now), Names: []string{"node.example.org"},
		Status: func(context.Context) ops.Status { return ops.Status{} },
	}).Handler()
	ask := func(path, host, site string) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
		r.RemoteAddr, r.Host = "172.18.0.1:40000", host
		if site != "" {
			r.Header.Set("Sec-Fetch-Site", site)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	const status = "/admin/v1/status"
	for _, c := range []struct {
		path, host, site string
		want             int
	}{
		{status, "evil.example.com", "", http.StatusForbidden},
		{status, "evil.example.com:9464", "same-origin", http.StatusForbidden},
		{status, "127.0.0.1.evil.example.com", "", http.StatusForbidden},
		{status, "ai.", "", http.StatusForbidden},
		{status, "", "", http.StatusForbidden},
		{status, "shiplog:9464", "", http.StatusOK},
		{status, "shiplog-1", "", http.StatusOK},
		{status, "192.0.2.7:9464", "", http.StatusOK},
		{status, "[2001:db8::7]:9464", "", http.StatusOK},
		{status, "localhost:9464", "none", http.StatusOK},
		{status, "Node.Example.org:9464", "same-origin", http.StatusOK},
		{status, "localhost:9464", "cross-site", http.StatusForbidden},
		{status, "localhost:9464", "same-site", http.StatusForbidden},
		{"/debug/pprof/profile", "localhost:9464", "cross-site", http.StatusForbidden},
		{"/healthz", "shiplog.example.com", "cross-site", http.StatusOK},
		{"/readyz", "shiplog.example.com", "", http.StatusOK},
		{"/metrics", "shiplog.example.com", "", http.StatusOK},
	} {
		if got := ask(c.path, c.host, c.site); got != c.want {
			t.Errorf("%s of %q, site %q: %d, want %d", c.path, c.host, c.site, got, c.want)
		}
	}
}

func TestAdminHealth(t *testing.T) {
	var fault error
	base := admin(t, ledgertest.New(t), &fault)
	call(t, "GET", base+"/healthz", http.StatusOK)
	call(t, "GET", base+"/readyz", http.StatusOK)
	fault = errors.New("the thing is gone")
	call(t, "GET", base+"/healthz", http.StatusOK)
	for _, path := range []string{"/readyz", "/admin/v1/status"} {
		want := http.StatusServiceUnavailable
		if path != "/readyz" {
			want = http.StatusOK
		}
		if body := call(t, "GET", base+path, want); !strings.Contains(body, "the thing is gone") {
			t.Errorf("%s does not say why: %s", path, body)
		}
	}
	if body := call(t, "GET", base+"/metrics", http.StatusOK); !strings.Contains(body, `shiplog_build_info{goversion="go`) {
		t.Error("the metrics do not name the build")
	}
}

func TestAdminRejected(t *testing.T) {
	l := ledgertest.New(t)
	var fault error
	base := admin(t, l, &fault)
	var ids []uint64
	for _, raw := range []string{`{"half":`, "\xff\xfe"} {
		id, err := l.Reject(t.Context(), ledger.Rejected{
			Publisher: "local", Raw: []byte(raw),
			Problems: events.Problems{{Code: events.CodeInvalidJSON, Detail: "not JSON"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	var page struct {
		Rejected []struct{ ID uint64 }
		Next     *uint64
	}
	decode(t, call(t, "GET", base+"/admin/v1/rejected?limit=1", http.StatusOK), &page)
	if len(page.Rejected) != 1 || page.Next == nil || *page.Next != ids[0] {
		t.Errorf("first page: %+v", page)
	}
	one := base + "/admin/v1/rejected/" + strconv.FormatUint(ids[1], 10)
	var shown struct {
		Raw       string
		RawBase64 []byte `json:"raw_base64"`
	}
	decode(t, call(t, "GET", one, http.StatusOK), &shown)
	if string(shown.RawBase64) != "\xff\xfe" || shown.Raw != "" {
		t.Errorf("shown: %+v", shown)
	}
	call(t, "DELETE", one, http.StatusNoContent)
	call(t, "GET", one, http.StatusNotFound)
	for _, method := range []string{"GET", "DELETE"} {
		if got := call(t, method, base+"/admin/v1/rejected/nonsense", http.StatusNotFound); !strings.Contains(got, "nonsense") {
			t.Errorf("%s: %s", method, got)
		}
	}
	for _, limit := range []string{"0", "-1", "x"} {
		if got := call(t, "GET", base+"/admin/v1/rejected?limit="+limit, http.StatusBadRequest); !strings.Contains(got, limit) {
			t.Errorf("limit %s: %s", limit, got)
		}
	}
	call(t, "POST", base+"/admin/v1/rejected/"+strconv.FormatUint(ids[0], 10)+"/retry", http.StatusNoContent)
	if n, err := l.InboxPending(t.Context()); err != nil || n != 1 {
		t.Errorf("%d events in the inbox (%v), want the one that is tried again", n, err)
	}
}

func decode(t *testing.T, raw string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(raw), into); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
}
