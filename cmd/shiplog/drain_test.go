package main

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// A node that is told to end says so to the proxy before it, and serves readers and
// publishers until that has had its time.
func TestDrainDelay(t *testing.T) {
	const delay = 2 * time.Second
	app, err := startApp(t.Context(), t.TempDir(), "--drain-delay", delay.String())
	if err != nil {
		t.Fatal(err)
	}
	n := aNode{app, t}
	began, stopped := time.Now(), make(chan error, 1)
	go func() { stopped <- app.Stop() }()
	n.until("it is unready", func() bool {
		status, why := n.ready()
		return status == http.StatusServiceUnavailable && strings.Contains(why, "the node is stopping")
	})
	if status, body := n.submit(aReview("late", "awl")); status != http.StatusCreated {
		t.Errorf("a submission is answered %d %s", status, body)
	}
	if status, _ := n.page("/tools"); status != http.StatusOK {
		t.Errorf("a reader is answered %d", status)
	}
	if err := <-stopped; err != nil || time.Since(began) < delay {
		t.Errorf("stopped after %s: %v", time.Since(began), err)
	}
}
