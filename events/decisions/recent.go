package decisions

// recentLimit bounds each table of recent values.
const recentLimit = 16 << 10

// recent keeps values that were read or written lately, as they are in the
// store. What is dropped when it is full is any: it is only asked for again.
type recent[V any] map[string]V

func (r recent[V]) put(key string, value V) {
	if len(r) >= recentLimit {
		for old := range r {
			delete(r, old)
			break
		}
	}
	r[key] = value
}
