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

// Stand says what a value was made from. It is called once, before others see
// the value.
func (s *Standing) Stand(store string, built uint64, past bool) {
	s.Store, s.Built, s.Past = store, built, past
	s.Reach(built)
}

// Holds reports whether the value is what would be made now.
func (s *Standing) Holds(now State) bool {
	return s.Store == now.Store && (s.Past || s.at.Load().Seq >= now.Seq)
}

// At is the position the value speaks as of.
func (s *Standing) At() *Position { return s.at.Load() }

// Reach moves the position forward.
func (s *Standing) Reach(seq uint64) {
	next := &Position{Seq: seq, Header: One(strconv.FormatUint(seq, 10))}
	for {
		now := s.at.Load()
		if now != nil && now.Seq >= seq || s.at.CompareAndSwap(now, next) {
			return
		}
	}
}
