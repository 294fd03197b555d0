package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dustin/go-humanize"

	"shiplog/events/archive"
	"shiplog/events/ledger"
)

// Run imports.
func (c *ImportCmd) Run(ctx context.Context, std *stdio) (err error) {
	if (c.Data == "") == (c.NATS == "") {
		return errors.New("say where the ledger is to be: --data DIR or --nats URL, one of the two")
	}
	if c.NATS != "" && !copies(c.Replicas) {
		return fmt.Errorf(wrongCopies, c.Replicas)
	}
	in, size, err := c.input(std)
	if err != nil {
		return err
	}
	defer in.Close()
	bar := newProgress(std, size)
	bar.tell("importing")
	defer bar.done()
	lines, err := archive.NewReader(&counted{in, bar})
	if err != nil {
		return no("%s: %s", c.File, err)
	}
	options := ledger.Options{Create: true, MaxBytes: int64(c.MaxBytes)}
	if c.NATS != "" {
		options.Replicas = c.Replicas
	}
	s, err := c.open(ctx, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	start := time.Now()
	done, err := archive.Import(ctx, s.ledger, lines, func(lines uint64) {
		bar.tell(fmt.Sprintf("importing, event %d", lines))
	})
	bar.done()
	if err != nil {
		return c.failed(ctx, s, err)
	}
	std.note("%s", c.summary(done, time.Since(start)))
	return nil
}

// summary is the last line.
func (c *ImportCmd) summary(done archive.Imported, took time.Duration) string {
	if done.Had == done.Events {
		return fmt.Sprintf("%s has all %s events already; last leaf %s", c.where(), humanize.Comma(int64(done.Events)), done.Leaf)
	}
	before := ""
	if done.Had > 0 {
		before = fmt.Sprintf(" (the %s before were there)", humanize.Comma(int64(done.Had)))
	}
	return fmt.Sprintf("imported %s events, %d to %d, into %s%s; last leaf %s; took %s",
		humanize.Comma(int64(done.Events-done.Had)), done.Had+1, done.Events, c.where(), before, done.Leaf, took.Round(time.Millisecond))
}

// failed is no where it is the file that is wrong. A server that could not write a
// batch does not answer; why it could not, it says when it is asked.
func (c *ImportCmd) failed(ctx context.Context, s *store, err error) error {
	var line *archive.LineError
	switch {
	case ctx.Err() != nil:
		return context.Canceled
	case errors.As(err, &line):
		return no("%s: %s", c.File, line)
	case errors.Is(err, archive.ErrOther):
		return no("%s cannot be imported into %s: %s; choose an empty one", c.File, c.where(), err)
	}
	if s.server != nil {
		if fault := cmp.Or(s.server.Writable(), s.server.Fault()); fault != nil {
			return fmt.Errorf("the ledger in %s cannot be written: %w; make room there, or mend what is wrong, and run the import again: it goes on from there", c.where(), fault)
		}
	}
	return err
}

// input is what is imported, and its size, -1 for one that is not known.
func (c *ImportCmd) input(std *stdio) (io.ReadCloser, int64, error) {
	if c.File == "-" {
		return io.NopCloser(std.in), -1, nil
	}
	file, err := os.Open(c.File)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %s", c.File, reason(err))
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("is a directory; name an exported file")
	}
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("%s: %s", c.File, reason(err)), file.Close())
	}
	return file, info.Size(), nil
}

// counted moves a bar with what is read.
type counted struct {
	r   io.Reader
	bar *progress
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.bar.add(n)
	return n, err
}
