package main

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress is a bar on standard error for a person who waits. It is nothing
// where standard error is no terminal.
type progress struct {
	bar *progressbar.ProgressBar
}

// newProgress makes a bar for a number of bytes, -1 for one that is not known.
func newProgress(std *stdio, total int64) *progress {
	if !std.errTerminal {
		return &progress{}
	}
	return &progress{bar: progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(std.err),
		progressbar.OptionShowBytes(true),
		progressbar.OptionUseIECUnits(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetWidth(24),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetDescription("sending"),
	)}
}

// add counts bytes.
func (p *progress) add(bytes int) {
	if p.bar != nil {
		_ = p.bar.Add(bytes)
	}
}

// tell changes the text before the bar.
func (p *progress) tell(text string) {
	if p.bar != nil {
		p.bar.Describe(text)
	}
}

// clear takes the bar away so that a line can be printed; it comes back by
// itself.
func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// done takes the bar away for good.
func (p *progress) done() {
	if p.bar != nil {
		_ = p.bar.Finish()
		_ = p.bar.Clear()
	}
}
