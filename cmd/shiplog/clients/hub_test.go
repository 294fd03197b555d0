//go:build clients

package clients_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestClientKilledHub kills a node whose WebSub hub is down. The node after it
// tells the hub of what it has missed.
func TestClientKilledHub(t *testing.T) {
	var up atomic.Bool
	told := make(chan string, 1000)
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !up.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		told <- r.PostFormValue("hub.url")
	}))
	t.Cleanup(hub.Close)
	data, flags := t.TempDir(), []string{"--base-url=https://reviews.example", "--websub-hub=" + hub.URL}
	n := start(t, data, flags...)
	if _, ok := post(t.Context(), n.Base, review("missed", "awl", "Said while the hub was down.")); !ok {
		t.Fatal("it is not recorded")
	}
	<-told // and refused
	n.Kill()
	for len(told) > 0 {
		<-told
	}
	up.Store(true)
	start(t, data, flags...)
	heard := map[string]bool{}
	within(t, time.Minute, "the hub hears of the tool", func() bool {
		for len(told) > 0 {
			heard[<-told] = true
		}
		return heard["https://reviews.example/feeds/tools/awl.atom"] && heard["https://reviews.example/feeds/reviews.json"]
	})
	for topic := range heard {
		if !strings.HasPrefix(topic, "https://reviews.example/feeds/") {
			t.Errorf("the hub is told of %s", topic)
		}
	}
}
