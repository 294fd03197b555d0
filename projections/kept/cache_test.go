package kept_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"shiplog/projections/kept"
)

func TestCacheIsBounded(t *testing.T) {
	const limit = 10 << 10
	c := kept.NewCache[int, string](limit)
	for i := range 1000 {
		c.Put(i, fmt.Sprint(i), 1<<10)
		if c.Size() > limit {
			t.Fatalf("%d bytes after %d values, want at most %d", c.Size(), i+1, limit)
		}
	}
	if v, ok := c.Get(999); !ok || v != "999" {
		t.Errorf("the newest is %q, %v", v, ok)
	}
	if _, ok := c.Get(0); ok {
		t.Error("the oldest is still there")
	}
	c.Put(1, "one", limit)
	if _, ok := c.Get(1); ok {
		t.Error("a value beyond the bound is kept")
	}
	if _, ok := c.Get(999); !ok {
		t.Error("it drove out another")
	}
}

func TestCacheKeepsWhatIsUsed(t *testing.T) {
	c := kept.NewCache[string, string](3 << 10)
	c.Put("a", "first", 1<<10)
	c.Put("b", "second", 1<<10)
	c.Get("a")
	c.Put("c", "third", 1<<10)
	if _, ok := c.Get("b"); ok {
		t.Error("the one not asked for longest is still there")
	}
	if v, ok := c.Get("a"); !ok || v != "first" {
		t.Errorf("the one in use is %q, %v", v, ok)
	}
	c.Grow("a", "first", 1<<10)
	if _, ok := c.Get("c"); ok {
		t.Error("growing drove out nothing")
	}
	c.Grow("a", "another", 2<<10)
	if _, ok := c.Get("a"); !ok {
		t.Error("a value that is kept no more drove out the one that is")
	}
}

// TestCurrentMakesOnce has many ask at once for a value that takes a while.
func TestCurrentMakesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := kept.NewCache[string, *int](1 << 20)
		made, gate := 0, make(chan struct{})
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				v, err := c.Current(t.Context(), "k", always, func(context.Context) (*int, error) {
					<-gate
					made++
					v := made
					c.Put("k", &v, 8)
					return &v, nil
				})
				if err != nil || *v != 1 {
					t.Errorf("got %v, %v", v, err)
				}
			})
		}
		synctest.Wait()
		close(gate)
		all.Wait()
		if made != 1 {
			t.Errorf("made %d times, want once", made)
		}
	})
}

func always(*int) bool { return true }

// TestCurrentLooksAgain joins a making that began before an event the request
// could have seen.
func TestCurrentLooksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := kept.NewCache[string, *int](1 << 20)
		var position atomic.Int64
		gate := make(chan struct{})
		refresh := func(context.Context) (*int, error) {
			v := int(position.Load())
			<-gate
			return &v, nil
		}
		ask := func() int {
			want := int(position.Load())
			v, err := c.Current(t.Context(), "k", func(v *int) bool { return *v >= want }, refresh)
			if err != nil {
				t.Error(err)
				return -1
			}
			return *v
		}
		var both sync.WaitGroup
		both.Go(func() { ask() })
		synctest.Wait()
		position.Store(1)
		both.Go(func() {
			if got := ask(); got != 1 {
				t.Errorf("got what held at %d, want 1", got)
			}
		})
		synctest.Wait()
		close(gate)
		both.Wait()
	})
}

func TestCurrentHandsOutErrors(t *testing.T) {
	c := kept.NewCache[string, *int](1 << 20)
	broken := errors.New("broken")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Current(ctx, "k", always, func(ctx context.Context) (*int, error) {
		if ctx.Err() != nil {
			t.Error("a making ends with the request that began it")
		}
		return nil, broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}
