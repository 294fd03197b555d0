package audit

import "context"

// ahead is how many lists of events are decoded before the slowest has taken them:
// as many as a transaction of the read model holds, so that the next are there when
// it is done.
const ahead = 20

// Queues are what so many take events from that [Share] reads.
func Queues(n int) []chan []Decoded {
	queues := make([]chan []Decoded, n)
	for i := range queues {
		queues[i] = make(chan []Decoded, ahead)
	}
	return queues
}

// Share reads events once for several who take all of them, each at its own pace:
// each of the queues is given the batches of [Scan], in order, and closed when all
// were read or reading failed. The bytes as stored, as much again, are left out. Who
// wants no more of them has to go on receiving, since the others wait for the
// slowest.
func Share(ctx context.Context, read Read, from, to uint64, queues []chan []Decoded) error {
	defer func() {
		for _, queue := range queues {
			close(queue)
		}
	}()
	return Scan(ctx, read, from, to, func(list []Decoded) error {
		for i := range list {
			list[i].Raw = nil
		}
		for _, queue := range queues {
			select {
			case queue <- list:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
}
