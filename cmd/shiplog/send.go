package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"shiplog/events"
	"shiplog/events/intake"
)

// The pause before a request is sent again: it doubles from the first to the
// last.
const (
	firstPause = 250 * time.Millisecond
	lastPause  = 10 * time.Second
)

// A sender has events recorded, one request after the other, so that they are
// decided in the order they are given. What may pass is tried again: the server
// is busy, or it went away after it had answered once. An event that was
// recorded though its receipt was lost comes back as a duplicate.
type sender struct {
	client   *client
	path     string
	patience time.Duration // how long to try again
	note     func(format string, args ...any)

	reached bool // the server has answered
}

// A receipt is what became of an event, also as the server wrote it.
type receipt struct {
	intake.Receipt
	raw json.RawMessage
}

func newSender(c *client, dry bool, patience time.Duration, note func(string, ...any)) *sender {
	path := "/api/v1/events"
	if dry {
		path += "?dry_run=1"
	}
	return &sender{client: c, path: path, patience: patience, note: note}
}

// send sends a batch and returns a receipt for each event of it. With an error
// the receipts of events that were not decided are errors themselves.
func (s *sender) send(ctx context.Context, batch [][]byte) ([]receipt, error) {
	receipts := make([]receipt, len(batch))
	left := make([]int, len(batch))
	for i := range left {
		left[i] = i
		receipts[i].Status = intake.StatusError
	}
	patience := time.Now().Add(s.patience)
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		before := len(left)
		err := s.try(ctx, batch, &left, receipts)
		if len(left) == 0 || err != nil && !s.passing(err) {
			return receipts, err
		}
		if err == nil {
			err = errors.New(receipts[left[0]].Problems.Error())
		}
		if len(left) < before {
			pause, patience = firstPause, time.Now().Add(s.patience)
		}
		wait := s.pause(pause, err)
		if time.Now().Add(wait).After(patience) {
			return receipts, fmt.Errorf("gave up after %s: %w", s.patience, err)
		}
		s.note("%s; trying again", err)
		if err := sleep(ctx, wait); err != nil {
			return receipts, err
		}
	}
}

// try sends what is left of a batch once and takes the receipts.
func (s *sender) try(ctx context.Context, batch [][]byte, left *[]int, receipts []receipt) error {
	rest := make([][]byte, len(*left))
	for i, at := range *left {
		rest[i] = batch[at]
	}
	got, err := s.post(ctx, rest)
	if err != nil {
		return err
	}
	var again []int
	for i, at := range *left {
		receipts[at] = got[i]
		if got[i].Status == intake.StatusError {
			again = append(again, at)
		}
	}
	*left = again
	return nil
}

// passing reports whether an error may pass.
func (s *sender) passing(err error) bool {
	if _, gone := errors.AsType[*offline](err); gone {
		return s.reached
	}
	refused, ok := errors.AsType[*refusal](err)
	return ok && refused.later()
}

// pause is how long to wait: what the server asks for, or the growing pause, by
// chance a little more or less so that clients do not come back together.
func (s *sender) pause(growing time.Duration, err error) time.Duration {
	if refused, ok := errors.AsType[*refusal](err); ok && refused.retryAfter > 0 {
		growing = max(growing, min(refused.retryAfter, lastPause))
	}
	return growing/2 + rand.N(growing)
}

// post sends events as a batch.
func (s *sender) post(ctx context.Context, batch [][]byte) ([]receipt, error) {
	r, err := s.client.call(ctx, writeTimeout, http.MethodPost, s.path, events.MediaBatch, joinBatch(batch))
	if err != nil {
		return nil, err
	}
	// A batch of which nothing was decided can be answered 503, with receipts.
	if !strings.HasPrefix(r.header.Get("Content-Type"), events.MediaJSON) {
		s.reached = s.reached || r.status < http.StatusInternalServerError
		return nil, s.client.refused(r)
	}
	var raws []json.RawMessage
	if json.Unmarshal(r.body, &raws) != nil || len(raws) != len(batch) {
		return nil, s.client.strange(r)
	}
	s.reached = true
	receipts := make([]receipt, len(raws))
	for i, raw := range raws {
		receipts[i].raw = raw
		if err := json.Unmarshal(raw, &receipts[i].Receipt); err != nil {
			return nil, s.client.strange(r)
		}
	}
	return receipts, nil
}

// joinBatch makes a JSON array of events.
func joinBatch(batch [][]byte) []byte {
	size := 2
	for _, raw := range batch {
		size += len(raw) + 1
	}
	b := append(make([]byte, 0, size), '[')
	b = append(b, bytes.Join(batch, []byte{','})...)
	return append(b, ']')
}

// sleep waits, or returns early with the error of the context.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
