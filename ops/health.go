package ops

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// A Check looks at one thing a node needs. Fn returns nil when it is well; a
// detail says more in either case.
type Check struct {
	Name string
	Fn   func(ctx context.Context) (detail string, err error)
}

// A Finding is the last result of a check.
type Finding struct {
	Name   string  `json:"name"`
	OK     bool    `json:"ok"`
	Detail string  `json:"detail,omitempty"`
	Age    float64 `json:"age_seconds"` // since it was last well or unwell, as OK says
}

// Health runs the checks of a node.
type Health struct {
	now func() time.Time

	mu      sync.Mutex
	checks  []Check
	waits   string               // why there are no checks yet
	since   map[string]time.Time // since when a check has its present result
	last    map[string]bool
	asked   map[string]*answer // that has not come yet
	closing bool
}

// An answer is what a check says, once done is closed.
type answer struct {
	done   chan struct{}
	detail string
	err    error
}

// What is found without a check.
const (
	findingStart    = "start"
	findingShutdown = "shutdown"
)

// checkTimeout bounds one check, also one that pays no heed to its context: a call
// to a disk that hangs cannot be taken back.
const checkTimeout = 5 * time.Second

// NewHealth makes a health of checks. Now is the clock.
func NewHealth(now func() time.Time, checks ...Check) *Health {
	return &Health{checks: checks, now: now, since: map[string]time.Time{}, last: map[string]bool{}, asked: map[string]*answer{}}
}

// Starting makes the node unready, and says why, until Begin: it is not all
// there, so that nothing of it can be checked.
func (h *Health) Starting(why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waits = why
}

// Begin has checks run from now on.
func (h *Health) Begin(checks ...Check) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.checks, h.waits = checks, ""
}

// Close makes the node unready: it is about to stop.
func (h *Health) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closing = true
}

// lookEvery is how often the checks run though nobody asks, so that the age of
// a finding is that of what it found. A check that comes and goes is logged no more
// often.
const lookEvery = 5 * time.Second

// Run looks at everything now and then until the context ends, and logs what is
// red, and what is so no more: once a change.
func (h *Health) Run(ctx context.Context, log *slog.Logger) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	red := map[string]time.Time{} // since when
	h.Ready(ctx)                  // what is red now may only be beginning
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			_, findings := h.Ready(ctx)
			h.tell(ctx, log, red, findings)
		}
	}
}

// tell logs which checks are red now that were not, and the reverse.
func (h *Health) tell(ctx context.Context, log *slog.Logger, red map[string]time.Time, findings []Finding) {
	for _, f := range findings {
		since, was := red[f.Name]
		switch {
		case f.Name == findingStart || f.Name == findingShutdown: // what begins and ends is logged as such
		case !f.OK && !was:
			red[f.Name] = h.now()
			log.LogAttrs(ctx, slog.LevelWarn, "a check is red", slog.String("check", f.Name), slog.String("reason", f.Detail))
		case f.OK && was:
			delete(red, f.Name)
			log.LogAttrs(ctx, slog.LevelInfo, "a check is well again", slog.String("check", f.Name), slog.Duration("after", h.now().Sub(since)))
		}
	}
}

// Ready runs every check, side by side, and reports whether all are well. It
// waits no longer than one check may take.
func (h *Health) Ready(ctx context.Context) (ready bool, findings []Finding) {
	h.mu.Lock()
	checks, waits := h.checks, h.waits
	h.mu.Unlock()
	findings = make([]Finding, len(checks))
	var asking sync.WaitGroup
	for i, c := range checks {
		asking.Go(func() {
			detail, err := h.ask(ctx, c)
			if err != nil {
				detail = err.Error()
			}
			findings[i] = Finding{Name: c.Name, OK: err == nil, Detail: detail, Age: h.note(c.Name, err == nil)}
		})
	}
	asking.Wait()
	if waits != "" {
		findings = append(findings, Finding{Name: findingStart, Detail: waits, Age: h.note(findingStart, false)})
	}
	ready = !slices.ContainsFunc(findings, func(f Finding) bool { return !f.OK })
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing {
		ready = false
		findings = append(findings, Finding{Name: findingShutdown, Detail: "the node is stopping"})
	}
	return ready, findings
}

var errNoAnswer = fmt.Errorf("it has not answered for %s", checkTimeout)

// ask runs a check, or waits with whoever has begun to: one that does not answer
// is not begun again and again.
func (h *Health) ask(ctx context.Context, c Check) (string, error) {
	h.mu.Lock()
	a := h.asked[c.Name]
	if a == nil {
		a = &answer{done: make(chan struct{})}
		h.asked[c.Name] = a
		go h.run(context.WithoutCancel(ctx), c, a)
	}
	h.mu.Unlock()
	late := time.NewTimer(checkTimeout + time.Second) // after those that heed their context
	defer late.Stop()
	select {
	case <-a.done:
		return a.detail, a.err
	case <-late.C:
		return "", errNoAnswer
	}
}

func (h *Health) run(ctx context.Context, c Check, a *answer) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	a.detail, a.err = c.Fn(ctx)
	h.mu.Lock()
	delete(h.asked, c.Name)
	h.mu.Unlock()
	close(a.done)
}

// note keeps since when a check has its result, and returns for how many
// seconds.
func (h *Health) note(name string, ok bool) float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if last, known := h.last[name]; !known || last != ok {
		h.last[name], h.since[name] = ok, h.now()
	}
	return h.now().Sub(h.since[name]).Round(time.Second).Seconds()
}
