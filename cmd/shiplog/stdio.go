package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"
)

// The exit codes.
const (
	exitYes = 0
	exitNo  = 1
	exitBad = 2 // also of every error that names no other
)

// stdio is where a command reads and writes.
type stdio struct {
	in       io.Reader
	out, err io.Writer
	// Whether a person looks at it.
	outTerminal, errTerminal bool
	// What the environment has that is ignored. A node logs it.
	strange []strangeVariable
}

func newStdio() *stdio {
	return &stdio{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		outTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		errTerminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
}

// An answer ends the program with a code. Its text is empty when everything has
// been said.
type answer struct {
	code int
	text string
}

func (a *answer) Error() string { return a.text }

// no is the answer no, after a text.
func no(format string, args ...any) error {
	return &answer{exitNo, fmt.Sprintf(format, args...)}
}

// errSaidNo is the answer no where the command has said why.
var errSaidNo error = &answer{code: exitNo}

// fail reports an error and returns the exit code that goes with it.
func (s *stdio) fail(err error) int {
	if err == nil {
		return exitYes
	}
	code := exitBad
	var a *answer
	switch {
	case errors.As(err, &a):
		code = a.code
	case errors.Is(err, context.Canceled):
		code, err = exitNo, errors.New("interrupted")
	}
	if text := strings.TrimSpace(err.Error()); text != "" {
		s.note("%s", text)
	}
	return code
}

// interrupted is nil once a command was interrupted that ends by that alone.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// note tells a person something beside the output.
func (s *stdio) note(format string, args ...any) {
	fmt.Fprintln(s.err, "shiplog: "+fmt.Sprintf(format, args...))
}

// oneLine makes text from elsewhere safe to print in a line: characters that
// move a terminal's cursor, or end the line, become spaces, and it is cut to a
// readable length.
func oneLine(text string) string {
	const most = 400
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "�") {
		if b.Len() >= most {
			b.WriteString("…")
			break
		}
		b.WriteRune(printable(r))
	}
	return b.String()
}

// printable replaces control characters and those that turn the direction of
// the text after them.
func printable(r rune) rune {
	if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
		return ' '
	}
	return r
}

// printJSON prints one value on a line.
func (s *stdio) printJSON(v any) error {
	e := json.NewEncoder(s.out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
