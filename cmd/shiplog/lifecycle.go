package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// stepTimeout bounds each step of a shutdown, so that one that hangs does not
// keep the others from being done.
const stepTimeout = 15 * time.Second

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

// stop undoes everything.
func (l *lifecycle) stop() error {
	var errs []error
	for len(l.steps) > 0 {
		last := len(l.steps) - 1
		s := l.steps[last]
		l.steps = l.steps[:last]
		ctx, cancel := context.WithTimeout(context.Background(), stepTimeout)
		start := time.Now()
		err := bounded(ctx, s.undo)
		cancel()
		l.note(context.Background(), "stopped", s.name, time.Since(start))
		if err != nil {
			errs = append(errs, fmt.Errorf("stop %s: %w", s.name, err))
		}
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
func bounded(ctx context.Context, undo func(context.Context) error) error {
	done := make(chan error, 1)
	go func() { done <- undo(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("not done after %s: %w", stepTimeout, ctx.Err())
	}
}
