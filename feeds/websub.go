package feeds

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"shiplog/events"
	"shiplog/events/redact"
	"shiplog/projections"
)

// HeraldOptions are what a [Herald] is made of.
type HeraldOptions struct {
	// Hub is the address of the WebSub hub.
	Hub string
	// BaseURL is the address of the site, as the feeds have it.
	BaseURL string
	// Model is what feeds are made of.
	Model *projections.Model
	// WaitLive returns once the model has caught up with the ledger, WaitFor
	// once it has applied an event; see [projections.Runner].
	WaitLive func(ctx context.Context) error
	WaitFor  func(ctx context.Context, seq uint64) error
	// Bookmark is the file that keeps how far the hub was told; empty keeps nothing.
	Bookmark string
	// Gather is how long changes are collected, so that the events of one batch
	// are told at once.
	Gather time.Duration
	// RetryLeast and RetryMost bound the pause before the hub is asked again.
	RetryLeast, RetryMost time.Duration
	// Registry takes the metrics; nil leaves them out.
	Registry prometheus.Registerer
	// Log takes faults; nil discards them.
	Log *slog.Logger
}

// A Herald tells a WebSub hub which feeds have changed, so that the hub fetches
// them and hands them to those who subscribed there. It follows the read model
// from where the hub was told last, by this herald or one before, or else from
// where it first caught up: what is replayed is not told again. What it was
// telling when it ended is told once more. Nothing waits for it.
type Herald struct {
	options  HeraldOptions
	client   *http.Client
	pending  *pending
	told     *prometheus.CounterVec
	looked   atomic.Uint64 // the feeds that events up to this one changed are pending, or told
	bookmark bookmark
	unkept   bool // the bookmark cannot be written, and that was said
	unseen   bool // changed feeds cannot be found out, and that was said
}

// notifyTimeout bounds one request to the hub.
const notifyTimeout = 10 * time.Second

// CheckHub refuses what is no address of a hub.
func CheckHub(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Fragment != "" || !events.HasPort(u) || strings.ContainsAny(address, "<>\" ") {
		return fmt.Errorf("%q is no absolute http or https address", redact.URL(address))
	}
	if u.User != nil {
		return errors.New("the address holds a name or a password, which every feed would show")
	}
	return nil
}

// keepMethod follows a redirect only where it asks for the notification again.
func keepMethod(r *http.Request, via []*http.Request) error {
	if r.Method != http.MethodPost || len(via) > 5 {
		return http.ErrUseLastResponse
	}
	return nil
}

// NewHerald returns a herald that is not running.
func NewHerald(o HeraldOptions) (*Herald, error) {
	if err := CheckHub(o.Hub); err != nil {
		return nil, fmt.Errorf("hub %w", err)
	}
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	o.Gather = orElse(o.Gather, 500*time.Millisecond)
	o.RetryLeast = orElse(o.RetryLeast, time.Second)
	o.RetryMost = orElse(o.RetryMost, 5*time.Minute)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	h := &Herald{
		options: o, client: &http.Client{Timeout: notifyTimeout, CheckRedirect: keepMethod}, pending: newPending(),
		told: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "shiplog_websub_notifications_total",
			Help: "Feed addresses told to the WebSub hub, by outcome: accepted, refused for good, failed and tried again.",
		}, []string{"outcome"}),
	}
	for _, outcome := range []string{outcomeAccepted, outcomeRefused, outcomeFailed} {
		h.told.WithLabelValues(outcome)
	}
	if o.Registry == nil {
		return h, nil
	}
	waiting := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "shiplog_websub_pending",
		Help: "Feeds whose change the WebSub hub was not told of yet.",
	}, func() float64 { return float64(h.pending.len()) })
	if err := errors.Join(o.Registry.Register(h.told), o.Registry.Register(waiting)); err != nil {
		return nil, fmt.Errorf("register metrics of the hub: %w", err)
	}
	return h, nil
}

const (
	outcomeAccepted = "accepted"
	outcomeRefused  = "refused"
	outcomeFailed   = "failed"
)

func orElse(d, other time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return other
}

// Run follows the model until the context ends.
func (h *Herald) Run(ctx context.Context) error {
	for h.options.WaitLive(ctx) != nil {
		if !pause(ctx, h.options.RetryLeast) {
			return ctx.Err()
		}
	}
	from, err := h.begin(ctx)
	if err != nil {
		return err
	}
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() error { return h.follow(ctx, from) })
	both.Go(func() error { return h.tell(ctx) })
	return both.Wait()
}

