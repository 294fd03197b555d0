package kept

import (
	"strconv"
	"sync/atomic"

	"shiplog/projections"
)

// A State is how far a model has come. The database is part of it, since a
// rebuild may read other things out of the same events.
type State struct {
	Seq   uint64
	Store string
}

// Now is the state of a model.
func Now(m *projections.Model) State {
	// In this order: what is read from a newer database than its standing says is
	// only made once too often.
	store := m.Path()
	seq, _ := m.Position()
	return State{Seq: seq, Store: store}
}

// A Standing is as of which event a value holds. It moves forward while nothing
// that the value shows has changed, and never back.
type Standing struct {
	// Store is the database the value was read from.
	Store string
	// Built is the position the value was made at.
	Built uint64
	// Past values show what does not change any more, but for another database.
	Past bool

	at atomic.Pointer[Position]
}

// A Position is a sequence with the value of its header.
type Position struct {
	Seq    uint64
	Header []string
}

// Positions make positions. Most values speak as of the newest event, and share
// one. They are safe for use by many goroutines.
type Positions struct{ last atomic.Pointer[Position] }

// At is the position of a sequence.
func (p *Positions) At(seq uint64) *Position {
	last := p.last.Load()
	if last != nil && last.Seq == seq {
		return last
	}
	at := &Position{Seq: seq, Header: One(strconv.FormatUint(seq, 10))}
	if last == nil || last.Seq < seq {
		p.last.Store(at)
	}
	return at
}

// Stand says what a value was made from. It is called once, before others see
// the value.
func (s *Standing) Stand(store string, built *Position, past bool) {
	s.Store, s.Built, s.Past = store, built.Seq, past
	s.Reach(built)
}

// Holds reports whether the value is what would be made now.
func (s *Standing) Holds(now State) bool {
	return s.Store == now.Store && (s.Past || s.at.Load().Seq >= now.Seq)
}

// At is the position the value speaks as of.
func (s *Standing) At() *Position { return s.at.Load() }

// Reach moves the position forward.
func (s *Standing) Reach(next *Position) {
	for {
		now := s.at.Load()
		if now != nil && now.Seq >= next.Seq || s.at.CompareAndSwap(now, next) {
			return
		}
	}
}
