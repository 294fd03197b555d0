package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// stopTimeout bounds a whole shutdown: what runs a node kills it after 30 seconds at
// the soonest (docker-compose.yml), and would leave no word of what has hung.
const stopTimeout = 25 * time.Second

// leastStep is what a step may take where others have used up the time: one that does
// not hang needs no more to be begun.
const leastStep = 100 * time.Millisecond

// A step undoes one thing that was started.
type step struct {
	name string
	undo func(ctx context.Context) error
}

// lifecycle undoes what was started, last first, each step named and bounded.
// What was set up in part is undone by the same way.
type lifecycle struct {
	log   *slog.Logger
	steps []step
}

// push adds a step.
func (l *lifecycle) push(name string, undo func(ctx context.Context) error) {
	l.steps = append(l.steps, step{name, undo})
}

// spawn runs fn until the lifecycle ends. An error that is not the context's is
// logged and leaves the rest of the process alone: health tells of it.
func (l *lifecycle) spawn(name string, fn func(ctx context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := fn(ctx); err != nil && ctx.Err() == nil {
			l.log.Error("stopped by itself", slog.String("part", name), slog.Any("error", err))
		}
	}()
	l.push(name, func(wait context.Context) error {
		cancel()
		select {
		case <-done:
			return nil
		case <-wait.Done():
			return wait.Err()
		}
	})
}

// stop undoes everything by the given time, or little later. A step that hangs takes
// half of what is left of it and is then left behind, so that the others are done.
func (l *lifecycle) stop(by time.Time) error {
	var errs []error
	for len(l.steps) > 0 {
		last := len(l.steps) - 1
		s := l.steps[last]
		l.steps = l.steps[:last]
		start := time.Now()
		err := bounded(max(by.Sub(start)/2, leastStep), s.undo)
		took := time.Since(start)
		if err != nil {
			l.log.Error("not stopped", slog.String("part", s.name), slog.Duration("took", took), slog.Any("error", err))
			errs = append(errs, fmt.Errorf("stop %s: %w", s.name, err))
			continue
		}
		l.note(context.Background(), "stopped", s.name, took)
	}
	return errors.Join(errs...)
}

// slowStep is how long a step may take before whoever waits for it is told which
// one it was.
const slowStep = time.Second

// note logs a step that was done.
func (l *lifecycle) note(ctx context.Context, what, part string, took time.Duration) {
	level := slog.LevelDebug
	if took >= slowStep {
		level = slog.LevelInfo
	}
	l.log.LogAttrs(ctx, level, what, slog.String("part", part), slog.Duration("took", took)) //nolint:sloglint // "started" or "stopped"
}

// A task is a step of a start.
type task struct {
	name string
	do   func(context.Context) error
	most time.Duration // it may take; 0 where it has bounds of its own
}

// Bounds of a step of a start.
const (
	startTimeout    = time.Minute
	asLongAsItTakes = 0
)

// run does the step within its time.
func (t task) run(ctx context.Context) error {
	if t.most == asLongAsItTakes {
		return t.do(ctx)
	}
	limited, cancel := context.WithTimeout(ctx, t.most)
	defer cancel()
	err := t.do(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("start %s: not done after %s: %w", t.name, t.most, err)
	}
	return err
}

// bounded runs a step and gives up on it when its time is over. What hangs then
// ends with the process.
func bounded(most time.Duration, undo func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- undo(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("it is left behind: not done after %s", most)
	}
}
