package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"shiplog/projections"
	"shiplog/projections/readhttp"
)

// AsOf is the parameter that every read has.
type AsOf struct {
	At string `query:"at" example:"42" doc:"answer as of then: the sequence of an event, or an RFC 3339 time, which means the last event recorded at it or before. Absent means now."`
}

func (a AsOf) at() string { return a.At }

type asOf interface{ at() string }

// An answer is a body with the position it speaks as of.
type answer[B any] struct {
	Seq  uint64 `header:"Shiplog-Seq" doc:"the position in the ledger that the answer speaks as of"`
	Body *B
}

// read registers a route that is answered from one snapshot.
func read[I asOf, B any](a *API, op huma.Operation, find func(context.Context, *projections.Snapshot, I) (*B, error)) {
	huma.Register(a.huma, a.readOperation(op), func(ctx context.Context, in *I) (*answer[B], error) {
		s, err := a.o.Gate.Open(ctx, (*in).at())
		if err != nil {
			return nil, a.problem(ctx, err)
		}
		defer a.close(ctx, s)
		body, err := find(ctx, s, *in)
		if err != nil {
			fail := a.problem(ctx, err)
			fail.GetHeaders().Set(readhttp.SeqHeader, strconv.FormatUint(s.Seq(), 10))
			return nil, fail
		}
		return &answer[B]{Seq: s.Seq(), Body: body}, nil
	})
}

func (a *API) close(ctx context.Context, s *projections.Snapshot) {
	if err := s.Close(); err != nil {
		a.o.Log.LogAttrs(ctx, slog.LevelError, "snapshot not closed", slog.Any("error", err))
	}
}

// A failure is an error that huma answers with.
type failure interface {
	huma.StatusError
	GetHeaders() http.Header
}

// problem is what the client is told of an error. A fault is told to the
// operator instead.
func (a *API) problem(ctx context.Context, err error) failure {
	if ctx.Err() != nil {
		err = readhttp.GivenUp()
	}
	if p, ok := errors.AsType[*ProblemDetails](err); ok {
		return p
	}
	if m, ok := errors.AsType[*moved](err); ok {
		return m
	}
	if r, ok := errors.AsType[*readhttp.Refusal](err); ok {
		p := newProblem(r.Status, "%s", r.Detail)
		r.SetHeader(p.header)
		return p
	}
	a.o.Log.LogAttrs(ctx, slog.LevelError, "API request failed", slog.Any("error", err))
	return newProblem(http.StatusInternalServerError, "something broke here; nothing is lost, and the operator finds the reason in the log")
}

func unavailable(detail string) *ProblemDetails {
	p := newProblem(http.StatusServiceUnavailable, "%s", detail)
	p.header.Set("Retry-After", "1")
	return p
}

// redirect sends to another address of this interface, for the same time.
func (a *API) redirect(in asOf, path string) error {
	to := a.base + path
	if at := in.at(); at != "" {
		to += "?at=" + url.QueryEscape(at)
	}
	return &moved{Location: to, header: http.Header{"Location": {to}}}
}
