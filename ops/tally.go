package ops

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"shiplog/events/instrument"
)

// A tally holds what was observed of one route and method until there are many of
// it, or somebody reads the metrics. A histogram lies in some hundred places of
// memory, of which a request finds those that it needs cold: to go there costs more
// than all else that is done to count it. A tally goes there for many at once.
type tally struct {
	requests [len(countedCodes)]prometheus.Counter
	duration prometheus.Observer

	mu   sync.Mutex
	held []observed
}

// observed is one answer.
type observed struct {
	took  time.Duration
	class int // place of its status among countedCodes
}

// mostHeld is how many answers a tally holds: several for each native bucket.
const mostHeld = 256

// note counts an answer. It never waits for another request.
func (t *tally) note(o observed) {
	if !t.mu.TryLock() {
		t.tell(o, trace.SpanContext{})
		return
	}
	if t.held = append(t.held, o); len(t.held) == mostHeld {
		t.release()
	}
	t.mu.Unlock()
}

// flush tells the metrics of all that is held.
func (t *tally) flush() {
	t.mu.Lock()
	t.release()
	t.mu.Unlock()
}

func (t *tally) release() {
	for _, o := range t.held {
		t.tell(o, trace.SpanContext{})
	}
	t.held = t.held[:0]
}

// tell tells the metrics of an answer, with its trace as exemplar where that is
// sent.
func (t *tally) tell(o observed, in trace.SpanContext) {
	t.requests[o.class].Inc()
	instrument.Observe(t.duration, o.took.Seconds(), in)
}
