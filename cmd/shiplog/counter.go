package main

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// newCounter makes a bar for a number of events, with their rate and the time
// that is left. It is nothing where standard error is no terminal.
func newCounter(std *stdio, doing string, total int64) *progress {
	if !std.errTerminal {
		return &progress{}
	}
	return &progress{bar: progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(std.err),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("events"),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetWidth(24),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetDescription(doing),
	)}
}

// set moves a bar to a count out of a total, 0 for one that is not known.
func (p *progress) set(done, total uint64) {
	if p.bar == nil || total == 0 {
		return
	}
	if p.bar.GetMax64() != int64(total) {
		p.bar.ChangeMax64(int64(total))
	}
	_ = p.bar.Set64(int64(done))
}

// restart begins to count anew: the rate of one thing says nothing of the next.
func (p *progress) restart(doing string) {
	if p.bar != nil {
		p.bar.Reset()
		p.bar.ChangeMax64(-1)
		p.bar.Describe(doing)
	}
}
