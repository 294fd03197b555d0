package intake

import "time"

// A pace tells whether what waits is better committed together or one by one.
//
// An atomic batch has a price of its own: the server stages it before it stores
// it. In memory that is as much as two or three single commits cost, in files on a
// local disk as much as some fifteen, so a few events are stored sooner one by
// one, and each has its answer sooner. Both are measured all the time.
type pace struct {
	single time.Duration // one commit of one event
	batch  time.Duration // one commit of a small batch

	waited int // how many waited when it was last asked
	streak int // how often since it was put off that they are committed together
}

const (
	// Where nothing was measured yet.
	firstSingle = 200 * time.Microsecond
	firstBatch  = 3 * time.Millisecond

	// smallBatch is how many events a batch may have for its price to be about
	// that of any batch.
	smallBatch = 100
)

func newPace() pace { return pace{single: firstSingle, batch: firstBatch} }

// apart reports whether the next of those that wait is committed alone.
//
// A batch that is due is put off a little while more arrive than are committed, up
// to half of its price: those who were answered by the last batch come back with
// their next, and the price is the same with them.
func (p *pace) apart(waiting int) bool {
	grows := waiting > p.waited
	p.waited = waiting
	switch {
	case waiting > smallBatch:
	case time.Duration(waiting)*p.single < p.batch:
		p.streak = 0
		return true
	case grows && time.Duration(2*(p.streak+1))*p.single < p.batch:
		p.streak++
		return true
	}
	p.streak = 0
	return false
}

// worthwhile is how many events a batch has at least that is as cheap as to commit
// them one by one.
func (p *pace) worthwhile() int {
	return int((p.batch + p.single - 1) / p.single)
}

// observe learns from a commit.
func (p *pace) observe(events int, took time.Duration) {
	switch {
	case events == 1:
		learn(&p.single, took)
	case events <= smallBatch:
		learn(&p.batch, took)
	}
}

// learn moves a price an eighth of the way; a stall is no price.
func learn(price *time.Duration, took time.Duration) {
	*price += (min(took, 4**price) - *price) / 8
	*price = max(*price, time.Microsecond)
}
