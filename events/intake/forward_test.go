package intake_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"shiplog/events"
	"shiplog/events/intake"
	"shiplog/events/intake/intaketest"
)

// A node that decides nothing hands submissions over, in order, and gives the
// receipts of the one that does.
func TestForwarder(t *testing.T) {
	in, l := intaketest.New(t)
	service, err := intake.StartService(in, l.Conn(), intake.ServiceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	forward := httptest.NewServer(intake.NewHTTP(intake.NewForwarder(l.Conn(), func() uint64 { return 7 }, nil, nil), intake.HTTPOptions{}))
	defer forward.Close()

	resp := send(t, forward.URL, events.MediaEvent, string(intaketest.Review("one", "forwarded", "ruth", "ship", "By way of another node.")))
	if resp.StatusCode != http.StatusCreated || resp.Header.Get("Shiplog-Seq") != "7" {
		t.Errorf("one event: %s at %s", resp.Status, resp.Header.Get("Shiplog-Seq"))
	}
	// Together these are more than one message takes.
	var batch []string
	for i := range 8 {
		batch = append(batch, string(intaketest.Review(fmt.Sprint("many-", i), "forwarded", "ruth", "ship", strings.Repeat("x", 60_000)+fmt.Sprint(i))))
	}
	batch[3] = `{"specversion":"1.0"}`
	resp = send(t, forward.URL, events.MediaBatch, "["+strings.Join(batch, ",")+"]")
	if resp.StatusCode != http.StatusMultiStatus {
		t.Errorf("a batch with a bad event: %s", resp.Status)
	}
	if got := len(intaketest.Events(t, l)); got != 1+3+7 {
		t.Errorf("%d events are recorded, want the opening, three and seven", got)
	}

	if err := service.Close(); err != nil {
		t.Fatal(err)
	}
	resp = send(t, forward.URL, events.MediaEvent, string(intaketest.Review("late", "forwarded", "ruth", "skip", "Nobody hears it.")))
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
		t.Errorf("with no node that decides: %s", resp.Status)
	}
}

func send(t *testing.T, url, media, body string) *http.Response {
	t.Helper()
	resp, err := http.Post(url, media, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp
}
