package readhttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"shiplog/events/tracing"
	"shiplog/projections"
)

// Headers that say, and ask for, a position in the ledger.
const (
	SeqHeader    = "Shiplog-Seq"
	MinSeqHeader = "Shiplog-Min-Seq"
)

// DefaultWait is how long a request waits for an event it asks for.
const DefaultWait = 5 * time.Second

// Options are what a [Gate] stands before. Head and WaitFor are required.
type Options struct {
	// Model is what is read.
	Model *projections.Model
	// Position is the newest event the model has applied; nil asks the model.
	Position func() uint64
	// Head asks the ledger for its last event. It is called only for requests
	// that want more than Position; they are answered with its error where that
	// is a [*Refusal].
	Head func(ctx context.Context) (uint64, error)
	// WaitFor blocks until the model has applied an event; see
	// [projections.Runner.WaitFor].
	WaitFor func(ctx context.Context, seq uint64) error
	// Wait is how long a request waits, DefaultWait when zero.
	Wait time.Duration
	// Registerer takes the metrics; nil keeps them to the gate.
	Registerer prometheus.Registerer
}

// A Gate lets requests to the model when it has come as far as they ask. It is
// safe for use by many goroutines.
type Gate struct {
	o     Options
	ahead prometheus.Counter
}

// New is a gate.
func New(o Options) *Gate {
	if o.Wait == 0 {
		o.Wait = DefaultWait
	}
	if o.Position == nil {
		o.Position = func() uint64 {
			seq, _ := o.Model.Position()
			return seq
		}
	}
	return &Gate{o: o, ahead: promauto.With(o.Registerer).NewCounter(prometheus.CounterOpts{
		Name: "shiplog_http_requests_ahead_total",
		Help: "Reads answered 503 because their Shiplog-Min-Seq names an event that was never recorded: those of shiplog_http_requests_total that are no fault of the node.",
	})}
}

// Handler wraps a route that reads the model: the request waits for the event
// named in Shiplog-Min-Seq, and the answer is handled as by [Tagged]. Refuse
// writes a refusal; the headers of it are set already.
func (g *Gate) Handler(next http.Handler, refuse func(http.ResponseWriter, *http.Request, *Refusal)) http.Handler {
	return Tagged(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refusal := g.admit(r); refusal != nil {
			w.Header().Set(SeqHeader, strconv.FormatUint(g.o.Position(), 10))
			refusal.SetHeader(w.Header())
			refuse(w, r, refusal)
			return
		}
		next.ServeHTTP(w, r)
	}))
}

// admit reads Shiplog-Min-Seq and waits for it. An empty one is refused: whoever
// sends it meant to name an event, and would otherwise be shown an older state
// unawares.
func (g *Gate) admit(r *http.Request) *Refusal {
	values := r.Header[MinSeqHeader]
	if len(values) == 0 {
		return nil
	}
	text := strings.Join(values, ", ")
	seq, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return badRequest(fmt.Sprintf("the header %s must be the sequence of an event, a whole number; got %q", MinSeqHeader, text))
	}
	return g.Await(r.Context(), seq)
}

// Await blocks until the model has applied the event at seq, at most for the
// gate's wait. It returns nil, or a refusal with status 503; [GivenUp] where the context ends.
// An event that was never recorded is no fault of the node: who asks for it is
// counted apart.
func (g *Gate) Await(ctx context.Context, seq uint64) *Refusal {
	head, refusal := g.reach(ctx, seq)
	if refusal == nil && seq > head {
		g.ahead.Inc()
		tracing.Excuse(ctx)
		return unavailable(beyond(strconv.FormatUint(seq, 10), head)+"; ask again when it is recorded", nil)
	}
	return refusal
}

// reach is Await, but tells an event that was never recorded by a head below
// it. Otherwise head is at least seq.
func (g *Gate) reach(ctx context.Context, seq uint64) (head uint64, refusal *Refusal) {
	if seq <= g.o.Position() {
		return seq, nil
	}
	limited, cancel := context.WithTimeout(ctx, g.o.Wait)
	defer cancel()
	head, err := g.o.Head(limited)
	if err != nil && ctx.Err() != nil {
		return 0, GivenUp()
	}
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		return 0, refusal
	}
	if err != nil {
		return 0, unavailable(fmt.Sprintf("event %d is not shown here yet, and the ledger cannot be reached; ask again", seq), err)
	}
	if seq > head {
		return head, nil
	}
	err = g.o.WaitFor(limited, seq)
	switch {
	case err == nil:
		return head, nil
	case ctx.Err() != nil:
		return head, GivenUp()
	case errors.Is(err, context.DeadlineExceeded):
		return head, unavailable(fmt.Sprintf("event %d is recorded but not shown here yet (this node is at event %d); ask again", seq, g.o.Position()), err)
	}
	return head, unavailable(fmt.Sprintf("event %d is recorded but not shown here: this node stopped after event %d; its operator finds the reason in the log", seq, g.o.Position()), err)
}

// beyond says so of a sequence as it was asked for, which may be larger than any
// can be.
func beyond(seq string, head uint64) string {
	if head == 0 {
		return fmt.Sprintf("there is no event %s: nothing is recorded yet", seq)
	}
	return fmt.Sprintf("there is no event %s: the last one is %d", seq, head)
}
