package decide

// table is one kind of value in a layer: what was written there, and what was
// read of the base, so that the base is asked once for a key in the life of a
// layer.
type table[K comparable, V any] struct {
	written map[K]V
	read    map[K]found[V]
}

// found is what the base said.
type found[V any] struct {
	value V
	ok    bool
}

func newTable[K comparable, V any]() table[K, V] {
	return table[K, V]{written: map[K]V{}, read: map[K]found[V]{}}
}

func (t table[K, V]) put(key K, value V) {
	t.written[key] = value
}

func (t table[K, V]) clear() {
	clear(t.written)
	clear(t.read)
}

// get reads a value of this layer, else of the base.
func get[K comparable, V any](s *State, t table[K, V], key K, below func(Base) (V, bool, error)) (V, bool) {
	if v, ok := t.written[key]; ok {
		return v, true
	}
	if f, ok := t.read[key]; ok {
		return f.value, f.ok
	}
	var zero V
	if s.base == nil || s.err != nil {
		return zero, false
	}
	v, ok, err := below(s.base)
	if err != nil {
		s.keep(err)
		return zero, false
	}
	t.read[key] = found[V]{v, ok}
	return v, ok
}
