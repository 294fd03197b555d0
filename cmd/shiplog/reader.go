package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"shiplog/events"
	"shiplog/events/intake"
)

// An entry is one event of a file.
type entry struct {
	file string
	line int    // that it begins on
	raw  []byte // valid JSON, unless there are problems
	size int    // of it in the file, in bytes

	valid bool // that it is JSON is known
	// problems keep it from being sent: it would spoil its batch.
	problems events.Problems
}

// rejected is the receipt of an entry that is not sent. It is what the server
// would answer.
func (e *entry) rejected() receipt {
	s, _ := events.Parse(e.raw)
	return receipt{Receipt: intake.Receipt{
		Status: intake.StatusRejected, ID: s.ID, Source: s.Source, Problems: e.problems,
	}}
}

// undecided is the receipt of an entry that the server did not decide.
func (e *entry) undecided(err error) receipt {
	s, _ := events.Parse(e.raw)
	return receipt{Receipt: intake.Receipt{
		Status: intake.StatusError, ID: s.ID, Source: s.Source,
		Problems: events.Problems{{Code: events.CodeUnavailable, Detail: err.Error()}},
	}}
}

// A reader cuts a file into events: one a line, or elements of JSON arrays. An
// object may also take several lines, if its first and last brace begin theirs,
// as in what most programs print for people. It goes on behind what is no JSON.
// What it holds is bounded, however large the file.
type reader struct {
	file    string
	r       *bufio.Reader
	line    int
	inArray bool
}

// readerSize is what a line may have before it is certainly too long.
const readerSize = 2 * events.MaxEvent

func newReader(file string, r io.Reader) *reader {
	b := bufio.NewReaderSize(r, readerSize)
	if start, _ := b.Peek(3); string(start) == "\ufeff" {
		_, _ = b.Discard(3)
	}
	return &reader{file: file, r: b, line: 1}
}

// next is the next event, or [io.EOF].
func (r *reader) next() (*entry, error) {
	for {
		c, err := r.skipSpace()
		switch {
		case errors.Is(err, io.EOF) && r.inArray:
			r.inArray = false
			return r.broken(nil, "the file ends within an array; was it cut off?"), nil
		case err != nil:
			return nil, err
		case r.inArray && c == ']':
			r.inArray = false
			_, _ = r.r.Discard(1)
		case r.inArray:
			return r.element()
		case c == '[':
			r.inArray = true
			_, _ = r.r.Discard(1)
		default:
			return r.document()
		}
	}
}

// skipSpace goes to the next byte that is no white space and returns it.
func (r *reader) skipSpace() (byte, error) {
	for {
		c, err := r.r.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case '\n':
			r.line++
		case ' ', '\t', '\r':
		default:
			return c, r.r.UnreadByte()
		}
	}
}

// document reads an event that begins a line.
func (r *reader) document() (*entry, error) {
	e := &entry{file: r.file, line: r.line}
	if err := r.readLine(e); err != nil {
		return nil, err
	}
	e.valid = json.Valid(e.raw)
	for !e.valid && e.raw[0] == '{' {
		c, err := r.r.Peek(1)
		if err != nil || c[0] == '{' {
			break
		}
		last := c[0] == '}'
		if err := r.readLine(e); err != nil {
			return nil, err
		}
		e.valid = last && json.Valid(e.raw)
	}
	return e.finish(), nil
}

// readLine adds a line to an entry, or counts it where it is too much to keep.
func (r *reader) readLine(e *entry) error {
	for {
		part, err := r.r.ReadSlice('\n')
		if e.size += len(part); e.size <= readerSize {
			e.raw = append(e.raw, part...)
		}
		switch {
		case err == nil:
			r.line++
			return nil
		case errors.Is(err, io.EOF):
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// element reads an element of an array, and the comma behind it.
func (r *reader) element() (*entry, error) {
	e := &entry{file: r.file, line: r.line}
	depth, inString := 0, false
	for {
		c, err := r.r.ReadByte()
		if errors.Is(err, io.EOF) {
			r.inArray = false
			return r.broken(e, "the file ends within an array; was it cut off?"), nil
		}
		if err != nil {
			return nil, err
		}
		e.size++
		switch {
		case inString && c == '\\':
			e.keep(c)
			if c, err = r.r.ReadByte(); err != nil {
				continue
			}
		case c == '"':
			inString = !inString
		case inString:
		case depth == 0 && c == ',':
			return e.finish(), nil
		case depth == 0 && c == ']':
			return e.finish(), r.r.UnreadByte()
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if c == '\n' {
			r.line++
		}
		e.keep(c)
	}
}

// keep adds a byte, up to a size that is certainly too large.
func (e *entry) keep(c byte) {
	if len(e.raw) < readerSize {
		e.raw = append(e.raw, c)
	}
}

// finish judges what would spoil a batch: all else is for the server to judge.
func (e *entry) finish() *entry {
	e.raw = bytes.TrimRight(e.raw, " \t\r\n")
	switch {
	case len(e.raw) == 0:
		e.problems.Add("", events.CodeInvalidJSON, "there is no event between two commas; take one out")
	case len(e.raw) > events.MaxEvent || e.size > readerSize:
		e.problems.Add("", events.CodeTooLarge, "an event may have %d bytes (256 KiB); this has %d", events.MaxEvent, e.size)
	case !e.valid && !json.Valid(e.raw):
		if _, e.problems = events.Parse(e.raw); len(e.problems) == 0 || e.raw[0] != '{' {
			e.problems = events.Problems{{Code: events.CodeInvalidJSON, Detail: "this is not JSON; write one event a line, or a JSON array of events"}}
		}
	}
	return e
}

// broken is an entry that the file ends in.
func (r *reader) broken(e *entry, text string) *entry {
	if e == nil {
		e = &entry{file: r.file, line: r.line}
	}
	e.problems.Add("", events.CodeInvalidJSON, "%s", text)
	return e
}
