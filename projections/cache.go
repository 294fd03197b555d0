package projections

// cache keeps what was used lately, in bounded memory: two generations, of
// which the older is dropped when the younger has grown to the limit. Nothing
// used since the last call of age is ever dropped.
type cache[K comparable, V any] struct {
	limit      int
	young, old map[K]V
}

func newCache[K comparable, V any](limit int) *cache[K, V] {
	return &cache[K, V]{limit: limit, young: make(map[K]V)}
}

func (c *cache[K, V]) get(k K) (V, bool) {
	v, ok := c.young[k]
	if !ok {
		if v, ok = c.old[k]; ok {
			c.young[k] = v
		}
	}
	return v, ok
}

func (c *cache[K, V]) put(k K, v V) { c.young[k] = v }

// age is called between batches.
func (c *cache[K, V]) age() {
	if len(c.young) >= c.limit {
		c.old, c.young = c.young, make(map[K]V)
	}
}

func (c *cache[K, V]) clear() {
	c.young, c.old = make(map[K]V), nil
}