// begin is the event behind which the hub is to be told: 0 where it may have missed
// anything. A feed it is told of in vain costs it a look; one it is not told of its
// subscribers wait for.
func (h *Herald) begin(ctx context.Context) (from uint64, err error) {
	s, err := h.options.Model.At(ctx, 0)
	if err != nil {
		return 0, fmt.Errorf("see how far the hub was told: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	h.bookmark = bookmark{h.options.Bookmark, page{Hub: h.options.Hub, Ledger: s.Ledger().ID}}
	from = s.Seq()
	told, err := h.bookmark.read()
	switch {
	case err != nil:
		h.options.Log.LogAttrs(ctx, slog.LevelWarn, "the hub is told of every feed, since how far it was told cannot be read", slog.Any("error", err))
		from = 0
	case told > 0:
		from = min(from, told)
	}
	h.looked.Store(from)
	h.keep(ctx, from)
	return from, nil
}

// keep keeps that the hub was told of everything up to an event.
func (h *Herald) keep(ctx context.Context, seq uint64) {
	err := h.bookmark.write(seq)
	if err != nil && !h.unkept {
		h.options.Log.LogAttrs(ctx, slog.LevelWarn, "what the hub is told now may be told again after a restart", slog.Any("error", err))
	}
	h.unkept = err != nil
}

// pause reports whether the time passed before the context ended.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// follow has the feeds wait that events after from change, as there is room: while
// there is none nothing is looked for, and then all that changed meanwhile.
func (h *Herald) follow(ctx context.Context, from uint64) error {
	for {
		err := h.options.WaitFor(ctx, from+1)
		if err == nil {
			from, err = h.look(ctx, from)
		}
		if err != nil && !pause(ctx, h.options.RetryLeast) {
			return ctx.Err()
		}
	}
}

// look has the feeds wait that events after from change, and says how far it looked.
func (h *Herald) look(ctx context.Context, from uint64) (to uint64, err error) {
	to, changed, err := h.changedAfter(ctx, from)
	if err != nil && !h.unseen && ctx.Err() == nil {
		h.options.Log.LogAttrs(ctx, slog.LevelWarn, "the hub is not told of changed feeds until they can be found out", slog.Any("error", err))
	}
	if h.unseen = err != nil; h.unseen {
		return from, err
	}
	for _, key := range changed {
		if err := h.pending.hasRoom(ctx); err != nil {
			return from, err
		}
		h.pending.add(key)
	}
	h.looked.Store(to)
	return to, nil
}

// changedAfter are the feeds that events after from changed up to the newest, those
// of everything first.
func (h *Herald) changedAfter(ctx context.Context, from uint64) (to uint64, changed []Key, err error) {
	s, err := h.options.Model.At(ctx, 0)
	if err != nil {
		return from, nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	changed, err = changedFeeds(ctx, s, from)
	return s.Seq(), changed, err
}

// tell tells the hub of one feed after another. While the hub fails, all wait.
func (h *Herald) tell(ctx context.Context) error {
	delay := h.options.RetryLeast
	for {
		select {
		case <-h.pending.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
		wait := h.options.Gather
		for pause(ctx, wait) {
			looked := h.looked.Load() // before it is seen that nothing waits
			key, ok := h.pending.next()
			if !ok {
				h.keep(ctx, looked)
				break
			}
			wait = 0
			after, err := h.notify(ctx, key)
			if err == nil {
				delay = h.options.RetryLeast
				continue
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			h.pending.add(key)
			wait = min(max(delay, after), h.options.RetryMost)
			delay = min(2*delay, h.options.RetryMost)
			h.options.Log.Warn("the hub cannot be told of changed feeds", slog.String("hub", h.options.Hub),
				slog.Duration("again_in", wait), slog.Any("error", err))
		}
	}
}

// notify tells of a feed in each format. The error is one that may pass; after
// is how long the hub asks to be left alone.
func (h *Herald) notify(ctx context.Context, key Key) (after time.Duration, err error) {
	for _, format := range Formats() {
		topic := h.options.BaseURL + key.address() + "." + string(format)
		status, after, err := h.post(ctx, topic)
		switch {
		case err != nil:
			h.told.WithLabelValues(outcomeFailed).Inc()
			return after, err
		case status >= http.StatusOK && status < http.StatusMultipleChoices:
			h.told.WithLabelValues(outcomeAccepted).Inc()
		default:
			h.told.WithLabelValues(outcomeRefused).Inc()
			h.options.Log.Warn("the hub does not take a feed", slog.String("feed", topic), slog.Int("status", status))
		}
	}
	return 0, nil
}

// post sends one notification. WebSub leaves its form to hubs; all take the one
// of PubSubHubbub, some by the name of the topic.
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
	switch {
	case res.StatusCode >= http.StatusInternalServerError, res.StatusCode == http.StatusTooManyRequests, res.StatusCode == http.StatusRequestTimeout:
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		after = min(time.Duration(max(0, min(seconds, 1<<20)))*time.Second, h.options.RetryMost)
		return res.StatusCode, after, fmt.Errorf("the hub answers %s", res.Status)
	}
	return res.StatusCode, 0, nil
}
