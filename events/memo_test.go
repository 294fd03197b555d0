package events_test

import (
	"bytes"
	"testing"

	"shiplog/events"
)

// a memorized event, and its stored form.
type memorized struct {
	*events.Event
	raw []byte
}

func keep(m *events.Memo, from, to uint64, data events.Payload) map[uint64]memorized {
	list := map[uint64]memorized{}
	for seq := from; seq <= to; seq++ {
		e := sampleEvent(data)
		e.Seq, e.Cause = seq, seq
		list[seq] = memorized{e, e.AppendCanonical(nil)}
		m.Keep(e, list[seq].raw)
	}
	return list
}

func TestMemo(t *testing.T) {
	matchup := &events.MatchupOpened{Left: "anvil", Right: "ferrule"}
	for _, test := range []struct {
		name string
		keep func(*events.Memo) memorized
		want bool // the very event that was kept
	}{
		{"keeps", func(m *events.Memo) memorized { return keep(m, 5, 9, matchup)[7] }, true},
		{"forgets what was read", func(m *events.Memo) memorized {
			kept := keep(m, 5, 9, matchup)
			_, _ = m.Decode(7, kept[7].raw)
			return kept[7]
		}, false},
		{"forgets what is before it", func(m *events.Memo) memorized {
			kept := keep(m, 5, 9, matchup)
			_, _ = m.Decode(7, kept[7].raw)
			return kept[6]
		}, false},
		{"forgets the oldest", func(m *events.Memo) memorized { return keep(m, 1, 20_000, matchup)[1] }, false},
		{"keeps the newest", func(m *events.Memo) memorized { return keep(m, 1, 20_000, matchup)[20_000] }, true},
		{"forgets what another begins behind", func(m *events.Memo) memorized {
			kept := keep(m, 1, 3, matchup)
			keep(m, 7, 8, matchup)
			return kept[2]
		}, false},
		{"keeps no updates", func(m *events.Memo) memorized {
			return keep(m, 1, 1, &events.ToolRegistered{Tool: "anvil", Name: "Anvil"})[1]
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := new(events.Memo)
			want := test.keep(m)
			got, err := m.Decode(want.Seq, want.raw)
			if err != nil {
				t.Fatal(err)
			}
			if (got == want.Event) != test.want {
				t.Errorf("the event itself: %v, want %v", !test.want, test.want)
			}
			if got.Leaf != want.Leaf || got.Cause != want.Cause {
				t.Errorf("another event: %+v", got)
			}
		})
	}
}

func TestMemoGoesByBytes(t *testing.T) {
	m := new(events.Memo)
	kept := keep(m, 3, 3, &events.MatchupOpened{Left: "anvil", Right: "ferrule"})[3]
	e, err := m.Decode(3, bytes.Replace(kept.raw, []byte(`"cause":3`), []byte(`"cause":2`), 1))
	if err != nil || e.Cause != 2 {
		t.Fatalf("decoded %+v, %v", e, err)
	}
}
