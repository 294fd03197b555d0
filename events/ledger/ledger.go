package ledger

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// requestTimeout bounds one request to JetStream where the caller sets no
// deadline.
const requestTimeout = 5 * time.Second

// openPatience is how long Open waits for a stream that gives no answer, or has
// no servers to be kept on: one that another node is just creating has no leader
// yet, nor has one whose leader has just gone, and servers that were just started
// do not know of each other.
const openPatience = 30 * time.Second

// Options configure [Open]. The zero value opens an existing ledger as it is.
type Options struct {
	// Create makes the streams that are missing and applies MaxBytes to those
	// that exist. Without it a missing ledger is [ErrNoLedger].
	Create bool

	// MaxBytes is the size at which the ledger takes no more. 0 keeps what is
	// set, or DefaultMaxBytes for a new ledger.
	MaxBytes int64

	// InboxMaxBytes is the same for the inbox, 0 for DefaultInboxMaxBytes.
	InboxMaxBytes int64

	// Replicas is how many servers keep each stream, 0 for what is set, or 1.
	Replicas int

	// Server is the embedded server that the connection leads to, nil for any other.
	// With Create, its batches are staged in memory where there is room, and one that
	// was cut off is completed, see [Ledger.Complete]. One Ledger at a time may have it.
	Server *Server
}

// A Ledger reads and writes the streams through one connection. Its methods may
// be called from several goroutines.
type Ledger struct {
	nc     *nats.Conn
	js     jetstream.JetStream
	server *Server // whose batches are staged in memory, or nil

	// want are the settings as Open left them: ledger, inbox, rejected.
	want []jetstream.StreamConfig
}

// Info describes the ledger's stream.
type Info struct {
	First    uint64 // 1, or 0 for an empty ledger
	Last     uint64
	Messages uint64 // Last, unless something is lost
	Bytes    uint64
	MaxBytes int64
	Replicas int
	Created  time.Time

	// Alone is set where the server that leads the ledger, and answers, has not heard
	// of a majority for 3 seconds: it may have been cut off, and the others go on.
	Alone error
}

// Open creates the streams where they are missing and asserts their settings.
// It changes max_bytes of existing streams, if told to, and nothing else. The
// error is [ErrDenied] where the connection may not use JetStream.
func Open(ctx context.Context, nc *nats.Conn, o Options) (*Ledger, error) {
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(requestTimeout))
	if err != nil {
		return nil, fmt.Errorf("open the ledger: %w", err)
	}
	if err := checkLimits(o); err != nil {
		return nil, err
	}
	l := &Ledger{nc: nc, js: js}
	for _, config := range []func(Options) jetstream.StreamConfig{ledgerConfig, inboxConfig, rejectedConfig} {
		want, err := l.openStream(ctx, o, config)
		if err != nil {
			return nil, err
		}
		l.want = append(l.want, want)
	}
	// Not every server of a cluster knows at once of a stream that is new.
	unknown := func(err error) bool { return unanswered(err) || errors.Is(err, ErrNoLedger) }
	if err := patiently(ctx, unknown, l.Assert); err != nil || o.Server == nil || !o.Create {
		return l, err
	}
	l.server = o.Server
	l.server.stage()
	if err := l.Complete(ctx); err != nil {
		l.server.log().Error("a batch that was cut off cannot be completed yet: nothing is recorded until it can", slog.Any("error", err))
	}
	return l, nil
}

// openStream finds or creates one stream and returns the settings it must keep.
func (l *Ledger) openStream(ctx context.Context, o Options, config func(Options) jetstream.StreamConfig) (want jetstream.StreamConfig, err error) {
	err = patiently(ctx, unanswered, func(ctx context.Context) error {
		want, err = l.tryStream(ctx, o, config(o), config(o.withDefaults()))
		if denied := l.denied(); err != nil && denied != nil {
			return denied
		}
		return err
	})
	return want, err
}

