package web

import "shiplog/projections/kept"

// A key is an address in its one spelling. Its parts stay apart, as the path of a
// request may hold any character.
type key struct{ path, query, at string }

// An entry is a page as drawn at a position.
type entry struct {
	kept.Standing
	watch    kept.Parts
	document *kept.Document
}

func (e *entry) size(k key) int64 {
	return e.document.Size() + e.watch.Size() + int64(2*(len(k.path)+len(k.query)))
}

// watchMost is how many parts are looked at one by one.
const watchMost = 32
