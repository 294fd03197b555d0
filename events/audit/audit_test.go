package audit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"shiplog/events"
	"shiplog/events/audit"
	"shiplog/events/ledger"
)

// chained is a ledger of so many events in memory.
func chained(n int) (list [][]byte, leaves []events.Hash) {
	var leaf events.Hash
	for i := range n {
		var p events.Payload = &events.ToolRegistered{Tool: fmt.Sprintf("tool-%d", i+1), Name: "Tool"}
		if i == 0 {
			p = &events.LedgerOpened{Ledger: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff", Authority: "panel.example", Title: "Panel"}
		}
		list, leaf = store(list, p, leaf)
		leaves = append(leaves, leaf)
	}
	return list, leaves
}

func store(list [][]byte, p events.Payload, leaf events.Hash) ([][]byte, events.Hash) {
	e := &events.Event{
		ID: fmt.Sprint(len(list) + 1), Source: "/test", Time: "2026-03-02T09:00:00.000Z",
		Publisher: "local", PrevLeaf: leaf, Data: p,
	}
	e.RecordedTime, _ = events.ParseTime(e.Time)
	raw := e.AppendCanonical(nil)
	return append(list, raw), e.Leaf
}

// reads is an [audit.Read] of events in memory; nil where one is missing.
func reads(list [][]byte) audit.Read {
	return func(ctx context.Context, from, to uint64, fn func(uint64, []byte) error) error {
		for seq := from; seq <= to && seq <= uint64(len(list)); seq++ {
			if list[seq-1] == nil {
				return &ledger.GapError{Want: seq, Got: seq + 1}
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := fn(seq, list[seq-1]); err != nil {
				return err
			}
		}
		return nil
	}
}

// renamed is an event of a type that this version does not know. Its length is
// the same, and so is all but its leaf.
func renamed(raw []byte) []byte {
	return bytes.Replace(raw, []byte("shiplog.tool.registered.v1"), []byte("shiplog.tool.regusterod.v1"), 1)
}

func TestCheckFindsTheFirstFault(t *testing.T) {
	const n = 2345 // several batches
	for _, tt := range []struct {
		name  string
		spoil func([][]byte) [][]byte
		want  string // beginning of the error, empty for none
	}{
		{"whole", func(l [][]byte) [][]byte { return l }, ""},
		{"missing", func(l [][]byte) [][]byte { l[1700] = nil; return l }, "event 1701 is missing: the next one is 1702"},
		{"first missing", func(l [][]byte) [][]byte { l[0] = nil; return l }, "event 1 is missing"},
		{"altered", func(l [][]byte) [][]byte {
			l[99] = bytes.Replace(l[99], []byte("Tool"), []byte("Fool"), 1)
			return l
		}, "event 101 does not follow event 100: it names the leaf "},
		{"altered before one is missing", func(l [][]byte) [][]byte {
			l[99] = bytes.Replace(l[99], []byte("Tool"), []byte("Fool"), 1)
			l[110] = nil
			return l
		}, "event 101 does not follow event 100"},
		{"swapped", func(l [][]byte) [][]byte { l[49], l[50] = l[50], l[49]; return l }, "event 50 does not follow event 49"},
		{"twice", func(l [][]byte) [][]byte { return slices.Insert(l, 1000, l[999]) }, "event 1001 does not follow event 1000"},
		{"begins late", func(l [][]byte) [][]byte { return l[1:] }, "event 1 is not the first of a ledger"},
		{"opened by nobody", func([][]byte) [][]byte {
			l, _ := store(nil, &events.ToolRegistered{Tool: "tool", Name: "Tool"}, events.Hash{})
			return l
		}, "event 1 does not open a ledger"},
		{"opened twice", func([][]byte) [][]byte {
			l, leaves := chained(3)
			l, _ = store(l, &events.LedgerOpened{Ledger: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff", Authority: "a.example", Title: "A"}, leaves[2])
			return l
		}, "event 4 opens a ledger"},
		{"not JSON", func(l [][]byte) [][]byte { l[9] = []byte("{"); return l }, "event 10 cannot be read: "},
		{"not JSON at the end", func(l [][]byte) [][]byte { l[n-1] = []byte("{"); return l }, "event 2345 cannot be read: "},
		{"not JSON, then missing", func(l [][]byte) [][]byte { l[9] = []byte("{"); l[20] = nil; return l }, "event 10 cannot be read: "},
		{"an unknown type at the end", func(l [][]byte) [][]byte { l[n-1] = renamed(l[n-1]); return l }, ""},
		{"none of them events", func(l [][]byte) [][]byte {
			for i := range l[1:] {
				l[i+1] = []byte("nothing")
			}
			return l
		}, "event 2 cannot be read: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, leaves := chained(n)
			list = tt.spoil(list)
			var chain audit.Chain
			last := uint64(0)
			err := audit.Check(t.Context(), reads(list), &chain, uint64(len(list)), func(seq uint64) { last = seq })
			if tt.want == "" {
				seq, leaf := chain.Position()
				if err != nil || seq != n || last != n || chain.Ledger() == "" {
					t.Fatalf("at %d of %d, told of %d: %v", seq, n, last, err)
				}
				if tt.name == "whole" && leaf != leaves[n-1] {
					t.Errorf("leaf %s, want %s", leaf, leaves[n-1])
				}
				return
			}
			if _, ok := errors.AsType[*audit.Fault](err); !ok || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error %v, want a fault: %s", err, tt.want)
			}
		})
	}
}

func TestWhatIsSkippedIsNoFault(t *testing.T) {
	list, leaves := chained(20)
	list[11] = []byte("from another world")
	list, _ = store(list, &events.EventSkipped{Seq: 12, Reason: "nobody can read it"}, leaves[19])
	var chain audit.Chain
	if err := audit.Check(t.Context(), reads(list), &chain, 21, nil); err != nil {
		t.Fatal(err)
	}
	if !chain.Skips()[12] || len(chain.Skips()) != 1 {
		t.Errorf("skips %v, want 12", chain.Skips())
	}
}

func TestScanEndsWithWhoeverFails(t *testing.T) {
	list, _ := chained(3000)
	enough := errors.New("enough")
	n := 0
	err := audit.Scan(t.Context(), reads(list), 1, 3000, func(batch []audit.Decoded) error {
		if n += len(batch); n > 1000 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) {
		t.Errorf("error %v, want that of the handler", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = audit.Scan(ctx, reads(list), 1, 3000, func([]audit.Decoded) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	fault := errors.New("no answer")
	err = audit.Scan(t.Context(), func(context.Context, uint64, uint64, func(uint64, []byte) error) error { return fault }, 1, 9,
		func([]audit.Decoded) error { return nil })
	if !errors.Is(err, fault) {
		t.Errorf("error %v, want that of the reader", err)
	}
}

// TestScanHandsOverInOrder reads from the middle to before the end.
func TestScanHandsOverInOrder(t *testing.T) {
	list, _ := chained(4000)
	next := uint64(1001)
	err := audit.Scan(t.Context(), reads(list), next, 3500, func(batch []audit.Decoded) error {
		for _, d := range batch {
			if d.Seq != next || d.Event == nil || d.Event.Seq != next || !bytes.Equal(d.Raw, list[next-1]) {
				t.Fatalf("event %d came where %d should", d.Seq, next)
			}
			next++
		}
		return nil
	})
	if err != nil || next != 3501 {
		t.Errorf("up to %d: %v", next-1, err)
	}
}

// TestShareGivesAllToEach has one who takes slowly, and one who has enough at
// once; reading fails at the end.
func TestShareGivesAllToEach(t *testing.T) {
	list, _ := chained(9000)
	queues := []chan []audit.Decoded{make(chan []audit.Decoded), make(chan []audit.Decoded, 2)}
	done := make(chan error, 1)
	go func() { done <- audit.Share(t.Context(), reads(list[:8000]), 1, 9000, queues) }()
	enough := make(chan struct{})
	go func() {
		defer close(enough)
		for range queues[1] {
		}
	}()
	next := uint64(1)
	for batch := range queues[0] {
		for _, d := range batch {
			if d.Seq != next || d.Event == nil {
				t.Fatalf("event %d came where %d should", d.Seq, next)
			}
			next++
		}
	}
	<-enough
	if err := <-done; err != nil || next != 8001 {
		t.Errorf("up to %d: %v", next-1, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	queues = []chan []audit.Decoded{make(chan []audit.Decoded)}
	go func() { done <- audit.Share(ctx, reads(list), 1, 9000, queues) }()
	<-queues[0]
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
