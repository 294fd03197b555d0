package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"shiplog/events"
	"shiplog/events/intake"
)

// linger is how long a batch waits for more events where they come slowly, as
// from a program that prints them one by one.
const linger = 100 * time.Millisecond

// readAhead is how many events are read while a batch is under way.
const readAhead = 256

// Run sends the events of the files in order.
func (c *SubmitCmd) Run(ctx context.Context, std *stdio) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	total, err := sizeOf(c.Files)
	if err != nil {
		return err
	}
	s := &submission{cmd: c, std: std, bar: newProgress(std, total)}
	s.sender = newSender(client, c.DryRun, c.RetryFor, s.note)
	err = s.run(ctx)
	s.bar.done()
	return s.finish(err)
}

// sizeOf is what there is to send, -1 if that is not known. Files that cannot
// be read are told before anything is sent.
func sizeOf(files []string) (total int64, err error) {
	for _, name := range files {
		if name == "-" {
			total = -1
			continue
		}
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return 0, fmt.Errorf("cannot read %s: %s", name, reason(err))
		case info.IsDir():
			return 0, fmt.Errorf("cannot read %s: it is a directory; name the files in it", name)
		case !info.Mode().IsRegular():
			total = -1
		case total >= 0:
			total += info.Size()
		}
	}
	return total, nil
}

// A submission is one run of submit.
type submission struct {
	cmd    *SubmitCmd
	std    *stdio
	bar    *progress
	sender *sender

	accepted, duplicate, rejected, undecided int
}

// run reads and sends until all is sent. Reading goes on while a batch is under
// way. Where reading itself hangs when the context ends, its goroutine ends
// with the process: nothing can interrupt a read of a terminal.
func (s *submission) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	entries, failed := make(chan *entry, readAhead), make(chan error, 1)
	go func() {
		failed <- s.readFiles(ctx, entries)
		close(entries)
	}()
	b := batcher{entries: entries}
	for {
		batch, err := b.next(ctx)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			return <-failed
		}
		if err := s.send(ctx, batch); err != nil {
			return err
		}
	}
}

// readFiles reads the events of all files in order.
func (s *submission) readFiles(ctx context.Context, to chan<- *entry) error {
	for _, name := range s.cmd.Files {
		if err := s.readFile(ctx, name, to); err != nil {
			return err
		}
	}
	return nil
}

func (s *submission) readFile(ctx context.Context, name string, to chan<- *entry) error {
	in, shown := s.std.in, "standard input"
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("cannot read %s: %s", name, reason(err))
		}
		defer file.Close()
		in, shown = file, name
	}
	r := newReader(shown, in)
	for {
		e, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot read on in %s: %s", shown, reason(err))
		}
		select {
		case to <- e:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// send sends what can be sent of a batch and tells of all of it.
func (s *submission) send(ctx context.Context, batch []*entry) error {
	var raws [][]byte
	for _, e := range batch {
		if len(e.problems) == 0 {
			raws = append(raws, e.raw)
		}
	}
	var sent []receipt
	var err error
	if len(raws) > 0 {
		sent, err = s.sender.send(ctx, raws)
	}
	for _, e := range batch {
		var r receipt
		if len(e.problems) > 0 {
			r = e.rejected()
		} else if r, sent = sent[0], sent[1:]; r.Status == intake.StatusError {
			r = e.undecided(err)
		}
		if printErr := s.tell(e, r); printErr != nil {
			return printErr
		}
	}
	s.bar.tell(s.summary())
	return err
}

// tell counts and tells what became of an event.
func (s *submission) tell(e *entry, r receipt) error {
	s.bar.add(e.size)
	switch r.Status {
	case intake.StatusAccepted:
		s.accepted++
	case intake.StatusDuplicate:
		s.duplicate++
	case intake.StatusRejected:
		s.rejected++
		s.bar.clear()
		fmt.Fprintln(s.std.err, rejection(e, r))
	default:
		s.undecided++
	}
	switch {
	case !s.cmd.JSON:
		return nil
	case r.raw != nil:
		return s.std.printJSON(r.raw)
	}
	return s.std.printJSON(r.Receipt)
}

// rejection names an event and says why it was rejected, in a line.
func rejection(e *entry, r receipt) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d: rejected", e.file, e.line)
	if r.ID != "" {
		fmt.Fprintf(&b, " %s", oneLine(r.ID))
	}
	for i, p := range r.Problems {
		b.WriteString([]string{": ", "; "}[min(i, 1)] + oneLine(p.Detail))
	}
	return b.String()
}

func (s *submission) summary() string {
	text := fmt.Sprintf("%d accepted, %d duplicate, %d rejected", s.accepted, s.duplicate, s.rejected)
	if s.undecided > 0 {
		text += fmt.Sprintf(", %d not decided", s.undecided)
	}
	if s.cmd.DryRun {
		text += " (dry run: nothing was recorded)"
	}
	return text
}

// finish prints the summary and judges the whole.
func (s *submission) finish(err error) error {
	var gone *offline
	if s.sender.reached || s.rejected > 0 || err == nil {
		to := s.std.out
		if s.cmd.JSON {
			to = s.std.err
		}
		fmt.Fprintln(to, s.summary())
	}
	switch {
	case errors.Is(err, context.Canceled):
		return no("interrupted; run it again for the rest: what is recorded is a duplicate then")
	case errors.As(err, &gone) && s.sender.reached:
		return fmt.Errorf("%w. Run it again for the rest: what is recorded is a duplicate then", err)
	case err != nil:
		return err
	case s.rejected > 0:
		return errSaidNo
	}
	return nil
}

// note tells of trouble on the way.
func (s *submission) note(format string, args ...any) {
	s.bar.clear()
	s.std.note(format, args...)
}

// A batcher puts events together as they come.
type batcher struct {
	entries <-chan *entry
	held    *entry // did not fit into the batch before
}

// next is the next batch: as much as a request may have, or what there is once
// no more comes for a moment. It is empty at the end.
func (b *batcher) next(ctx context.Context) ([]*entry, error) {
	first := b.held
	if b.held = nil; first == nil {
		select {
		case e, open := <-b.entries:
			if !open {
				return nil, nil
			}
			first = e
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	batch, size := []*entry{first}, len(first.raw)+3
	timer := time.NewTimer(linger)
	defer timer.Stop()
	for len(batch) < events.MaxBatch {
		e := b.more(ctx, timer.C)
		if e == nil {
			break
		}
		if size += len(e.raw) + 1; size > events.MaxRequest {
			b.held = e
			break
		}
		batch = append(batch, e)
	}
	return batch, nil
}

// more is the next event, or nil if none comes before the timer.
func (b *batcher) more(ctx context.Context, timer <-chan time.Time) *entry {
	select {
	case e := <-b.entries:
		return e
	default:
	}
	select {
	case e := <-b.entries:
		return e
	case <-timer:
	case <-ctx.Done():
	}
	return nil
}
