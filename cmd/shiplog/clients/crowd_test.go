//go:build clients

package clients_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"shiplog/cmd/shiplog/process"
)

// A crowd is publishers that send one review after the other, each of them until
// it has a receipt, from whichever node.
type crowd struct {
	t       *testing.T
	bases   []string
	stop    chan struct{}
	clients sync.WaitGroup
	noted   chan struct{}

	mu       sync.Mutex
	receipts map[string]uint64
	by       map[string]int // accepted by each node
	waits    []time.Duration
	last     time.Time
	silence  time.Duration // the longest without a receipt
	refused  map[string]int
}

// startCrowd sends from some clients to each of the nodes.
func startCrowd(t *testing.T, name string, perNode int, nodes ...*process.Node) *crowd {
	t.Helper()
	c := &crowd{
		t: t, stop: make(chan struct{}), noted: make(chan struct{}, 1<<20),
		receipts: map[string]uint64{}, by: map[string]int{}, refused: map[string]int{}, last: time.Now(),
	}
	for _, n := range nodes {
		c.bases = append(c.bases, n.Base)
	}
	for client := range perNode * len(nodes) {
		c.clients.Go(func() { c.send(fmt.Sprintf("%s-%d", name, client), client) })
	}
	return c
}

// send is one client. It begins each review at its own node.
func (c *crowd) send(name string, home int) {
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for i := 0; ; i++ {
		select {
		case <-c.stop:
			return
		default:
		}
		id := fmt.Sprintf("%s-%d", name, i)
		event := review(id, fmt.Sprintf("tool-%d", i%20), "Said in "+id+".")
		began := time.Now()
		for try := 0; !c.try(id, c.bases[(home+try)%len(c.bases)], event, began); try++ {
			if time.Since(began) > time.Minute {
				c.t.Errorf("%s has no receipt after a minute", id)
				return
			}
			<-again.C
		}
	}
}

func (c *crowd) try(id, base, event string, began time.Time) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	r, err := send(ctx, base, event)
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil || !r.Recorded {
		c.refused[cmp.Or(r.Detail, "no answer")]++
		return false
	}
	c.receipts[id] = r.Seq
	c.by[base]++
	c.waits = append(c.waits, now.Sub(began))
	c.silence = max(c.silence, now.Sub(c.last))
	c.last = now
	c.noted <- struct{}{}
	return true
}

// await waits for so many more receipts, from now on.
func (c *crowd) await(more int) {
	c.t.Helper()
	for len(c.noted) > 0 {
		<-c.noted
	}
	late := time.After(time.Minute)
	for range more {
		select {
		case <-c.noted:
		case <-late:
			c.t.Fatal("publishers get no receipts any more")
		}
	}
}

// end lets every client have its last receipt, and says what it was like.
func (c *crowd) end() {
	c.t.Helper()
	close(c.stop)
	c.clients.Wait()
	slices.Sort(c.waits)
	c.t.Logf("%d receipts, by node %v; waited %s at the median, %s at the 99th percentile, %s at most; longest without a receipt %s",
		len(c.receipts), slices.Sorted(maps.Values(c.by)), c.wait(0.5), c.wait(0.99), c.wait(1), c.silence.Round(time.Millisecond))
	for _, why := range slices.Sorted(maps.Keys(c.refused)) {
		c.t.Logf("%d times refused: %s", c.refused[why], why)
		if strings.Contains(why, "API error") {
			c.t.Error("that is for no publisher to read")
		}
	}
}

// wait is how long a share of the reviews waited at most for their receipts.
func (c *crowd) wait(share float64) time.Duration {
	at := min(int(share*float64(len(c.waits))), len(c.waits)-1)
	return c.waits[at].Round(time.Millisecond)
}

// highest is the last sequence that a receipt names.
func (c *crowd) highest() uint64 { return slices.Max(slices.Collect(maps.Values(c.receipts))) }

// A receipt is an answer to one event, or why there is none.
type receipt struct {
	Status   string
	Recorded bool
	Seq      uint64
	Type     string
	Detail   string
}

// submit sends an event and returns its receipt.
func submit(t *testing.T, base, event string) receipt {
	t.Helper()
	r, err := send(t.Context(), base, event)
	if err != nil {
		t.Error(err)
	}
	return r
}

// send sends an event. The status of an answer that is no receipt is its HTTP code.
func send(ctx context.Context, base, event string) (r receipt, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/api/v1/events", strings.NewReader(event))
	if err != nil {
		return r, err
	}
	req.Header.Set("Content-Type", "application/cloudevents+json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return r, err
	}
	defer resp.Body.Close()
	if resp.StatusCode < http.StatusMultipleChoices {
		return r, json.NewDecoder(resp.Body).Decode(&r)
	}
	var problem struct{ Detail string }
	err = json.NewDecoder(resp.Body).Decode(&problem)
	return receipt{Status: resp.Status[:3], Detail: problem.Detail}, err
}
