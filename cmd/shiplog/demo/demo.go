package demo

import (
	_ "embed"
	"io"
	"strings"
)

//go:embed events.jsonl
var lines string

// Events returns the demo's events as JSON Lines, in the order in which they are
// to be recorded. The bytes are the caller's own.
func Events() []byte { return []byte(lines) }

// Open reads the same bytes as [Events] without copying them.
func Open() io.Reader { return strings.NewReader(lines) }
