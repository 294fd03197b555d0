package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// What part of a bare handler's speed answers must not be below.
const (
	cachedFloor      = 0.5
	notModifiedFloor = 0.8
)

// measurePages asks for a comparison page and a feed, cached and with
// validators, and for the same bytes from a bare handler.
func (r *run) measurePages(ctx context.Context) error {
	if _, err := r.filled(ctx); err != nil {
		return err
	}
	pair, err := r.anyMatchup(ctx)
	if err != nil {
		return err
	}
	for _, p := range []struct{ name, path string }{
		{"comparison page", pair},
		{"matchup feed", "/feeds/matchups.atom"},
	} {
		if err := r.measurePage(ctx, p.name, p.path); err != nil {
			return err
		}
	}
	return nil
}

// anyMatchup is the address of a comparison page.
func (r *run) anyMatchup(ctx context.Context) (string, error) {
	var list struct {
		Matchups []struct{ Left, Right string }
	}
	body, _, err := r.node.get(ctx, "/api/v1/matchups?limit=1")
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(body, &list); err != nil || len(list.Matchups) == 0 {
		return "", fmt.Errorf("no matchup to show: %.200s", body)
	}
	m := list.Matchups[0]
	return "/compare/" + m.Left + "-vs-" + m.Right, nil
}

// get reads a path once.
func (n *node) get(ctx context.Context, path string) (body []byte, header http.Header, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, n.Base+path, http.NoBody)
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := n.client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %s", path, resp.Status)
	}
	return body, resp.Header, err
}

// bareHeaders are the headers that a bare handler is to send too: those that the
// server does not make by itself.
func bareHeaders(header http.Header) http.Header {
	same := header.Clone()
	for _, name := range []string{"Date", "Content-Length"} {
		same.Del(name)
	}
	return same
}

func (r *run) measurePage(ctx context.Context, name, path string) error {
	body, header, err := r.node.get(ctx, path)
	if err != nil {
		return err
	}
	bare, stop, err := startBaseline(ctx, r.Program, answer{Header: bareHeaders(header), Body: body})
	if err != nil {
		return err
	}
	defer stop()
	for _, c := range []struct {
		what, etag string
		status     int
		floor      float64
	}{
		{"cached", "", http.StatusOK, cachedFloor},
		{"304", header.Get("ETag"), http.StatusNotModified, notModifiedFloor},
	} {
		r.node.ForgetPeak()
		ours, theirs, err := r.byTurns(ctx, load(r.node.Base, path, c.etag, c.status), load(bare, path, c.etag, c.status))
		if err != nil {
			return err
		}
		f := Figure{Name: name + ", " + c.what, Value: ours, Unit: "requests/s", Memory: r.node.PeakMemory()}
		r.add(f.against("bare net/http handler", theirs, c.floor))
	}
	return nil
}

// visibleRate is how many reviews a second are sent while measuring.
const visibleRate = 500

// measureVisible sends reviews at a steady rate and asks, after each tenth
// receipt, for the tool's page as of that event: the answer comes when the page
// shows it.
func (r *run) measureVisible(ctx context.Context) error {
	n, err := r.filled(ctx)
	if err != nil {
		return err
	}
	n.ForgetPeak()
	tick := time.NewTicker(time.Second / visibleRate)
	defer tick.Stop()
	var s samples
	var wg sync.WaitGroup
	for began := time.Now(); time.Since(began) < r.Duration && ctx.Err() == nil; {
		<-tick.C
		number := r.recorded
		r.recorded++
		wg.Go(func() { s.note(r.visible(ctx, number)) })
	}
	wg.Wait()
	took, err := s.sorted()
	if err != nil {
		return err
	}
	note := fmt.Sprintf("at %d reviews/s, %d pages asked for", visibleRate, len(took))
	r.add(Figure{Name: "accepted until visible, p50", Value: quantile(took, 0.50), Unit: "ms", Memory: n.PeakMemory(), Note: note})
	r.add(Figure{Name: "accepted until visible, p99", Value: quantile(took, 0.99), Unit: "ms", Memory: n.PeakMemory(), Note: note})
	return nil
}

// visible sends one review; of every tenth it waits until its page shows it.
func (r *run) visible(ctx context.Context, number int) (time.Duration, error) {
	var w writer
	w.review(number)
	seq, err := r.node.post(ctx, "application/cloudevents+json", w.b)
	if err != nil || number%10 != 0 {
		return 0, err
	}
	began := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/tools/tool-%d", r.node.Base, number%tools), http.NoBody)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Shiplog-Min-Seq", fmt.Sprint(seq))
	resp, err := r.node.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s as of event %d: %s %w", req.URL, seq, resp.Status, err)
	}
	return time.Since(began), nil
}
