package intake

import "time"

// A pace tells whether what waits is better committed together or one by one, and what
// a batch waits for.
//
// An atomic batch has a price of its own: the server stages it before it stores
// it. In memory that is as much as two or three single commits cost, in files on a
// local disk as much as some fifteen, so a few events are stored sooner one by
// one, and each has its answer sooner. Both are measured all the time.
type pace struct {
	single time.Duration // one commit of one event
	batch  time.Duration // one commit of a small batch

	callers float64       // how many send again when they are answered
	most    time.Duration // that a batch waits for them
}

const (
	// Where nothing was measured yet.
	firstSingle = 200 * time.Microsecond
	firstBatch  = 3 * time.Millisecond

	// smallBatch is how many events a batch may have for its price to be about
	// that of any batch.
	smallBatch = 100

	// fullBatch is how many events a batch has for its price to be little of what
	// they cost in all.
	fullBatch = 32

	mostPatience = 10 * time.Millisecond
)

func newPace() pace { return pace{single: firstSingle, batch: firstBatch, most: mostPatience} }

// apart reports whether the next of those that wait is committed alone.
func (p *pace) apart(waiting int) bool {
	return waiting <= smallBatch && time.Duration(waiting)*p.single < p.batch
}

// share is how many events a batch waits for: one of nearly all who send at once. Its
// price is the same with them, and each batch that is spared leaves the disk and
// the processor to others. Where very many send it is better that some arrive while
// others are stored. It is nothing where so few send that they are committed one by one.
func (p *pace) share() int {
	most := min(int(p.callers*7/8), fullBatch)
	if p.apart(most) {
		return 0
	}
	return most
}

// patience is how long a batch waits for its share at most: to wait longer would cost
// more than another batch, and who is not back by then is not coming, however slow the
// disk is.
func (p *pace) patience() time.Duration { return min(p.batch, p.most) }

// met learns how many send at once from the requests that a commit has answered, and
// those that came meanwhile, which are of others.
func (p *pace) met(answered, came int) {
	p.callers = max(float64(answered+came), p.callers*31/32)
}

// missed learns that a batch has waited in vain, and that only so many
// have come.
func (p *pace) missed(came int) { p.callers = (p.callers + float64(came)) / 2 }

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
