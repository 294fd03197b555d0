package ops

import (
	"context"
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
	checks []Check
	now    func() time.Time

	mu      sync.Mutex
	since   map[string]time.Time // since when a check has its present result
	last    map[string]bool
	closing bool
}

// checkTimeout bounds one check.
const checkTimeout = 5 * time.Second

// NewHealth makes a health of checks. Now is the clock.
func NewHealth(now func() time.Time, checks ...Check) *Health {
	return &Health{checks: checks, now: now, since: map[string]time.Time{}, last: map[string]bool{}}
}

// Close makes the node unready: it is about to stop.
func (h *Health) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closing = true
}

// lookEvery is how often the checks run though nobody asks, so that the age of
// a finding is that of what it found.
const lookEvery = 5 * time.Second

// Run looks at everything now and then until the context ends.
func (h *Health) Run(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		h.Ready(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Ready runs every check and reports whether all are well.
func (h *Health) Ready(ctx context.Context) (ready bool, findings []Finding) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	ready = true
	for _, c := range h.checks {
		detail, err := c.Fn(ctx)
		f := Finding{Name: c.Name, OK: err == nil, Detail: detail}
		if err != nil {
			f.Detail = err.Error()
		}
		f.Age = h.note(c.Name, f.OK)
		ready = ready && f.OK
		findings = append(findings, f)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing {
		ready = false
		findings = append(findings, Finding{Name: "shutdown", Detail: "the node is stopping"})
	}
	return ready, findings
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
