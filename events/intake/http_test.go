package intake_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"shiplog/events"
	"shiplog/events/intake"
	"shiplog/events/intake/intaketest"
	"shiplog/events/ledger/ledgertest"
)

// An answer is what the write route said.
type answer struct {
	*http.Response
	body []byte
}

// receipt reads the answer to one event, also out of a problem.
func (a answer) receipt(t *testing.T) intake.Receipt {
	t.Helper()
	var r struct {
		intake.Receipt
		Status any `json:"status"`
	}
	if err := json.Unmarshal(a.body, &r); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
	r.Receipt.Status, _ = r.Status.(string)
	return r.Receipt
}

func (a answer) receipts(t *testing.T) []intake.Receipt {
	t.Helper()
	var list []intake.Receipt
	if err := json.Unmarshal(a.body, &list); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
	return list
}

// serveHTTP runs the handler on a real listener.
func serveHTTP(t *testing.T, in *intake.Intake, o intake.HTTPOptions) string {
	t.Helper()
	s := httptest.NewServer(intake.NewHTTP(in, o))
	t.Cleanup(s.Close)
	return s.URL
}

// post sends a body; headers are "Name: value".
func post(t *testing.T, url string, body []byte, headers ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
		}
		r.Header[name] = append(r.Header[name], value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp, raw}
}

const (
	asEvent = "Content-Type: application/cloudevents+json"
	asBatch = "Content-Type: application/cloudevents-batch+json"
	asJSON  = "Content-Type: application/json"
)

func array(raw ...[]byte) []byte {
	return slices.Concat([]byte("["), bytes.Join(raw, []byte(",")), []byte("]"))
}

func TestHTTPMediaTypes(t *testing.T) {
	in, _ := intaketest.New(t)
	url := serveHTTP(t, in, intake.HTTPOptions{})
	data := []byte(`{"tool":"smolvm","name":"smolvm"}`)
	binary := []string{"ce-specversion: 1.0", "ce-source: /test", "ce-type: shiplog.tool.registered.v1"}
	next := 0
	event := func() []byte {
		next++
		return intaketest.Event("e"+strconv.Itoa(next), "tool.registered", json.RawMessage(data))
	}
	tests := []struct {
		name    string
		body    []byte
		headers []string
		want    int
	}{
		{"structured", event(), []string{asEvent}, 201},
		{"structured with charset", event(), []string{asEvent + "; charset=UTF-8"}, 201},
		{"structured with quoted charset", event(), []string{asEvent + `;charset="utf-8"`}, 201},
		{"structured in another charset", event(), []string{asEvent + "; charset=iso-8859-1"}, 415},
		{"batch", array(event(), event()), []string{asBatch + "; charset=utf-8"}, 200},
		{"an object as JSON", event(), []string{asJSON}, 201},
		{"an array as JSON", array(event()), []string{asJSON}, 200},
		{"an array with space before it", append([]byte("\n \t"), array(event())...), []string{asJSON}, 200},
		{"an empty batch", []byte("[]"), []string{asBatch}, 200},
		{"an object as batch", event(), []string{asBatch}, 400},
		{"an array as one event", array(event()), []string{asEvent}, 422},
		{"binary", data, append([]string{asJSON, "ce-id: b1"}, binary...), 201},
		{"binary with charset", data, append([]string{asJSON + "; charset=utf-8", "ce-id: b2"}, binary...), 201},
		{"binary with odd case", data, append([]string{asJSON, "CE-ID: b3"}, binary...), 201},
		{"binary without content type", data, append([]string{"ce-id: b4"}, binary...), 201},
		{"binary of a vendor's JSON", data, append([]string{"Content-Type: application/vnd.x+json", "ce-id: b5"}, binary...), 201},
		{"binary that is no JSON", data, append([]string{"Content-Type: text/plain", "ce-id: b6"}, binary...), 415},
		{"structured with ce headers", event(), append([]string{asEvent, "ce-id: b7"}, binary...), 201},
		{"a form", event(), []string{"Content-Type: application/x-www-form-urlencoded"}, 415},
		{"text", event(), []string{"Content-Type: text/plain"}, 415},
		{"no content type", event(), nil, 415},
		{"nonsense as content type", event(), []string{"Content-Type: ;;;"}, 415},
		{"compressed", event(), []string{asJSON, "Content-Encoding: gzip"}, 415},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := post(t, url, tt.body, tt.headers...)
			if a.StatusCode != tt.want {
				t.Fatalf("status %d, want %d: %s", a.StatusCode, tt.want, a.body)
			}
			if a.StatusCode == http.StatusUnsupportedMediaType && tt.name != "compressed" {
				for _, media := range []string{events.MediaEvent, events.MediaBatch, events.MediaJSON} {
					if !bytes.Contains(a.body, []byte(media)) {
						t.Errorf("%s is not named in %s", media, a.body)
					}
				}
			}
			if a.StatusCode >= http.StatusBadRequest {
				checkProblem(t, a)
			}
		})
	}
}

