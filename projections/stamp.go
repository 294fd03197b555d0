package projections

import (
	"time"
)

// A Stamp is an event and when it was recorded. A zero Seq means none.
type Stamp struct {
	Seq  uint64
	Time time.Time // recordedtime, UTC
}

// Later is the later of two stamps.
func (s Stamp) Later(other Stamp) Stamp {
	if other.Seq > s.Seq {
		return other
	}
	return s
}

// A Ref is a thing with a page of its own.
type Ref struct {
	Slug string
	Name string // as of the snapshot
}
