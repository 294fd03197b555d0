package projections

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"strconv"

	"shiplog/events"
)

// Dump writes every row of every table, one a line, as of the newest position.
// Two models of the same ledger and position are the same, byte for byte,
// whatever batches they were built in.
func (s *Snapshot) Dump(ctx context.Context, w io.Writer) error {
	for _, t := range tables {
		table, order := t[0], t[1]
		var line []byte
		var errWrite error
		err := s.query(ctx, `SELECT * FROM `+table+` ORDER BY `+order, nil, func(r *row) {
			line = appendRow(line[:0], table, r.values)
			if _, err := w.Write(append(line, '\n')); err != nil {
				errWrite = err
			}
		})
		if err == nil {
			err = errWrite
		}
		if err != nil {
			return fmt.Errorf("dump %s: %w", table, err)
		}
	}
	return nil
}

func appendRow(b []byte, table string, values []any) []byte {
	b = append(b, table...)
	for _, v := range values {
		b = appendValue(append(b, ' '), v)
	}
	return b
}

func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case int64:
		return strconv.AppendInt(b, v, 10)
	case string:
		return strconv.AppendQuote(b, v)
	case []byte:
		return fmt.Appendf(b, "%x", v)
	}
	return append(b, "NULL"...)
}

// Digest is the SHA-256 of what [Snapshot.Dump] writes.
func (s *Snapshot) Digest(ctx context.Context) (events.Hash, error) {
	h := sha256.New()
	if err := s.Dump(ctx, h); err != nil {
		return events.Hash{}, err
	}
	return events.Hash(h.Sum(nil)), nil
}

// Check has SQLite look for damage of the file itself.
func (s *Snapshot) Check(ctx context.Context) error {
	var problems []string
	err := s.query(ctx, `PRAGMA integrity_check(10)`, nil, func(r *row) {
		if text := r.text(); text != "ok" {
			problems = append(problems, text)
		}
	})
	if err != nil {
		return fmt.Errorf("check read model: %w", err)
	}
	if len(problems) > 0 {
		return fmt.Errorf("the read model is damaged: %q", problems)
	}
	return nil
}
