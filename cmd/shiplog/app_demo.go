package main

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"

	"shiplog/cmd/shiplog/demo"
	"shiplog/events"
	"shiplog/events/intake"
	"shiplog/events/ledger"
)

// fillDemo records the invented panel in a ledger that holds nothing but its
// opening.
func (a *App) fillDemo(ctx context.Context) error {
	if !a.cmd.Demo || a.damage != nil {
		return nil
	}
	head, err := a.ledger.Head(ctx)
	if err != nil {
		return err
	}
	if head > 1 {
		a.log.Info("the ledger holds events; no example data was added", slog.Uint64("head", head))
		return nil
	}
	if a.intake == nil {
		return fmt.Errorf("--demo needs --intake on")
	}
	items, err := demoItems()
	if err != nil {
		return err
	}
	receipts, err := a.intake.Submit(ctx, items, false)
	if err != nil {
		return fmt.Errorf("record the example data: %w", err)
	}
	for i, r := range receipts {
		if !r.OK() {
			return fmt.Errorf("record the example data: line %d: %w", i+1, r.Problems)
		}
	}
	last := receipts[len(receipts)-1].Seq
	if err := a.runner.WaitFor(ctx, last); err != nil {
		return fmt.Errorf("show the example data: %w", err)
	}
	a.log.Info("recorded example data", slog.Int("events", len(items)))
	return nil
}

func demoItems() ([]intake.Item, error) {
	var items []intake.Item
	lines := bufio.NewScanner(demo.Open())
	lines.Buffer(nil, events.MaxEvent)
	for lines.Scan() {
		sub, problems := events.Parse(lines.Bytes())
		sub.Publisher = ledger.LocalPublisher
		items = append(items, intake.Item{Submission: sub, Problems: problems, Bytes: len(lines.Bytes())})
	}
	return items, lines.Err()
}
