package bench

import (
	"math/rand/v2"
	"strconv"
)

// The shape of the synthetic panel.
const (
	tools      = 10_000
	categories = 100
	reviewers  = 100
	batchSize  = 1000
)

// words make up review bodies of about 600 bytes.
var words = []string{
	"the", "queue", "drains", "without", "a", "hitch", "and", "restarts", "where", "it", "stopped", "but", "its", "manual",
	"leaves", "retries", "to", "guesswork", "so", "we", "measured", "them", "ourselves", "for", "small", "teams", "that", "is",
	"enough", "larger", "ones", "want", "quotas", "per", "tenant", "before", "they", "trust", "this", "with", "money",
}

// writer appends events to a buffer. The same number gives the same event.
type writer struct {
	b []byte
}

func (w *writer) text(s string) { w.b = append(w.b, s...) }
func (w *writer) int(n int)     { w.b = strconv.AppendInt(w.b, int64(n), 10) }

func (w *writer) head(kind string, n int, typ string) {
	w.text(`{"specversion":"1.0","source":"/bench","id":"`)
	w.text(kind)
	w.text("-")
	w.int(n)
	w.text(`","type":"`)
	w.text(typ)
	w.text(`","data":{`)
}

func (w *writer) tool(n int) {
	w.head("tool", n, "shiplog.tool.registered.v1")
	w.text(`"tool":"tool-`)
	w.int(n)
	w.text(`","name":"Tool `)
	w.int(n)
	w.text(`","category":"category-`)
	w.int(n % categories)
	w.text(`"}}`)
}

func (w *writer) reviewer(n int) {
	w.head("reviewer", n, "shiplog.reviewer.seated.v1")
	w.text(`"reviewer":"reviewer-`)
	w.int(n)
	w.text(`","name":"Reviewer `)
	w.int(n)
	w.text(`"}}`)
}

// review is the review with a number: the first reviewer judges every tool,
// then the second, and so on; after all pairs come revisions.
func (w *writer) review(n int) { w.judge("review", n, n/tools%reviewers) }

// again is another review by the first reviewer: a revision, once that one has
// judged every tool.
func (w *writer) again(n int) { w.judge("again", n, 0) }

func (w *writer) judge(kind string, n, reviewer int) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	w.head(kind, n, "shiplog.review.submitted.v1")
	w.text(`"tool":"tool-`)
	w.int(n % tools)
	w.text(`","reviewer":"reviewer-`)
	w.int(reviewer)
	verdict := "ship"
	if rng.IntN(5) < 2 {
		verdict = "skip"
	}
	w.text(`","verdict":"`)
	w.text(verdict)
	w.text(`","body":"`)
	for start := len(w.b); len(w.b)-start < 600; {
		w.text(words[rng.IntN(len(words))])
		w.text(" ")
	}
	w.int(n)
	w.text(`"}}`)
}

// batch is an array of events from..to-1.
func batch(event func(*writer, int), from, to int) []byte {
	w := writer{b: make([]byte, 0, (to-from)*800)}
	w.text("[")
	for n := from; n < to; n++ {
		if n > from {
			w.text(",")
		}
		event(&w, n)
	}
	w.text("]")
	return w.b
}

// pair is events that make a comparison page which nothing else touches: two
// tools of a category of their own, judged by all of a panel of their own.
func pair() []byte {
	const panel = 5
	var w writer
	w.text("[")
	for n := range panel {
		w.head("pair-reviewer", n, "shiplog.reviewer.seated.v1")
		w.text(`"reviewer":"pair-reviewer-`)
		w.int(n)
		w.text(`","name":"Pair reviewer"}},`)
	}
	for n := range 2 {
		w.head("pair-tool", n, "shiplog.tool.registered.v1")
		w.text(`"tool":"pair-tool-`)
		w.int(n)
		w.text(`","name":"Pair tool","category":"pair"}},`)
	}
	for n := range 2 * panel {
		if n > 0 {
			w.text(",")
		}
		w.head("pair-review", n, "shiplog.review.submitted.v1")
		w.text(`"tool":"pair-tool-`)
		w.int(n % 2)
		w.text(`","reviewer":"pair-reviewer-`)
		w.int(n / 2)
		w.text(`","verdict":"ship","body":"`)
		for i := range 80 {
			w.text(words[(n+i)%len(words)] + " ")
		}
		w.text(`"}}`)
	}
	w.text("]")
	return w.b
}