// checkProblem holds an answer to RFC 9457 and to the receipts' own form.
func checkProblem(t *testing.T, a answer) {
	t.Helper()
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("content-type %q, want application/problem+json", got)
	}
	var p struct {
		Type, Title, Detail string
		Status              int
		Recorded            *bool
		Problems            events.Problems
	}
	if err := json.Unmarshal(a.body, &p); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
	if p.Type != "about:blank" || p.Title != http.StatusText(a.StatusCode) || p.Status != a.StatusCode || p.Detail == "" || len(p.Problems) == 0 {
		t.Errorf("not problem details of a %d: %s", a.StatusCode, a.body)
	}
	if known := a.StatusCode != http.StatusTooManyRequests && a.StatusCode != http.StatusServiceUnavailable; known && p.Recorded == nil {
		t.Errorf("a %d does not say whether it is recorded: %s", a.StatusCode, a.body)
	}
	if retry := a.Header.Get("Retry-After"); (retry != "") != (a.StatusCode == http.StatusTooManyRequests || a.StatusCode == http.StatusServiceUnavailable) {
		t.Errorf("Retry-After %q with %d", retry, a.StatusCode)
	}
}

func TestHTTPAnswers(t *testing.T) {
	in, l := intaketest.New(t)
	url := serveHTTP(t, in, intake.HTTPOptions{})
	first := intaketest.Review("r1", "smolvm", "builder", "ship", "It works.")

	t.Run("accepted", func(t *testing.T) {
		a := post(t, url, first, asEvent)
		want := intake.Receipt{
			Status: "accepted", Recorded: true, ID: "r1", Source: "/test", Seq: 4, Type: "shiplog.review.submitted.v1",
			Also: []intake.Also{{2, "shiplog.tool.registered.v1"}, {3, "shiplog.reviewer.seated.v1"}},
		}
		if diff := cmp.Diff(want, a.receipt(t)); diff != "" || a.StatusCode != http.StatusCreated {
			t.Errorf("status %d, receipt (-want +got):\n%s", a.StatusCode, diff)
		}
		if a.Header.Get("Location") != "/events/4" || a.Header.Get("Shiplog-Seq") != "4" {
			t.Errorf("headers %v", a.Header)
		}
		if got := a.Header.Get("Content-Type"); got != "application/json" {
			t.Errorf("content-type %q", got)
		}
	})
	t.Run("duplicate", func(t *testing.T) {
		a := post(t, url, first, asEvent)
		want := intake.Receipt{Status: "duplicate", Recorded: true, ID: "r1", Source: "/test", Seq: 4, Type: "shiplog.review.submitted.v1"}
		if diff := cmp.Diff(want, a.receipt(t)); diff != "" || a.StatusCode != http.StatusOK {
			t.Errorf("status %d, receipt (-want +got):\n%s", a.StatusCode, diff)
		}
	})
	t.Run("said again under another id", func(t *testing.T) {
		a := post(t, url, intaketest.Review("r2", "smolvm", "builder", "ship", "It works."), asEvent)
		if r := a.receipt(t); a.StatusCode != http.StatusOK || r.Status != "duplicate" || r.Recorded || r.Seq != 4 {
			t.Errorf("status %d: %s", a.StatusCode, a.body)
		}
	})
	t.Run("identity conflict", func(t *testing.T) {
		a := post(t, url, intaketest.Review("r1", "smolvm", "builder", "skip", "It broke."), asEvent)
		if a.StatusCode != http.StatusConflict || !a.receipt(t).Conflict() || a.receipt(t).ID != "r1" {
			t.Errorf("status %d: %s", a.StatusCode, a.body)
		}
		checkProblem(t, a)
	})
	t.Run("dry run", func(t *testing.T) {
		next := intaketest.Review("r3", "smolvm", "skeptic", "skip", "It is slow.")
		a := post(t, url+"?dry_run=1", next, asEvent)
		if r := a.receipt(t); a.StatusCode != http.StatusOK || r.Status != "accepted" || r.Recorded || r.Seq != 0 || a.Header.Get("Location") != "" {
			t.Errorf("status %d: %s", a.StatusCode, a.body)
		}
		if a := post(t, url+"?dry_run=perhaps", next, asEvent); a.StatusCode != http.StatusBadRequest {
			t.Errorf("status %d: %s", a.StatusCode, a.body)
		}
		for _, mistyped := range []string{"dryrun", "Dry_Run", "dry_run=1&dry-run"} {
			if a := post(t, url+"?"+mistyped+"=1", next, asEvent); a.StatusCode != http.StatusBadRequest || !strings.Contains(string(a.body), "there is dry_run") {
				t.Errorf("%s: status %d: %s", mistyped, a.StatusCode, a.body)
			} else {
				checkProblem(t, a)
			}
		}
		for _, unread := range []string{"%zz", "dry_run=%zz", "dry_run=1;x=1"} {
			if a := post(t, url+"?"+unread, next, asEvent); a.StatusCode != http.StatusBadRequest || !strings.Contains(string(a.body), "the query cannot be read") {
				t.Errorf("%s: status %d: %s", unread, a.StatusCode, a.body)
			}
		}
		if a := post(t, url+"?dry_run=0", next, asEvent); a.StatusCode != http.StatusCreated {
			t.Errorf("status %d: %s", a.StatusCode, a.body)
		}
	})
	t.Run("another method", func(t *testing.T) {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPut, url, nil)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusMethodNotAllowed || resp.Header.Get("Allow") != "POST" {
			t.Errorf("status %d, headers %v", resp.StatusCode, resp.Header)
		}
	})
	if n := len(intaketest.Events(t, l)); n != 6 {
		t.Errorf("the ledger has %d events, want 6", n)
	}
}

