package projections

import (
	"time"
)

// A Stamp is an event and its two times. A zero Seq means none.
type Stamp struct {
	Seq  uint64
	Time time.Time // recordedtime, UTC
	// Published is the date that readers are shown: when it was written, but
	// never after it was recorded. Order is told by Seq, never by a time.
	Published time.Time
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
