package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shiplog/events/logtest"
)

// Where nothing will be recorded for want of disk, the start says so.
func TestMinFreeBeyondTheDiskIsLogged(t *testing.T) {
	var log logtest.Book
	app, err := startLogging(t.Context(), &log, t.TempDir(), "--min-free", "1EiB")
	if err != nil {
		t.Fatal(err)
	}
	if err := app.Stop(); err != nil {
		t.Error(err)
	}
	if text := log.String(); !strings.Contains(text, "nothing can be recorded: --min-free is larger than the disk") || !strings.Contains(text, `"min_free":"1.0 EiB"`) {
		t.Errorf("the log is %s", text)
	}
}

// The level of the log is changed while the node runs; lines name their trace,
// are counted, and hold nothing of what was sent.
func TestLog(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("not-for-anybody-to-read\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	to := newSink(t)
	var log logtest.Book
	app, err := startLogging(t.Context(), &log, t.TempDir(), "--write-token-file", token, "--otlp-endpoint", to.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = app.Stop() })
	n := aNode{app, t}
	level := "http://" + n.OpsAddr() + "/admin/v1/log-level"

	n.page("/tools")
	if strings.Contains(log.String(), `"answered"`) {
		t.Error("requests are logged at info")
	}
	if _, body := n.ask(http.MethodGet, level, ""); !strings.Contains(body, `"info"`) {
		t.Errorf("the level is %s", body)
	}
	for _, c := range []struct {
		body string
		want int
		says string
	}{
		{`{"level":"Debug"}`, http.StatusOK, `"debug"`},
		{`{"level":"loud"}`, http.StatusUnprocessableEntity, `level must be debug, info, warn or error; got \"loud\"`},
		{`{}`, http.StatusUnprocessableEntity, `got \"\"`},
		{`debug`, http.StatusBadRequest, `not one JSON object`},
		{``, http.StatusBadRequest, `not one JSON object`},
		{`["error"]`, http.StatusBadRequest, `no JSON object`},
		{`{"level":"error","level":"info"}`, http.StatusBadRequest, `\"level\" stands in the object twice`},
		{`{"level":"error","for":"1h"}`, http.StatusBadRequest, `\"for\", which is not known here`},
		{`{"LEVEL":"error"}`, http.StatusBadRequest, `\"LEVEL\", which is not known here`},
		{`{"level":"error"}{"level":"info"}`, http.StatusBadRequest, `after top-level value`},
		{`{"level":"error"}, please`, http.StatusBadRequest, `send {\"level\":\"debug\"}`},
		{`{"level":3}`, http.StatusBadRequest, `\"level\" cannot be that number`},
		{`{"level":"error"` + strings.Repeat(" ", 64<<10) + `}`, http.StatusRequestEntityTooLarge, `larger than`},
	} {
		if got, body := n.ask(http.MethodPut, level, c.body); got != c.want || !strings.Contains(body, c.says) {
			t.Errorf("%.80s: %d %s, want %d with %s", c.body, got, body, c.want, c.says)
		}
	}
	if got, body := n.ask(http.MethodPut, level+"?for=1h", `{"level":"error"}`); got != http.StatusBadRequest || !strings.Contains(body, "there are no parameters here") {
		t.Errorf("a parameter: %d %s", got, body)
	}
	if _, body := n.ask(http.MethodGet, level, ""); !strings.Contains(body, `"debug"`) {
		t.Errorf("what was refused has set the level to %s", body)
	}
	before := n.metric(`shiplog_log_records_total{level="debug"}`)
	n.within(writersTrace, http.MethodPost, "/api/v1/events", aReview("logged", "awl"))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+n.Addr()+"/api/v1/events", strings.NewReader(aReview("again", "awl")))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer not-for-anybody-to-read")
	if res, err := http.DefaultClient.Do(req); err != nil || res.Body.Close() != nil {
		t.Fatal(err)
	}
	line := struct{ Route, TraceID string }{}
	n.until("the request is logged", func() bool {
		for text := range strings.Lines(log.String()) {
			var is struct {
				Msg, Route string
				TraceID    string `json:"trace_id"`
			}
			if json.Unmarshal([]byte(text), &is) == nil && is.Msg == "answered" && is.Route == "/api/v1/events" {
				line.Route, line.TraceID = is.Route, is.TraceID
				return true
			}
		}
		return false
	})
	if line.TraceID != writersTrace {
		t.Errorf("the line names trace %q", line.TraceID)
	}
	if after := n.metric(`shiplog_log_records_total{level="debug"}`); after <= before {
		t.Errorf("%v lines were counted, then %v", before, after)
	}
	for _, secret := range []string{"It does.", "not-for-anybody-to-read"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log holds %q:\n%s", secret, log.String())
		}
	}
}

// A rebuild says once that what it made has caught up, though it reads on while it
// is compared.
func TestRebuildIsLoggedOnce(t *testing.T) {
	var log logtest.Book
	app, err := startLogging(t.Context(), &log, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = app.Stop() })
	n := aNode{app, t}
	n.submit(aReview("1", "awl"))
	n.caughtUp()
	if exit, stdout, stderr := n.run("rebuild"); exit != exitYes {
		t.Fatalf("exit %d: %s%s", exit, stdout, stderr)
	}
	for _, message := range []string{"projection's replacement caught up", "projection rebuilt"} {
		if times := strings.Count(log.String(), `"msg":"`+message+`"`); times != 1 {
			t.Errorf("%q is logged %d times:\n%s", message, times, log.String())
		}
	}
}

// Who opens the operator's listener to other machines is told what that means.
func TestOpenOpsListenerIsLogged(t *testing.T) {
	for address, want := range map[string]int{"127.0.0.1:0": 0, "[::1]:0": 0, "0.0.0.0:0": 1} {
		var log logtest.Book
		app, err := startLogging(t.Context(), &log, t.TempDir(), "--ops", address)
		if err != nil {
			t.Fatal(err)
		}
		if err := app.Stop(); err != nil {
			t.Error(err)
		}
		if got := strings.Count(log.String(), `"msg":"the ops listener can be reached from other machines`); got != want || want == 1 && !strings.Contains(log.String(), `"ops":"0.0.0.0:`) {
			t.Errorf("--ops %s: it is told %d times, want %d:\n%s", address, got, want, log.String())
		}
	}
}