func TestHTTPBadInput(t *testing.T) {
	in, l := intaketest.New(t)
	url := serveHTTP(t, in, intake.HTTPOptions{})
	intaketest.Accept(t, in, intaketest.Review("ok", "smolvm", "builder", "ship", "It works."))
	const (
		review  = `{"specversion":"1.0","id":"x","source":"/test","type":"shiplog.review.submitted.v1","data":{"tool":%s,"reviewer":%s,"verdict":%s,"body":%s%s}}`
		matchup = `{"specversion":"1.0","id":"x","source":"/test","type":"shiplog.matchup.opened.v1","data":{"left":"smolvm","right":"smolvm"}}`
	)
	reviewed := func(tool, body, more string) string {
		return fmt.Sprintf(review, `"`+tool+`"`, `"builder"`, `"ship"`, body, more)
	}
	tests := []struct {
		name    string
		body    string
		status  int
		code    events.Code
		pointer string
	}{
		{"not JSON", `this is no JSON`, 400, events.CodeInvalidJSON, ""},
		{"nothing", ``, 400, events.CodeInvalidJSON, ""},
		{"not JSON, but like null", `nothing`, 400, events.CodeInvalidJSON, ""},
		{"not JSON, but like a number", `123abc`, 400, events.CodeInvalidJSON, ""},
		{"null", `null`, 422, events.CodeWrongType, ""},
		{"truncated", `{"specversion":"1.0","id":"x`, 400, events.CodeInvalidJSON, ""},
		{"duplicate key", `{"specversion":"1.0","id":"x","id":"y"}`, 422, events.CodeDuplicateKey, "/id"},
		{"no id", `{"specversion":"1.0","source":"/test","type":"shiplog.tool.retired.v1","data":{"tool":"smolvm"}}`, 422, events.CodeRequired, "/id"},
		{"no source", `{"specversion":"1.0","id":"x","type":"shiplog.tool.retired.v1","data":{"tool":"smolvm"}}`, 422, events.CodeRequired, "/source"},
		{"unknown type", `{"specversion":"1.0","id":"x","source":"/test","type":"shiplog.tool.invented.v1","data":{}}`, 422, events.CodeUnknownType, "/type"},
		{"unknown field", reviewed("smolvm", `"b"`, `,"stars":5`), 422, events.CodeUnknownField, "/data/stars"},
		{"wrong type", reviewed("smolvm", `7`, ``), 422, events.CodeWrongType, "/data/body"},
		{"unknown tool", reviewed("nosuch", `"b"`, ``), 422, events.CodeUnknownTool, "/data/tool"},
		{"unknown reviewer", fmt.Sprintf(review, `"smolvm"`, `"nobody"`, `"ship"`, `"b"`, ``), 422, events.CodeUnknownPerson, "/data/reviewer"},
		{"verdict maybe", fmt.Sprintf(review, `"smolvm"`, `"builder"`, `"maybe"`, `"b"`, ``), 422, events.CodeNotOneOf, "/data/verdict"},
		{"slug with dots", reviewed("smol.vm", `"b"`, ``), 422, events.CodeInvalidSlug, "/data/tool"},
		{"slug with spaces", reviewed("smol vm", `"b"`, ``), 422, events.CodeInvalidSlug, "/data/tool"},
		{"slug with a star", reviewed("*", `"b"`, ``), 422, events.CodeInvalidSlug, "/data/tool"},
		{"slug with >", reviewed(">", `"b"`, ``), 422, events.CodeInvalidSlug, "/data/tool"},
		{"slug with -vs-", reviewed("a-vs-b", `"b"`, ``), 422, events.CodeInvalidSlug, "/data/tool"},
		{"control character unescaped", reviewed("smolvm", "\"a\x01b\"", ``), 400, events.CodeInvalidJSON, ""},
		{"invalid UTF-8", reviewed("smolvm", "\"a\xffb\"", ``), 422, events.CodeInvalidUTF8, ""},
		{"300 KiB", reviewed("smolvm", `"`+strings.Repeat("x", 300<<10)+`"`, ``), 413, events.CodeTooLarge, ""},
		{"nested 10,000 deep", reviewed("smolvm", strings.Repeat("[", 10000)+strings.Repeat("]", 10000), ``), 422, events.CodeTooDeep, ""},
		{"in the future", `{"specversion":"1.0","id":"x","source":"/test","time":"2999-01-01T00:00:00Z","type":"shiplog.tool.retired.v1","data":{"tool":"smolvm"}}`, 422, events.CodeFuture, "/time"},
		{"in year 0", `{"specversion":"1.0","id":"x","source":"/test","time":"0000-01-01T00:00:00Z","type":"shiplog.tool.retired.v1","data":{"tool":"smolvm"}}`, 422, events.CodeInvalidTime, "/time"},
		{"a pair with itself", matchup, 422, events.CodeSamePair, "/data/right"},
		{"a reserved type", `{"specversion":"1.0","id":"x","source":"/test","type":"shiplog.event.skipped.v1","data":{"seq":1,"reason":"x"}}`, 422, events.CodeReserved, "/type"},
		{"a reserved source", `{"specversion":"1.0","id":"x","source":"/shiplog/intake","type":"shiplog.tool.retired.v1","data":{"tool":"smolvm"}}`, 422, events.CodeReserved, "/source"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := post(t, url, []byte(tt.body), asJSON)
			if a.StatusCode != tt.status {
				t.Errorf("status %d, want %d: %s", a.StatusCode, tt.status, a.body)
			}
			checkProblem(t, a)
			found := tt.code == ""
			for _, p := range a.receipt(t).Problems {
				found = found || p.Code == tt.code && (tt.pointer == "" || p.Pointer == tt.pointer)
			}
			if !found {
				t.Errorf("no problem %s at %q in %s", tt.code, tt.pointer, a.body)
			}
		})
	}
	if n := len(intaketest.Events(t, l)); n != 4 {
		t.Errorf("the ledger has %d events, want 4: something bad was recorded", n)
	}
	t.Run("control characters are removed", func(t *testing.T) {
		a := post(t, url, []byte(reviewed("smolvm", `"a\u0001b"`, ``)), asJSON)
		if a.StatusCode != http.StatusCreated {
			t.Fatalf("status %d: %s", a.StatusCode, a.body)
		}
		list := intaketest.Events(t, l)
		if got := list[len(list)-1].Data.(*events.ReviewRevised).Body; got != "ab" {
			t.Errorf("body %q, want \"ab\"", got)
		}
	})
}

