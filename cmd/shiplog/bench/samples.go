package bench

import (
	"slices"
	"sync"
	"time"
)

// samples collects durations from many goroutines.
type samples struct {
	mu   sync.Mutex
	took []time.Duration
	err  error
}

// note keeps a duration that is not zero, or the first error.
func (s *samples) note(d time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil && s.err == nil:
		s.err = err
	case err == nil && d > 0:
		s.took = append(s.took, d)
	}
}

func (s *samples) sorted() ([]time.Duration, error) {
	slices.Sort(s.took)
	return s.took, s.err
}

// quantile is in milliseconds.
func quantile(sorted []time.Duration, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	i := min(int(q*float64(len(sorted))), len(sorted)-1)
	return float64(sorted[i].Microseconds()) / 1000
}