// patiently asks again while there is no answer. Each time it waits for one no
// longer than for any request, however long the context lasts.
func patiently(ctx context.Context, unanswered func(error) bool, ask func(context.Context) error) error {
	for late, wait := time.Now().Add(openPatience), firstRetry; ; wait = min(2*wait, slowestRetry) {
		err := within(ctx, ask)
		if err == nil || !unanswered(err) || ctx.Err() != nil {
			return err
		}
		if time.Now().After(late) {
			return fmt.Errorf("%w, for %s; do all NATS servers run that are to keep it?", err, openPatience)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func within(ctx context.Context, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return ask(ctx)
}

// unanswered tells whether a server may answer later what it did not now.
func unanswered(err error) bool {
	answer, ok := errors.AsType[*jetstream.APIError](err)
	return ok && answer.ErrorCode == codeNoPeers || offline(err) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout)
}

// tryStream finds a stream, or creates it.
func (l *Ledger) tryStream(ctx context.Context, o Options, want, created jetstream.StreamConfig) (jetstream.StreamConfig, error) {
	stream, err := l.js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		if !o.Create {
			return want, fmt.Errorf("stream %s: %w", want.Name, ErrNoLedger)
		}
		if _, err = l.js.CreateStream(ctx, created); err != nil {
			return want, fmt.Errorf("create stream %s: %w", want.Name, reserved(err, created))
		}
		return created, nil
	}
	if err != nil {
		return want, jetStreamError(want.Name, err)
	}
	state := stream.CachedInfo()
	if want.Replicas == 0 {
		want.Replicas = state.Config.Replicas
	}
	if want.Name == RejectedStream {
		want.AllowAtomicPublish = state.Config.AllowAtomicPublish
	}
	if want.MaxBytes == 0 || !o.Create {
		want.MaxBytes = state.Config.MaxBytes
	}
	if want.MaxBytes != state.Config.MaxBytes {
		return want, l.resize(ctx, state, want.MaxBytes)
	}
	return want, nil
}

// resize changes max_bytes alone. Making a stream smaller than what it holds
// would throw events away.
func (l *Ledger) resize(ctx context.Context, state *jetstream.StreamInfo, maxBytes int64) error {
	if maxBytes > 0 && uint64(maxBytes) < state.State.Bytes {
		return fmt.Errorf("stream %s holds %d bytes; --max-bytes %d would lose events, give it more",
			state.Config.Name, state.State.Bytes, maxBytes)
	}
	config := state.Config
	config.MaxBytes = maxBytes
	if _, err := l.js.UpdateStream(ctx, config); err != nil {
		return fmt.Errorf("set max_bytes of stream %s to %d: %w", config.Name, maxBytes, reserved(err, config))
	}
	return nil
}

// reserved adds the mend to the error of a stream that reserves more than NATS has.
func reserved(err error, stream jetstream.StreamConfig) error {
	if answer, ok := errors.AsType[*jetstream.APIError](err); !ok || !wantsStorage(answer) {
		return err
	}
	return fmt.Errorf("%w: it reserves %d bytes; give NATS more storage (max_file_store, or the limits of the account), or the ledger fewer (--max-bytes)",
		err, stream.MaxBytes)
}

func wantsStorage(answer *jetstream.APIError) bool {
	switch answer.ErrorCode {
	case codeStorageResources, codeAccountResources, codeNoResources:
		return true
	case codeNoPeers: // of a cluster, which says in words why
		return strings.Contains(answer.Description, "insufficient storage")
	}
	return false
}

func (o Options) withDefaults() Options {
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.InboxMaxBytes == 0 {
		o.InboxMaxBytes = DefaultInboxMaxBytes
	}
	if o.Replicas == 0 {
		o.Replicas = 1
	}
	return o
}

// jetStreamError says what would mend a NATS that cannot keep a ledger.
func jetStreamError(stream string, err error) error {
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
		return fmt.Errorf("stream %s: %w; enable JetStream for this account of the NATS server", stream, err)
	}
	return fmt.Errorf("stream %s: %w", stream, err)
}

// Conn is the connection the ledger was opened on.
func (l *Ledger) Conn() *nats.Conn { return l.nc }

// Assert checks the settings of the streams against what Open left. The error
// is a [DriftError] if one differs, [ErrNoLedger] if a stream is gone.
func (l *Ledger) Assert(ctx context.Context) error {
	for _, want := range l.want {
		state, err := l.streamInfo(ctx, want.Name)
		if err != nil {
			return err
		}
		if err := drift(want, state.Config); err != nil {
			return err
		}
	}
	return nil
}

// Info asks for the state of the ledger's stream.
func (l *Ledger) Info(ctx context.Context) (Info, error) {
	state, err := l.streamInfo(ctx, Stream)
	if err != nil {
		return Info{}, err
	}
	info := Info{
		Last:     state.State.LastSeq,
		Messages: state.State.Msgs,
		Bytes:    state.State.Bytes,
		MaxBytes: state.Config.MaxBytes,
		Replicas: state.Config.Replicas,
		Created:  state.Created,
		Alone:    alone(state.Cluster),
	}
	// An empty stream says that it starts after its end.
	if info.Last > 0 {
		info.First = state.State.FirstSeq
	}
	return info, nil
}

// Head is the sequence of the last event, 0 if there is none.
func (l *Ledger) Head(ctx context.Context) (uint64, error) {
	info, err := l.Info(ctx)
	return info.Last, err
}

// heardWithin is how recently the leader of a stream must have heard from its
// replicas for none of them to be another's follower: they wait 4 seconds for a
// leader that is silent before they elect one (minElectionTimeout in nats-server).
// An idle leader is answered every one to two seconds.
const heardWithin = 3 * time.Second

// AgreedHead is the sequence of the last event that anybody can know of now. A server
// that led the ledger and was cut off from the others goes on answering for 10 to 20
// seconds, of a ledger that may have gone on without it: the error is [ErrUnknown]
// where the one that answers has not heard of a majority.
func (l *Ledger) AgreedHead(ctx context.Context) (uint64, error) {
	info, err := l.Info(ctx)
	if err != nil {
		return 0, err
	}
	if info.Alone != nil {
		return 0, fmt.Errorf("%w: %w", ErrUnknown, info.Alone)
	}
	return info.Last, nil
}

// alone is why a leader does not speak for a majority, nil where it does.
func alone(c *jetstream.ClusterInfo) error {
	if c == nil {
		return nil
	}
	heard, all := 1, len(c.Replicas)+1 // itself
	for _, r := range c.Replicas {
		if r.Active > 0 && r.Active < heardWithin { // 0 is never
			heard++
		}
	}
	if heard > all/2 {
		return nil
	}
	return fmt.Errorf("the NATS server that leads the ledger hears of %d of %d replicas", heard, all)
}

// HeadBehind is the head for who knows of an event. One before that is a lost end of
// the ledger, or the word of a server that led and does not know yet that it leads no
// more: then it is [Ledger.AgreedHead].
func (l *Ledger) HeadBehind(ctx context.Context, known uint64) (uint64, error) {
	head, err := l.Head(ctx)
	if err != nil || head >= known {
		return head, err
	}
	return l.AgreedHead(ctx)
}

// streamInfo asks the server, never a cache.
func (l *Ledger) streamInfo(ctx context.Context, name string) (*jetstream.StreamInfo, error) {
	stream, err := l.js.Stream(ctx, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, fmt.Errorf("stream %s: %w", name, ErrNoLedger)
	}
	if err != nil {
		return nil, jetStreamError(name, err)
	}
	return stream.CachedInfo(), nil
}