func TestHTTPBatch(t *testing.T) {
	in, l := intaketest.New(t)
	url := serveHTTP(t, in, intake.HTTPOptions{})
	tools := func(prefix string, n int) [][]byte {
		list := make([][]byte, n)
		for i := range list {
			slug := prefix + strconv.Itoa(i)
			list[i] = intaketest.Event(slug, "tool.registered", map[string]string{"tool": slug, "name": slug})
		}
		return list
	}
	t.Run("one of a thousand is bad", func(t *testing.T) {
		list := tools("a", 1000)
		list[500] = []byte(`{"specversion":"1.0","id":"bad","source":"/test","type":"shiplog.tool.registered.v1","data":{"tool":"*","name":"x"}}`)
		a := post(t, url, array(list...), asBatch)
		if a.StatusCode != http.StatusMultiStatus {
			t.Fatalf("status %d: %.200s", a.StatusCode, a.body)
		}
		for i, r := range a.receipts(t) {
			want := intake.Receipt{Status: "accepted", Recorded: true, ID: "a" + strconv.Itoa(i), Source: "/test", Seq: uint64(i + 2), Type: "shiplog.tool.registered.v1"}
			switch {
			case i == 500:
				if r.Status != "rejected" || r.ID != "bad" || !r.Problems.Has(events.CodeInvalidSlug) {
					t.Errorf("receipt %d: %+v", i, r)
				}
				continue
			case i > 500:
				want.Seq--
			}
			if diff := cmp.Diff(want, r); diff != "" {
				t.Fatalf("receipt %d (-want +got):\n%s", i, diff)
			}
		}
		if n := len(intaketest.Events(t, l)); n != 1000 {
			t.Errorf("the ledger has %d events, want 1000", n)
		}
	})
	t.Run("all again", func(t *testing.T) {
		a := post(t, url, array(tools("a", 10)...), asBatch)
		for _, r := range a.receipts(t) {
			if a.StatusCode != http.StatusOK || r.Status != "duplicate" {
				t.Errorf("status %d, receipt %+v", a.StatusCode, r)
			}
		}
	})
	t.Run("none is good", func(t *testing.T) {
		a := post(t, url, []byte(`[{},1,"x"]`), asBatch)
		if a.StatusCode != http.StatusUnprocessableEntity || len(a.receipts(t)) != 3 || a.Header.Get("Content-Type") != "application/json" {
			t.Errorf("status %d: %s", a.StatusCode, a.body)
		}
	})
	t.Run("one too large among others", func(t *testing.T) {
		large := intaketest.Review("large", "a1", "builder", "ship", strings.Repeat("x", 300<<10))
		a := post(t, url, array(tools("b", 1)[0], large, tools("c", 1)[0]), asBatch)
		rs := a.receipts(t)
		if a.StatusCode != http.StatusMultiStatus || rs[0].Status != "accepted" || rs[2].Status != "accepted" || rs[1].Status != "rejected" || !rs[1].Problems.Has(events.CodeTooLarge) || rs[1].ID != "large" {
			t.Errorf("status %d: %.300s", a.StatusCode, a.body)
		}
	})
	t.Run("an event that leans on one before it", func(t *testing.T) {
		list := array(
			intaketest.Event("l1", "tool.registered", map[string]string{"tool": "lean", "name": "Lean"}),
			intaketest.Event("l2", "tool.retired", map[string]string{"tool": "lean"}),
		)
		for _, query := range []string{"?dry_run=true", ""} {
			if a := post(t, url+query, list, asBatch); a.StatusCode != http.StatusOK {
				t.Errorf("%s: status %d: %s", query, a.StatusCode, a.body)
			}
		}
	})
	for name, body := range map[string][]byte{
		"too many":  array(tools("d", 1001)...),
		"too large": append([]byte("["), bytes.Repeat([]byte(" "), 8<<20)...),
	} {
		t.Run(name, func(t *testing.T) {
			a := post(t, url, body, asBatch)
			if a.StatusCode != http.StatusRequestEntityTooLarge {
				t.Errorf("status %d: %.200s", a.StatusCode, a.body)
			}
			checkProblem(t, a)
		})
	}
	for name, body := range map[string]string{"truncated": `[{"id":"x"`, "no array": `{"id":"x"}`, "followed": `[] []`, "nothing": ``} {
		t.Run(name, func(t *testing.T) {
			a := post(t, url, []byte(body), asBatch)
			if a.StatusCode != http.StatusBadRequest {
				t.Errorf("status %d: %.200s", a.StatusCode, a.body)
			}
			checkProblem(t, a)
		})
	}
}

