package ops

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"shiplog/events"
	"shiplog/events/ledger"
)

// How often a LedgerWatch asks for the figures and for the settings.
const (
	infoEvery   = time.Second
	assertEvery = 10 * time.Second
)

// LedgerWatch keeps the figures and the soundness of the ledger's streams at
// hand, so that neither a scrape nor a submission asks NATS for them.
type LedgerWatch struct {
	ledger *ledger.Ledger
	info   atomic.Pointer[ledger.Info]
	drift  atomic.Pointer[error]
	failed atomic.Pointer[error] // of the last look
	alone  atomic.Pointer[error] // what the last look and the one before have found
	once   error                 // what the one before has
	last   atomic.Int64          // recordedtime of the last event, Unix ms
	low    atomic.Bool           // less disk is free than wanted
	disk   DiskWatch
	log    *slog.Logger
}

// DiskWatch says which disk to watch and how much of it is to stay free. The
// zero value watches none.
type DiskWatch struct {
	Dir     string
	MinFree uint64
}

// NewLedgerWatch registers the ledger's metrics and watches nothing before Run.
// Log is told when the disk begins to have too little free and when it has enough
// again.
func NewLedgerWatch(reg prometheus.Registerer, l *ledger.Ledger, disk DiskWatch, log *slog.Logger) *LedgerWatch {
	w := &LedgerWatch{ledger: l, disk: disk, log: log}
	f := promauto.With(reg)
	gauge := func(name, help string, value func() float64) {
		f.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	gauge("shiplog_ledger_last_sequence", "Sequence of the last event in the ledger.", func() float64 { return float64(w.Info().Last) })
	gauge("shiplog_ledger_bytes", "Size of the ledger's stream.", func() float64 { return float64(w.Info().Bytes) })
	gauge("shiplog_ledger_max_bytes", "Size at which the ledger's stream takes no more.", func() float64 { return float64(w.Info().MaxBytes) })
	gauge("shiplog_ledger_last_append_timestamp_seconds", "When the last event was recorded, seconds since 1970.", func() float64 { return float64(w.last.Load()) / 1000 })
	gauge("shiplog_nats_connected", "1 while connected to NATS, else 0.", func() float64 {
		if l.Conn().Status() == nats.CONNECTED {
			return 1
		}
		return 0
	})
	return w
}

// Run watches until the context ends.
func (w *LedgerWatch) Run(ctx context.Context) {
	info, settings := time.NewTicker(infoEvery), time.NewTicker(assertEvery)
	defer info.Stop()
	defer settings.Stop()
	w.look(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-info.C:
			w.look(ctx)
		case <-settings.C:
			w.assert(ctx)
		}
	}
}

func (w *LedgerWatch) look(ctx context.Context) {
	w.lookAtDisk(ctx)
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	info, err := w.ledger.Info(ctx)
	if err != nil {
		w.failed.Store(&err)
		return
	}
	if info.Last != w.Info().Last {
		w.lookAtLast(ctx, info.Last)
	}
	w.failed.Store(nil)
	w.lookAround(info.Alone)
	w.info.Store(&info)
}

// lookAround believes a leader to be alone that is found so twice: it then has not
// heard of a majority for 4 seconds, in which nothing can have been recorded by it,
// and the others may have elected another.
func (w *LedgerWatch) lookAround(alone error) {
	if alone == nil || w.once == nil {
		w.alone.Store(nil)
	} else {
		w.alone.Store(&alone)
	}
	w.once = alone
}

// lookAtLast notes when the last event was recorded: by the event itself, since
// no time stamp of JetStream's carries meaning.
func (w *LedgerWatch) lookAtLast(ctx context.Context, seq uint64) {
	raw, err := w.ledger.Get(ctx, seq)
	if err != nil {
		return // the next look tries again where the sequence has moved on
	}
	if e, _ := events.Decode(seq, raw); e != nil { // of an unknown type, too, the time is known
		w.last.Store(e.RecordedTime.UnixMilli())
	}
}

func (w *LedgerWatch) lookAtDisk(ctx context.Context) {
	if w.disk.Dir == "" {
		return
	}
	space, err := Disk(w.disk.Dir)
	low := err != nil || space.Free < w.disk.MinFree
	if w.low.Swap(low) == low {
		return
	}
	attrs := []slog.Attr{slog.String("data", w.disk.Dir), slog.String("free", humanize.IBytes(space.Free)), slog.String("min_free", humanize.IBytes(w.disk.MinFree))}
	switch {
	case err != nil:
		w.log.LogAttrs(ctx, slog.LevelWarn, "submissions are refused: how much of the disk is free cannot be told", slog.Any("error", err))
	case low:
		w.log.LogAttrs(ctx, slog.LevelWarn, "submissions are refused: too little of the disk is free; make room, or lower --min-free", attrs...)
	default:
		w.log.LogAttrs(ctx, slog.LevelInfo, "submissions are taken again: enough of the disk is free", attrs...)
	}
}

// LowDisk reports whether too little of the disk is free to go on recording.
func (w *LedgerWatch) LowDisk() bool { return w.low.Load() }

// assert holds the streams to their settings. A look that NATS does not answer, or
// answers that nobody leads what was asked for, says nothing of them.
func (w *LedgerWatch) assert(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	err := w.ledger.Assert(ctx)
	switch {
	case err == nil:
		w.drift.Store(nil)
	case ctx.Err() == nil && w.ledger.Conn().Status() == nats.CONNECTED && !ledger.Unreachable(err):
		w.drift.Store(&err)
	}
}

// LastAppend is when the last event was recorded, zero when none is known.
func (w *LedgerWatch) LastAppend() time.Time {
	if ms := w.last.Load(); ms != 0 {
		return time.UnixMilli(ms).UTC()
	}
	return time.Time{}
}

// Info is the last figures, zero before any.
func (w *LedgerWatch) Info() ledger.Info {
	if i := w.info.Load(); i != nil {
		return *i
	}
	return ledger.Info{}
}

// Drift is what was changed in the streams' settings, nil when nothing was.
func (w *LedgerWatch) Drift() error { return deref(w.drift.Load()) }

// Err is why the figures could not be had the last time.
func (w *LedgerWatch) Err() error { return deref(w.failed.Load()) }

// Alone is why the figures may be those of a server that led the ledger and was cut
// off from the others. It says so 4 to 5 seconds after that, long before the server
// knows it itself.
func (w *LedgerWatch) Alone() error { return deref(w.alone.Load()) }

func deref(err *error) error {
	if err == nil {
		return nil
	}
	return *err
}
