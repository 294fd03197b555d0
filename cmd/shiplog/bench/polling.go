package bench

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

const (
	// subscribers is how many readers poll.
	subscribers = 10_000
	// polledTools is how many tools' feeds they follow, beside those of everything:
	// few enough to be built for one client at once.
	polledTools = 300
)

// A polled feed is one that subscribers have read before.
type polledFeed struct {
	path, etag, modified string
	header               http.Header
}

// measurePolling has 10,000 subscribers ask whether their feeds have changed, as
// feed readers do, and then ask a bare handler that only ever says no, in the same
// bytes.
func (r *run) measurePolling(ctx context.Context) error {
	if _, err := r.filled(ctx); err != nil {
		return err
	}
	feeds, err := r.polledFeeds(ctx)
	if err != nil {
		return err
	}
	const known = `W/"known"`
	unchanged := bareHeaders(feeds[0].header)
	for _, name := range []string{"Content-Type", "X-Content-Type-Options"} { // of the body
		unchanged.Del(name)
	}
	unchanged.Set("Etag", known)
	bare, stop, err := startBaseline(ctx, r.Program, answer{Header: unchanged})
	if err != nil {
		return err
	}
	defer stop()
	ours, theirs := make([][]byte, subscribers), make([][]byte, subscribers)
	for i := range subscribers {
		feed := feeds[i%len(feeds)]
		ours[i] = poll(r.node.Base, feed, i)
		feed.etag = known
		theirs[i] = poll(bare, feed, i)
	}
	r.node.ForgetPeak()
	answered, baseline, err := r.byTurns(ctx,
		loadEach(r.node.Base, ours, http.StatusNotModified), loadEach(bare, theirs, http.StatusNotModified))
	if err != nil {
		return err
	}
	figure := Figure{
		Name: fmt.Sprintf("%d subscribers polling, 304", subscribers), Value: answered, Unit: "requests/s",
		Note: fmt.Sprintf("%d feeds", len(feeds)), Memory: r.node.PeakMemory(),
	}
	r.add(figure.against("bare net/http handler", baseline, notModifiedFloor))
	return nil
}

// polledFeeds reads each feed once for its validators.
func (r *run) polledFeeds(ctx context.Context) ([]polledFeed, error) {
	var paths []string
	for _, stem := range []string{"matchups", "verdicts", "reviews"} {
		for _, format := range []string{"atom", "rss", "json"} {
			paths = append(paths, "/feeds/"+stem+"."+format)
		}
	}
	for i := range polledTools {
		paths = append(paths, fmt.Sprintf("/feeds/tools/tool-%d.atom", i))
	}
	feeds := make([]polledFeed, 0, len(paths))
	for _, path := range paths {
		_, header, err := r.node.get(ctx, path)
		if err != nil {
			return nil, err
		}
		feeds = append(feeds, polledFeed{path, header.Get("Etag"), header.Get("Last-Modified"), header})
	}
	return feeds, nil
}

// poll is the request of one subscriber, with the headers that readers send.
func poll(base string, feed polledFeed, subscriber int) []byte {
	request := "GET " + feed.path + " HTTP/1.1\r\nHost: " + strings.TrimPrefix(base, "http://") +
		fmt.Sprintf("\r\nUser-Agent: Reader/2.%d (subscriber %d)", subscriber%10, subscriber) +
		"\r\nAccept: application/atom+xml, application/rss+xml, application/feed+json, */*;q=0.1\r\nAccept-Encoding: gzip, br" +
		"\r\nIf-None-Match: " + feed.etag
	if feed.modified != "" {
		request += "\r\nIf-Modified-Since: " + feed.modified
	}
	return []byte(request + "\r\n\r\n")
}
