package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"shiplog/projections"
	"shiplog/projections/readhttp"
)

// maxEventBytes ends a page of events early: a thousand of the largest would be
// 300 MiB.
const maxEventBytes = 4 << 20

// readTimeout bounds how long the ledger may take to give a page.
const readTimeout = 5 * time.Second

// Event is one entry of the ledger.
type Event struct {
	Seq   uint64          `json:"seq" doc:"its position in the ledger, from 1 without gaps"`
	Event json.RawMessage `json:"event" doc:"the CloudEvent as stored, byte for byte: its canonical form (RFC 8785)"`
}

// EventPage is a page of the ledger.
type EventPage struct {
	Events []Event `json:"events" nullable:"false" doc:"in the order of the ledger"`
	Next   *uint64 `json:"next" doc:"what to send as after for the next page; null when there is no more"`
}

type eventsInput struct {
	AsOf
	After uint64 `query:"after" doc:"only events after this sequence"`
	Limit int    `query:"limit" default:"100" minimum:"1" maximum:"1000" doc:"how many at most; a page of large events may hold fewer"`
}

func (a *API) addEvents() {
	read(a, huma.Operation{
		OperationID: "listEvents", Path: "/api/v1/events", Tags: []string{tagEvents},
		Summary:     "Read the ledger",
		Description: "Events as they are stored, oldest first. To follow the ledger send next as after, or the last sequence seen once next is null.",
	}, a.events)
}

var errPageFull = errors.New("the page is full")

func (a *API) events(ctx context.Context, s *projections.Snapshot, in eventsInput) (*EventPage, error) {
	page := &EventPage{Events: []Event{}}
	if in.After >= s.Seq() {
		return page, nil
	}
	last, size := min(s.Seq(), in.After+uint64(in.Limit)), 0
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	err := a.o.Events(ctx, in.After+1, last, func(seq uint64, raw []byte) error {
		if size += len(raw); size > maxEventBytes && len(page.Events) > 0 {
			return errPageFull
		}
		page.Events = append(page.Events, Event{Seq: seq, Event: raw})
		return nil
	})
	if refusal, ok := errors.AsType[*readhttp.Refusal](err); ok {
		return nil, refusal
	}
	if err != nil && !errors.Is(err, errPageFull) {
		if !errors.Is(ctx.Err(), context.Canceled) { // else the client went away, which problem tells
			a.o.Log.LogAttrs(ctx, slog.LevelError, "ledger not read", slog.Any("error", err))
		}
		return nil, unavailable("the ledger cannot be read now; ask again in a moment")
	}
	if n := len(page.Events); n > 0 && page.Events[n-1].Seq < s.Seq() {
		page.Next = &page.Events[n-1].Seq
	}
	return page, nil
}
