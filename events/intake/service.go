package intake

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"shiplog/events"
	"shiplog/events/ledger"
	"shiplog/events/tracing"
)

// ServiceOptions configure [StartService]. The zero value is usable.
type ServiceOptions struct {
	// Version of the service as NATS shows it, "0.0.0" when empty. It must be a
	// semantic version.
	Version string
	// Metadata is shown beside it, such as the version of a program that has no
	// semantic one.
	Metadata map[string]string
	// Requests and Bytes bound what is answered at once, 1,024 and 32 MiB when
	// zero.
	Requests int64
	Bytes    int64
	// Remote says why what comes by NATS does not count as coming from this
	// machine, "" when it does. It is then held to what a token may write.
	Remote string
	// Tracer makes a span of each request; nil makes none.
	Tracer *tracing.Tracer
}

// answerTimeout is when a request is answered at the latest, whatever the
// ledger does.
const answerTimeout = 30 * time.Second

// unavailableCode marks an answer that is no receipt of anything.
const unavailableCode = "503"

// Service answers requests to shiplog.submit.<publisher> with the receipt of
// the one event they carry, or an array of receipts for a batch. It is a NATS
// micro service, one of a queue group on all nodes.
type Service struct {
	in       *Intake
	nc       *nats.Conn
	opts     ServiceOptions
	micro    micro.Service
	requests atomic.Int64
	bytes    atomic.Int64

	mu      sync.Mutex // held while open is added to
	closing bool
	open    sync.WaitGroup
}

// StartService starts to answer. Close the service before the intake ends.
func StartService(in *Intake, nc *nats.Conn, o ServiceOptions) (*Service, error) {
	if o.Version == "" {
		o.Version = "0.0.0"
	}
	if o.Requests == 0 {
		o.Requests = 1024
	}
	if o.Bytes == 0 {
		o.Bytes = 32 << 20
	}
	s := &Service{in: in, nc: nc, opts: o}
	service, err := micro.AddService(nc, micro.Config{
		Name: "shiplog", Version: o.Version,
		Description: "Records events in the Shiplog ledger and answers with receipts",
		Metadata:    o.Metadata,
	})
	if err != nil {
		return nil, fmt.Errorf("start the NATS service: %w", err)
	}
	s.micro = service
	err = service.AddEndpoint("submit", micro.HandlerFunc(s.handle), micro.WithEndpointSubject(ledger.SubmitPrefix+"*"))
	if err != nil {
		return nil, fmt.Errorf("start the NATS service: %w", err)
	}
	// Requests are taken from here on, not a moment later.
	if err := nc.FlushTimeout(answerTimeout); err != nil {
		return nil, fmt.Errorf("start the NATS service: %w", err)
	}
	return s, nil
}

// Close takes no more requests and returns when those that came are answered.
func (s *Service) Close() error {
	err := s.micro.Stop()
	// Requests that are here already may come up to now and are refused from
	// now on.
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.open.Wait()
	if err != nil {
		return fmt.Errorf("stop the NATS service: %w", err)
	}
	return nil
}

// handle is called for one request after the other. It never waits: requests
// would queue up where nothing bounds them.
func (s *Service) handle(r micro.Request) {
	size := int64(len(r.Data()))
	if s.requests.Add(1) > s.opts.Requests || s.bytes.Add(size) > s.opts.Bytes {
		s.done(size)
		s.respond(r, failed(nil, busy().Reason))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		s.done(size)
		s.respond(r, failed(nil, shuttingDown))
		return
	}
	s.open.Go(func() {
		defer s.done(size)
		s.answer(r)
	})
}

func (s *Service) done(size int64) {
	s.requests.Add(-1)
	s.bytes.Add(-size)
}

func (s *Service) answer(r micro.Request) {
	m, _ := parseMessage(r.Subject(), nats.Header(r.Headers()), r.Data())
	if m.fail != nil {
		s.respond(r, reject(nil, m.fail.Problems))
		return
	}
	permit{remote: s.opts.Remote}.restrict(m.items)
	ctx, span := s.opts.Tracer.Receive(context.Background(), tracing.Header(r.Headers()), tracing.Submit, tracing.Server, tracing.Received(r.Subject())...)
	defer span.End()
	m.follow(tracing.Of(ctx))
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	receipts, err := s.in.Submit(ctx, m.items, false)
	tracing.Fail(span, err)
	if err != nil {
		reason := refusal(err).Detail
		receipts = make([]Receipt, len(m.items))
		for i, item := range m.items {
			receipts[i] = failed(item.Submission, reason)
		}
	}
	if m.batch {
		s.respondAll(r, receipts)
		return
	}
	s.respond(r, receipts[0])
}

// respond answers with one receipt; an error is also marked as such for tools
// that know services but not Shiplog.
func (s *Service) respond(r micro.Request, receipt Receipt) {
	s.in.Count(viaNATS, receipt)
	body := encode(receipt)
	if receipt.Status == StatusError {
		_ = r.Error(unavailableCode, receipt.Problems.Error(), body)
		return
	}
	_ = r.Respond(body) // nobody is left to tell
}

func (s *Service) respondAll(r micro.Request, receipts []Receipt) {
	s.in.Count(viaNATS, receipts...)
	body := encode(receipts)
	if int64(len(body)) > s.nc.MaxPayload() {
		// Rather less of what is wrong than no answer at all.
		for i := range receipts {
			receipts[i].Problems = receipts[i].Problems[:min(1, len(receipts[i].Problems))]
		}
		body = encode(receipts)
	}
	if int64(len(body)) > s.nc.MaxPayload() {
		body = encode(failed(nil, "the receipts are larger than one message; send fewer events in a request"))
	}
	if batchStatus(receipts) == http.StatusServiceUnavailable {
		_ = r.Error(unavailableCode, receiptError(receipts), body)
		return
	}
	_ = r.Respond(body)
}

// receiptError is the first problem of receipts of which none is a success.
func receiptError(receipts []Receipt) string {
	for _, r := range receipts {
		if r.Status == StatusError {
			return r.Problems.Error()
		}
	}
	return string(events.CodeUnavailable)
}

// encode writes a receipt or receipts as JSON; they always can be.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n")
}