func TestHTTPSameEventAtOnce(t *testing.T) {
	in, l := intaketest.New(t)
	url := serveHTTP(t, in, intake.HTTPOptions{})
	event := intaketest.Event("once", "tool.registered", map[string]string{"tool": "smolvm", "name": "smolvm"})
	answers := make([]answer, 20)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = post(t, url, event, asEvent) })
	}
	all.Wait()
	statuses := map[string]int{}
	for _, a := range answers {
		r := a.receipt(t)
		statuses[r.Status]++
		if r.Seq != 2 || !r.Recorded {
			t.Errorf("status %d: %s", a.StatusCode, a.body)
		}
	}
	if diff := cmp.Diff(map[string]int{"accepted": 1, "duplicate": 19}, statuses); diff != "" {
		t.Errorf("receipts (-want +got):\n%s", diff)
	}
	if n := len(intaketest.Events(t, l)); n != 2 {
		t.Errorf("the ledger has %d events, want 2", n)
	}
}

// A submission whose client does not wait for the answer is counted by what became
// of it.
func TestHTTPClientGone(t *testing.T) {
	reg := prometheus.NewRegistry()
	in := intaketest.Open(t, ledgertest.New(t), intake.Options{Registerer: reg})
	gone, leave := context.WithCancel(t.Context())
	leave()
	r := httptest.NewRequestWithContext(gone, http.MethodPost, "/api/v1/events", bytes.NewReader(intaketest.Review("1", "awl", "skeptic", "ship", "Fine.")))
	r.RemoteAddr, r.Host = "127.0.0.1:40000", "127.0.0.1"
	r.Header.Set("Content-Type", "application/cloudevents+json")
	intake.NewHTTP(in, intake.HTTPOptions{}).ServeHTTP(httptest.NewRecorder(), r)
	for outcome, want := range map[string]float64{intake.StatusAccepted: 1, intake.StatusError: 0} {
		if got := counter(t, reg, "shiplog_submissions_total", "http", outcome); got != want {
			t.Errorf("%v are counted as %s, want %v", got, outcome, want)
		}
	}
}
