package feeds

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"shiplog/events/redact"
)

// slowest is how many notices in a row, of as many topics, a hub takes none of when
// it is told of no more than one in that many times RetryLeast.
const slowest = 30

// tell tells the hub of one topic after another. What it does not take waits its own
// time, which is doubled each time; the others go on, the slower the more fail in a
// row, since that may be the hub.
func (h *Herald) tell(ctx context.Context) error {
	for {
		looked := h.looked.Load() // before it is seen what waits
		n, due := h.pending.next(time.Now())
		if n == nil {
			h.keep(ctx, h.pending.told(looked))
			if !h.rest(ctx, due) {
				return ctx.Err()
			}
			continue
		}
		wait := h.notify(ctx, n)
		if ctx.Err() != nil || wait > 0 && !pause(ctx, wait) {
			return ctx.Err()
		}
	}
}

// rest reports whether something may have come to wait, or to be due, before the
// context ended. What is new is gathered first.
func (h *Herald) rest(ctx context.Context, due time.Time) bool {
	var again <-chan time.Time
	if !due.IsZero() {
		timer := time.NewTimer(time.Until(due))
		defer timer.Stop()
		again = timer.C
	}
	select {
	case <-h.pending.wake:
		return pause(ctx, h.options.Gather)
	case <-again:
		return true
	case <-ctx.Done():
		return false
	}
}

// notify gives the hub a notice, and says how long it is to be left alone then.
func (h *Herald) notify(ctx context.Context, n *notice) (wait time.Duration) {
	feed := slog.String("feed", h.options.BaseURL+n.key.address()+"."+string(n.format))
	status, after, err := h.post(ctx, feed.Value.String())
	switch {
	case ctx.Err() != nil:
	case err == nil && status < http.StatusMultipleChoices:
		h.told.WithLabelValues(outcomeAccepted).Inc()
		h.took, h.inVain = time.Now(), 0
	case err == nil:
		h.told.WithLabelValues(outcomeRefused).Inc()
		h.options.Log.LogAttrs(ctx, slog.LevelWarn, "the hub does not take a feed", feed, slog.Int("status", status))
	case n.pause > 0 && time.Since(n.since) > h.options.GiveUp && h.took.After(n.since):
		h.told.WithLabelValues(outcomeRefused).Inc()
		h.options.Log.LogAttrs(ctx, slog.LevelWarn, "the hub is not told of a feed any more until it changes again, since it takes others",
			feed, slog.Time("told_since", n.since), slog.Any("error", err))
	default:
		h.told.WithLabelValues(outcomeFailed).Inc()
		h.postpone(n, after)
		h.options.Log.LogAttrs(ctx, slog.LevelWarn, "the hub cannot be told of a changed feed", slog.String("hub", h.options.Hub),
			feed, slog.Duration("again_in", time.Until(n.due).Round(time.Millisecond)), slog.Any("error", err))
		wait = min(time.Duration(min(h.inVain, h.pending.failing(), slowest))*h.options.RetryLeast, h.options.RetryMost)
		if status == http.StatusTooManyRequests {
			wait = max(wait, after)
		}
	}
	return wait
}

// postpone has a notice that was told in vain wait, twice as long as before and no
// less than the hub asks for.
func (h *Herald) postpone(n *notice, after time.Duration) {
	now := time.Now()
	if n.pause == 0 {
		n.since = now
	}
	n.pause = min(max(2*n.pause, h.options.RetryLeast), h.options.RetryMost)
	n.due = now.Add(max(n.pause, after))
	h.inVain++
	h.pending.retry(n)
}

// post sends one notification. WebSub leaves its form to hubs; all take the one
// of PubSubHubbub, some by the name of the topic. The error is one that may pass;
// after is how long the hub asks to be left alone.
func (h *Herald) post(ctx context.Context, topic string) (status int, after time.Duration, err error) {
	form := url.Values{"hub.mode": {"publish"}, "hub.url": {topic}, "hub.topic": {topic}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.options.Hub, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, 0, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("User-Agent", generator)
	res, err := h.client.Do(r)
	if err != nil {
		return 0, 0, err
	}
	_, _ = io.CopyN(io.Discard, res.Body, 4<<10) // so that the connection is used again
	_ = res.Body.Close()
	seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
	after = min(time.Duration(max(0, min(seconds, 1<<20)))*time.Second, h.options.RetryMost)
	return res.StatusCode, after, mayPass(res)
}

// mayPass is an error unless the hub took a notice, or never will take this one. That
// it knows no such address, or asks for a password, somebody can mend; a redirect
// that turns the notice into a look is not followed (see keepMethod).
func mayPass(res *http.Response) error {
	switch code := res.StatusCode; {
	case code >= http.StatusOK && code < http.StatusMultipleChoices:
		return nil
	case code < http.StatusBadRequest:
		return fmt.Errorf("the hub answers %s: give --websub-hub the address it has moved to, %s", res.Status, redact.URL(res.Header.Get("Location")))
	case code == http.StatusBadRequest, code == http.StatusRequestEntityTooLarge, code == http.StatusRequestURITooLong,
		code == http.StatusUnprocessableEntity, code == http.StatusNotImplemented:
		return nil
	case code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests, code >= http.StatusInternalServerError:
		return fmt.Errorf("the hub answers %s", res.Status)
	}
	return fmt.Errorf("the hub answers %s: see that --websub-hub is its address, and that it takes feeds of this site", res.Status)
}
