package intake

import (
	"testing"
	"time"
)

// measured is a pace that has learned what commits cost.
func measured() pace {
	return pace{single: time.Millisecond / 2, batch: 2 * time.Millisecond, most: mostPatience}
}

// TestPace holds what a batch waits for to who sends.
func TestPace(t *testing.T) {
	for _, tt := range []struct {
		name           string
		answered, came int
		share          int
	}{
		{"nobody", 0, 0, 0},
		{"one", 1, 0, 0},
		{"so few that one by one is cheaper", 1, 3, 0},
		{"enough for a batch", 4, 2, 5},
		{"all were answered", 32, 0, 28},
		{"half were answered", 16, 16, 28},
		{"one by one, while many wait", 1, 31, 28},
		{"very many", 128, 128, fullBatch},
	} {
		p := measured()
		p.met(tt.answered, tt.came)
		if got := p.share(); got != tt.share {
			t.Errorf("%s: waits for %d, want %d", tt.name, got, tt.share)
		}
		if tt.share > 0 && p.apart(tt.share) {
			t.Errorf("%s: the %d waited for are committed one by one", tt.name, tt.share)
		}
	}
}

// TestPaceForgets holds a batch to wait in vain a few times at most when those who
// sent have gone.
func TestPaceForgets(t *testing.T) {
	p := measured()
	p.met(256, 0)
	waits := 0
	for p.share() > 1 {
		if waits++; waits > 10 {
			t.Fatalf("after %d waits in vain it still waits for %d", waits, p.share())
		}
		p.missed(1)
		p.met(1, 0)
	}
}

// TestPaceRemembers holds one small commit, as after a rest, not to change what the
// next batch waits for.
func TestPaceRemembers(t *testing.T) {
	p := measured()
	p.met(32, 0)
	p.met(1, 0)
	if got := p.share(); got < 24 {
		t.Errorf("waits for %d of 32 after a small commit", got)
	}
}

// TestPacePatience holds a batch to wait no longer than it takes, and where the disk is
// slow no longer than who sends again needs.
func TestPacePatience(t *testing.T) {
	p := newPace()
	if got := p.patience(); got != firstBatch {
		t.Errorf("waits for %s, want the price of a batch, %s", got, firstBatch)
	}
	for range 100 {
		p.observe(8, time.Second)
	}
	if got := p.patience(); got != mostPatience {
		t.Errorf("waits for %s where a batch takes a second, want %s", got, mostPatience)
	}
}
