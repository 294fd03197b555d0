package ops

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"shiplog/events/ledger"
)

const (
	probeEvery = 5 * time.Second
	probeBytes = 4 << 10
	// slowAfter is how long a write of a few bytes may take before the disk is said
	// to be slow. A disk under load takes tenths of a second.
	slowAfter = 5 * time.Second
)

// A DiskProbe writes a small file now and then, and syncs it: whether there is
// room says nothing of a disk that does not answer.
type DiskProbe struct {
	dir   string
	began atomic.Pointer[time.Time] // when the write under way began; nil for none
	fault atomic.Pointer[error]
}

// NewDiskProbe probes nothing before Run.
func NewDiskProbe(dir string) *DiskProbe { return &DiskProbe{dir: dir} }

// Run probes until the context ends. A write that hangs is waited for.
func (p *DiskProbe) Run(ctx context.Context) {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for {
		p.probe()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (p *DiskProbe) probe() {
	began := time.Now() // as it is, so that a clock that is set back hides no hanging disk
	p.began.Store(&began)
	err := ledger.Probe(p.dir, probeBytes)
	p.began.Store(nil)
	if err == nil {
		p.fault.Store(nil)
		return
	}
	p.fault.Store(&err)
}

// Err is why the disk cannot be relied on, nil while it can.
func (p *DiskProbe) Err() error {
	if err := p.Hangs(); err != nil {
		return err
	}
	return p.Refused()
}

// Hangs is that the disk gives no answer, nil while it does.
func (p *DiskProbe) Hangs() error {
	if began := p.began.Load(); began != nil {
		if took := time.Since(*began); took > slowAfter {
			return fmt.Errorf("a write to %s has been under way for %s: the disk is slow, or does not answer", p.dir, took.Round(time.Second))
		}
	}
	return nil
}

// Refused is why the disk took no file the last time, nil where it did.
func (p *DiskProbe) Refused() error {
	if err := deref(p.fault.Load()); err != nil {
		return fmt.Errorf("%s takes no file: %w", p.dir, err)
	}
	return nil
}
