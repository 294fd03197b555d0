package readhttp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"shiplog/events"
	"shiplog/projections"
)

// Open is the model as of the value of an at parameter: a sequence, an RFC 3339
// time, or empty for now. It waits for an event that is recorded but not applied
// yet. A fault of the request, or a model that has nothing to show, is a
// [*Refusal]; the caller closes the snapshot.
func (g *Gate) Open(ctx context.Context, at string) (*projections.Snapshot, error) {
	if at == "" {
		return g.openNewest(ctx)
	}
	if digits(at) {
		return g.openSeq(ctx, at)
	}
	// A plus sign that was not escaped arrives as a space.
	t, err := events.ParseTime(strings.Replace(at, " ", "+", 1))
	if err != nil {
		return nil, badRequest(fmt.Sprintf("at must be the sequence of an event or an RFC 3339 time such as 2026-05-01T09:00:00Z; got %q", short(at)))
	}
	s, err := g.o.Model.AtTime(ctx, t)
	if errors.Is(err, projections.ErrBeforeLedger) && g.o.Position() > 0 {
		return nil, before(at)
	}
	return s, g.explain(err)
}

func (g *Gate) openNewest(ctx context.Context) (*projections.Snapshot, error) {
	s, err := g.o.Model.At(ctx, 0)
	return s, g.explain(err)
}

func (g *Gate) openSeq(ctx context.Context, at string) (*projections.Snapshot, error) {
	seq, err := strconv.ParseUint(at, 10, 64)
	if err != nil {
		seq = math.MaxUint64 // such a number is beyond every head
	}
	if seq == 0 {
		return nil, before(at)
	}
	head, refusal := g.reach(ctx, seq)
	if refusal != nil {
		return nil, refusal
	}
	if seq > head {
		return nil, badRequest(beyond(short(at), head))
	}
	s, err := g.o.Model.At(ctx, seq)
	return s, g.explain(err)
}

// explain turns the errors of a model that cannot be read now into a refusal.
func (g *Gate) explain(err error) error {
	switch {
	case errors.Is(err, projections.ErrBeforeLedger):
		return unavailable("the ledger is being read and nothing can be shown yet; ask again in a moment", err)
	case errors.Is(err, projections.ErrBeyondPosition), errors.Is(err, projections.ErrClosed):
		return unavailable("this node cannot show that now; ask again in a moment", err)
	}
	return err
}

func before(at string) *Refusal {
	return &Refusal{Status: http.StatusNotFound, Detail: fmt.Sprintf("at=%s is before event 1 of the ledger", short(at))}
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// short keeps a value from a request short enough to be told.
func short(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
