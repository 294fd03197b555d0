package ops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"

	"shiplog/events"
	"shiplog/events/ledger"
	"shiplog/ops/verify"
)

// Admin is the operator's listener: metrics, health, administration, profiles.
// It takes no authentication and belongs on a private address.
type Admin struct {
	Registry *prometheus.Registry
	Health   *Health
	// Status describes the node, see [Status].
	Status func(ctx context.Context) Status
	// Ledger is the ledger, or why the node has none yet.
	Ledger func() (*ledger.Ledger, error)
	// Log has its level told and changed, and is told of what panics; nil for
	// neither.
	Log *Log
	// Names are this node's own, under which the listener is asked beside addresses
	// and names without a dot.
	Names []string
	// Profiles are served below /debug/; nil for none.
	Profiles *Profiles
	Operations
	// Verify re-reads everything, or the chain alone, and reports how it goes.
	Verify func(ctx context.Context, chain bool, progress func(verify.Progress)) (verify.Report, error)
	// Ending is over when the node begins to stop: requests that take long end
	// then. Nil means that they do not.
	Ending context.Context
}

// Handler routes the listener.
func (a *Admin) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metricsHandler(a.Registry))
	mux.HandleFunc("GET /healthz", a.healthz)
	mux.HandleFunc("GET /readyz", a.readyz)
	mux.HandleFunc("GET /admin/v1/status", a.status)
	mux.HandleFunc("GET /admin/v1/rejected", a.onLedger(a.listRejected))
	mux.HandleFunc("GET /admin/v1/rejected/{id}", a.onLedger(a.showRejected))
	mux.HandleFunc("POST /admin/v1/rejected/{id}/retry", a.onLedger(a.changeRejected((*ledger.Ledger).RetryRejected)))
	mux.HandleFunc("DELETE /admin/v1/rejected/{id}", a.onLedger(a.changeRejected((*ledger.Ledger).DropRejected)))
	mux.HandleFunc("GET /admin/v1/export", a.onLedger(a.export))
	mux.HandleFunc("GET /admin/v1/verify", a.verify)
	mux.HandleFunc("POST /admin/v1/skip", a.skip)
	mux.HandleFunc("POST /admin/v1/rebuild", a.rebuild)
	mux.HandleFunc("GET /admin/v1/rebuild", a.rebuilt)
	mux.HandleFunc("GET /admin/v1/log-level", a.logLevel)
	mux.HandleFunc("PUT /admin/v1/log-level", a.setLogLevel)
	if a.Profiles != nil {
		a.Profiles.register(mux)
	}
	handler := a.guard(mux)
	if a.Log == nil {
		return handler
	}
	return Recover(a.Log.Logger, handler)
}

// onLedger is a route that needs the ledger.
func (a *Admin) onLedger(route func(http.ResponseWriter, *http.Request, *ledger.Ledger)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		l, err := a.Ledger()
		if err != nil {
			problem(w, err)
			return
		}
		route(w, r, l)
	}
}

func (a *Admin) healthz(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

func (a *Admin) readyz(w http.ResponseWriter, r *http.Request) {
	ready, findings := a.Health.Ready(r.Context())
	code := http.StatusOK
	if !ready {
		code = http.StatusServiceUnavailable
	}
	writeJSON(w, code, map[string]any{"ready": ready, "checks": findings})
}

func (a *Admin) status(w http.ResponseWriter, r *http.Request) {
	s := a.Status(r.Context())
	s.Ready, s.Checks = a.Health.Ready(r.Context())
	writeJSON(w, http.StatusOK, s)
}

// rejectedJSON is a rejected event for the operator.
type rejectedJSON struct {
	ID        uint64              `json:"id"`
	Time      time.Time           `json:"time"`
	Publisher string              `json:"publisher"`
	Bytes     int                 `json:"bytes"`
	Problems  events.Problems     `json:"problems"`
	Headers   map[string][]string `json:"headers,omitempty"`
	Raw       string              `json:"raw,omitempty"`
	RawBase64 []byte              `json:"raw_base64,omitempty"` // in place of raw where that is no UTF-8
}

func describe(r ledger.Rejected) rejectedJSON {
	return rejectedJSON{ID: r.ID, Time: r.Time.UTC(), Publisher: r.Publisher, Bytes: len(r.Raw), Problems: r.Problems}
}

var errEnough = errors.New("enough")

func (a *Admin) listRejected(w http.ResponseWriter, r *http.Request, l *ledger.Ledger) {
	after, err := number(r, "after", 0)
	limit, errLimit := number(r, "limit", 100)
	if errLimit == nil && limit == 0 {
		errLimit = &Refusal{Status: http.StatusBadRequest, Detail: "limit must be 1 or more; got 0"}
	}
	if err = errors.Join(err, errLimit); err != nil {
		problem(w, err)
		return
	}
	limit = min(limit, 1000)
	list, next := []rejectedJSON{}, (*uint64)(nil)
	err = l.ListRejected(r.Context(), func(m ledger.Rejected) error {
		if m.ID <= after {
			return nil
		}
		if uint64(len(list)) == limit {
			next = &list[len(list)-1].ID
			return errEnough
		}
		list = append(list, describe(m))
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		problem(w, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"rejected": list, "next": next})
}

func (a *Admin) showRejected(w http.ResponseWriter, r *http.Request, l *ledger.Ledger) {
	id, err := pathID(r)
	if err != nil {
		problem(w, err)
		return
	}
	m, err := l.GetRejected(r.Context(), id)
	if err != nil {
		problem(w, err)
		return
	}
	j := describe(m)
	j.Headers = m.Header
	if utf8.Valid(m.Raw) {
		j.Raw = string(m.Raw)
	} else {
		j.RawBase64 = m.Raw
	}
	writeJSON(w, http.StatusOK, j)
}

func (a *Admin) changeRejected(change func(*ledger.Ledger, context.Context, uint64) error) func(http.ResponseWriter, *http.Request, *ledger.Ledger) {
	return func(w http.ResponseWriter, r *http.Request, l *ledger.Ledger) {
		id, err := pathID(r)
		if err == nil {
			err = change(l, r.Context(), id)
		}
		if err != nil {
			problem(w, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// pathID is the id in the path.
func pathID(r *http.Request) (uint64, error) {
	text := r.PathValue("id")
	id, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, &Refusal{Status: http.StatusNotFound, Detail: fmt.Sprintf("no rejected event has the ID %.40q: they are whole numbers", text)}
	}
	return id, nil
}

func number(r *http.Request, name string, def uint64) (uint64, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return def, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, &Refusal{Status: http.StatusBadRequest, Detail: fmt.Sprintf("%s must be a whole number; got %q", name, text)}
	}
	return n, nil
}

// problem answers an error as RFC 9457 wants it.
func problem(w http.ResponseWriter, err error) {
	code := statusOf(err)
	if errors.Is(err, ledger.ErrNotFound) {
		code = http.StatusNotFound
	}
	w.Header().Set("Content-Type", "application/problem+json")
	if code == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	writeJSON(w, code, map[string]any{"title": http.StatusText(code), "status": code, "detail": err.Error()})
}

func writeJSON(w http.ResponseWriter, code int, v any) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	_ = enc.Encode(v) // a client that has gone needs no answer
}
