package intake

import "shiplog/events/decide"

// A request is one call of Submit.
type request struct {
	items    []Item
	receipts []Receipt
	dry      bool
	bytes    int64
	left     int // not answered yet
	done     chan struct{}
	layer    *decide.State // of a dry run
}

// newRequest answers at once what cannot be decided.
func newRequest(items []Item, dry bool) *request {
	r := &request{items: items, receipts: make([]Receipt, len(items)), dry: dry, left: len(items), done: make(chan struct{})}
	for i, item := range items {
		r.bytes += int64(item.Bytes)
		if len(item.Problems) > 0 {
			r.answer(i, reject(item.Submission, item.Problems))
		}
	}
	return r
}

// answer gives the receipt of one item. Only one goroutine at a time has a
// request: the caller, then the writer.
func (r *request) answer(i int, receipt Receipt) {
	r.receipts[i] = receipt
	if r.left--; r.left == 0 {
		close(r.done)
	}
}

// An entry is one submission in the writer's hands.
type entry struct {
	request *request
	index   int
}

func (e entry) item() *Item        { return &e.request.items[e.index] }
func (e entry) answer(r Receipt)   { e.request.answer(e.index, r) }
func (e entry) fail(reason string) { e.answer(failed(e.item().Submission, reason)) }
