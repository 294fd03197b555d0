package feeds

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
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
	// Bookmark is the file that keeps how far the hub was told; empty keeps nothing, and
	// tells of what changes from now on.
	Bookmark string
	// Gather is how long changes are collected, so that the events of one batch
	// are told at once.
	Gather time.Duration
	// RetryLeast and RetryMost bound the pause before the hub is told again of what it
	// did not take.
	RetryLeast, RetryMost time.Duration
	// GiveUp is how long it is told again of a feed that it never takes, while it
	// takes others.
	GiveUp time.Duration
	// Registry takes the metrics; nil leaves them out.
	Registry prometheus.Registerer
	// Log takes faults; nil discards them.
	Log *slog.Logger
}

// A Herald tells a WebSub hub which feeds have changed, so that the hub fetches
// them and hands them to those who subscribed there. It follows the read model
// from where the hub was told last, by this herald or one before; where that is not
// known it begins with every feed there is. What is replayed is not told again. What
// it was telling when it ended is told once more. Nothing waits for it.
type Herald struct {
	options  HeraldOptions
	client   *http.Client
	pending  *pending
	told     *prometheus.CounterVec
	looked   atomic.Uint64 // the feeds that events up to this one changed are pending, or told
	took     time.Time     // when the hub took a notice last
	inVain   int           // the notices that it did not take since
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
	o.GiveUp = orElse(o.GiveUp, 24*time.Hour)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	h := &Herald{
		options: o, client: &http.Client{Timeout: notifyTimeout, CheckRedirect: keepMethod}, pending: newPending(),
		told: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "shiplog_websub_notifications_total",
			Help: "Feed addresses told to the WebSub hub, by outcome: accepted, refused for good or given up after a day, failed and tried again.",
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
		Help: "Feed addresses whose change the WebSub hub has not taken yet.",
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
	if from, err = h.bookmark.read(s.Seq()); err != nil {
		level := slog.LevelWarn
		if errors.Is(err, os.ErrNotExist) { // as there is none before the first hub
			level = slog.LevelInfo
		}
		h.options.Log.LogAttrs(ctx, level, "the hub is told of every feed there is, since it is not known how far it was told", slog.Any("error", err))
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
		for _, format := range Formats() {
			if err := h.pending.hasRoom(ctx); err != nil {
				return from, err
			}
			h.pending.add(topic{key, format}, from)
		}
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
