package main

import "testing"

func TestGarbagePercent(t *testing.T) {
	for _, test := range []struct {
		inUse uint64
		want  int
	}{
		{0, mostGarbage},
		{30 << 20, mostGarbage},
		{160 << 20, 100},
		{200 << 20, 80},
		{2 << 30, leastGarbage},
	} {
		if got := garbagePercent(test.inUse); got != test.want {
			t.Errorf("%d bytes in use: %d %%, want %d %%", test.inUse, got, test.want)
		}
	}
}
