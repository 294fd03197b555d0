//go:build clients

package clients_test

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"shiplog/cmd/shiplog/process"
)

// A NATS server that stops answering, though its connections stay, is named.
// Submissions are answered, pages stay, no lag is said to be none, and all goes on
// when it answers again: what was sent meanwhile is recorded at most once.
func TestClientStalledNATS(t *testing.T) {
	server := startLoneNATS(t)
	n := start(t, t.TempDir(), "--nats", server.URL, "--replicas", "1")
	receipts := map[string]uint64{}
	seq, ok := post(t.Context(), n.Base, review("before", "tool-1", "before"))
	if !ok {
		t.Fatal("nothing is recorded")
	}
	receipts["before"] = seq
	settle(t, n)
	server.signal(t, syscall.SIGSTOP)
	t.Cleanup(func() { server.signal(t, syscall.SIGCONT) })
	eventually(t, "health says who does not answer", func() bool {
		ok, detail := finding(t, n, "nats")
		return !ok && strings.Contains(detail, "no answer from "+server.URL)
	})
	begun := time.Now()
	status, retry := submitted(t, n, review("meanwhile", "tool-1", "meanwhile"))
	if took := time.Since(begun); status != http.StatusServiceUnavailable || retry == "" || took > 20*time.Second {
		t.Errorf("a submission is answered %d (Retry-After %q) after %s", status, retry, took)
	}
	for _, projection := range []string{"panel", "decisions"} {
		if age := metric(t, n, `shiplog_projection_lag_seconds{projection="`+projection+`"}`); age < 1e6 {
			t.Errorf("%s: %v seconds behind a ledger that nobody knows the head of", projection, age)
		}
	}
	if status, _ := fetch(t, n.Base+"/tools/tool-1"); status != http.StatusOK {
		t.Errorf("pages are answered %d", status)
	}
	server.signal(t, syscall.SIGCONT)
	within(t, time.Minute, "what was sent meanwhile is recorded", func() bool {
		status, _ := submitted(t, n, review("meanwhile", "tool-1", "meanwhile"))
		return status == http.StatusCreated || status == http.StatusOK
	})
	goesOn(t, n, receipts)
	if age := metric(t, n, `shiplog_projection_lag_seconds{projection="panel"}`); age != 0 {
		t.Errorf("%v seconds behind at the head", age)
	}
	eventually(t, "it is known that decisions are at the head", func() bool {
		return metric(t, n, `shiplog_projection_lag_seconds{projection="decisions"}`) == 0
	})
}

// signal sends the server a signal.
func (s *loneNATS) signal(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		t.Log(err) // it has ended
	}
}

// submitted is how a submission is answered.
func submitted(t *testing.T, n *process.Node, event string) (status int, retryAfter string) {
	t.Helper()
	resp, err := http.Post(n.Base+"/api/v1/events", "application/cloudevents+json", strings.NewReader(event))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode, resp.Header.Get("Retry-After")
}
