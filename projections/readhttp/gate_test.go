package readhttp_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"shiplog/projections/readhttp"
)

// A node is at a position behind a head. It catches up when it is waited for,
// unless it hangs or has stopped.
type node struct {
	position atomic.Uint64
	head     uint64
	headErr  error
	hangs    bool
	stopped  error
	asked    int // times the head was asked for
}

func (n *node) gate() *readhttp.Gate { return readhttp.New(n.options()) }

func (n *node) options() readhttp.Options {
	return readhttp.Options{
		Position: n.position.Load,
		Head: func(context.Context) (uint64, error) {
			n.asked++
			return n.head, n.headErr
		},
		WaitFor: func(ctx context.Context, seq uint64) error {
			if n.hangs {
				<-ctx.Done()
				return ctx.Err()
			}
			if n.stopped == nil {
				n.position.Store(seq)
			}
			return n.stopped
		},
	}
}

func TestAwait(t *testing.T) {
	for _, test := range []struct {
		name   string
		node   *node
		seq    uint64
		waits  time.Duration
		refuse string // part of the detail; "" for none
		asked  int
	}{
		{name: "shown", node: &node{head: 7}, seq: 7},
		{name: "nothing asked for", node: &node{head: 7}, seq: 0},
		{name: "catches up", node: &node{head: 9}, seq: 9, asked: 1},
		{name: "beyond the head", node: &node{head: 9}, seq: 10, refuse: "there is no event 10: the last one is 9", asked: 1},
		{name: "too slow", node: &node{head: 9, hangs: true}, seq: 9, waits: 5 * time.Second, refuse: "not shown here yet (this node is at event 7)", asked: 1},
		{name: "stopped", node: &node{head: 9, stopped: errors.New("event 8 cannot be applied")}, seq: 9, refuse: "stopped after event 7", asked: 1},
		{name: "ledger away", node: &node{headErr: errors.New("no responders")}, seq: 9, refuse: "the ledger cannot be reached", asked: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := test.node
				n.position.Store(7)
				begin := time.Now()
				refusal := n.gate().Await(t.Context(), test.seq)
				if waited := time.Since(begin); waited != test.waits {
					t.Errorf("waited %v, want %v", waited, test.waits)
				}
				if n.asked != test.asked {
					t.Errorf("the head was asked for %d times, want %d", n.asked, test.asked)
				}
				if test.refuse == "" {
					if refusal != nil {
						t.Errorf("refused: %v", refusal)
					}
					return
				}
				if refusal == nil || refusal.Status != 503 || refusal.RetryAfter == 0 || !strings.Contains(refusal.Detail, test.refuse) {
					t.Errorf("got %+v, want a 503 that says %q", refusal, test.refuse)
				}
				if cause := errors.Join(test.node.stopped, test.node.headErr); cause != nil && refusal.Err == nil {
					t.Errorf("the cause %v is lost", cause)
				}
			})
		})
	}
}

func TestAwaitEndsWithTheRequest(t *testing.T) {
	n := &node{head: 9, hangs: true}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if refusal := n.gate().Await(ctx, 9); refusal == nil || refusal.Status != readhttp.StatusGivenUp {
		t.Errorf("got %+v, want one that is given up", refusal)
	}
}

func TestHandler(t *testing.T) {
	n := &node{head: 9}
	n.position.Store(7)
	url := serve(t, n.gate().Handler(http.HandlerFunc(words), func(w http.ResponseWriter, _ *http.Request, r *readhttp.Refusal) {
		http.Error(w, r.Detail, r.Status)
	}))
	for _, test := range []struct {
		name, minimum string
		status        int
		body          string
		retry         string
	}{
		{"none", "", 200, text, ""},
		{"shown", "7", 200, text, ""},
		{"beyond", "10", 503, "there is no event 10: the last one is 9", "1"},
		{"recorded", "9", 200, text, ""},
		{"no number", "soon", 400, "Shiplog-Min-Seq must be the sequence of an event", ""},
		{"empty", "", 400, "whole number", ""},
		{"negative", "-1", 400, "whole number", ""},
		{"too large", "18446744073709551616", 400, "whole number", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			header := http.Header{}
			if test.name != "none" {
				header.Set(readhttp.MinSeqHeader, test.minimum)
			}
			resp, body := fetch(t, "GET", url, header)
			if resp.StatusCode != test.status || !strings.Contains(body, test.body) {
				t.Errorf("got %d %q, want %d with %q", resp.StatusCode, body, test.status, test.body)
			}
			if got := resp.Header.Get("Retry-After"); got != test.retry {
				t.Errorf("Retry-After %q, want %q", got, test.retry)
			}
			if test.status != 200 && resp.Header.Get(readhttp.SeqHeader) == "" {
				t.Error("a refusal does not say where the node is")
			}
		})
	}
}

// Who asks for an event that was never recorded is counted apart, and no span of
// it has failed: anybody can do so. What a node is late with is its fault.
func TestAheadIsNoFault(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	tracer := trace.NewTracerProvider(trace.WithSpanProcessor(spans)).Tracer("")
	for _, test := range []struct {
		node  *node
		seq   uint64
		want  codes.Code
		ahead float64
	}{
		{&node{head: 9}, 10, codes.Ok, 1},
		{&node{head: 9, stopped: errors.New("event 8 cannot be applied")}, 9, codes.Error, 0},
	} {
		reg, o := prometheus.NewPedanticRegistry(), test.node.options()
		o.Registerer = reg
		ctx, span := tracer.Start(t.Context(), "GET /tools")
		if refusal := readhttp.New(o).Await(ctx, test.seq); refusal == nil || refusal.Status != 503 {
			t.Errorf("event %d: got %+v, want a 503", test.seq, refusal)
		}
		span.SetStatus(codes.Error, "") // as for every 5xx
		span.End()
		if got := spans.Ended()[len(spans.Ended())-1].Status().Code; got != test.want {
			t.Errorf("event %d: the span is %s, want %s", test.seq, got, test.want)
		}
		families, err := reg.Gather()
		if err != nil {
			t.Fatal(err)
		}
		if got := families[0].GetMetric()[0].GetCounter().GetValue(); got != test.ahead {
			t.Errorf("event %d: %v are counted, want %v", test.seq, got, test.ahead)
		}
	}
}
