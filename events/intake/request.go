package intake

import (
	"shiplog/events"
	"shiplog/events/decide"
)

// A request is one call of Submit.
type request struct {
	items    []Item
	receipts []Receipt
	dry      bool
	bytes    int64
	left     int // not answered yet
	done     chan struct{}
	layer    *decide.State // of a dry run
	held     map[string]held
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
	if receipt.Status == StatusError {
		r.hold(i, receipt)
	}
	if r.left--; r.left == 0 {
		close(r.done)
	}
}

// held is the receipt that items of a key are answered by.
type held struct {
	by      int // the item it was given to
	receipt Receipt
}

// hold has the items that follow one and are of its key answered as it was.
func (r *request) hold(i int, receipt Receipt) {
	key := r.items[i].Key
	if key == "" {
		return
	}
	if r.held == nil {
		r.held = map[string]held{}
	}
	r.held[key] = held{i, receipt}
}

// An entry is one submission in the writer's hands.
type entry struct {
	request *request
	index   int
}

func (e entry) item() *Item        { return &e.request.items[e.index] }
func (e entry) answer(r Receipt)   { e.request.answer(e.index, r) }
func (e entry) fail(reason string) { e.answer(failed(e.item().Submission, reason)) }

// A source is where the writer takes entries from. The zero source has none.
type source struct {
	queue  <-chan *request
	unpack func([]entry, *request) []entry
}

// collect adds what waits, up to one batch.
func (s source) collect(entries []entry) []entry {
	for len(entries) < events.MaxBatch {
		select {
		case r := <-s.queue:
			entries = s.unpack(entries, r)
		default:
			return entries
		}
	}
	return entries
}
