package ops

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/pprof"
	"os"
	"runtime"
	"runtime/trace"
	"strconv"
	"strings"
	"sync"
	"time"

	"shiplog/events/redact"
)

// ProfileOptions say what of the process is recorded all the time, for a
// profile to be had afterwards. The zero value records nothing.
type ProfileOptions struct {
	// Flight is how much of the past the flight recorder holds; 0 does not start
	// it.
	Flight time.Duration
	// MutexFraction has one of so many events of contention be profiled, and
	// BlockRate one blocking event for each so much time blocked.
	MutexFraction int
	BlockRate     time.Duration
}

// Profiles are the profiles of the process, which has one set of them.
type Profiles struct {
	flight flight
}

// StartProfiles begins to record.
func StartProfiles(o ProfileOptions) (*Profiles, error) {
	runtime.SetMutexProfileFraction(o.MutexFraction)
	runtime.SetBlockProfileRate(int(o.BlockRate))
	p := new(Profiles)
	if o.Flight == 0 {
		return p, nil
	}
	return p, p.flight.start(o.Flight)
}

// Close ends the recording.
func (p *Profiles) Close() {
	p.flight.stop()
	runtime.SetMutexProfileFraction(0)
	runtime.SetBlockProfileRate(0)
}

func (p *Profiles) register(mux *http.ServeMux) {
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /debug/flight", p.flight.dump)
	mux.HandleFunc("PUT /debug/flight", p.flight.begin)
	mux.HandleFunc("DELETE /debug/flight", p.flight.end)
}

// cmdline answers as [pprof.Cmdline] does, but without what lets one in elsewhere.
func cmdline(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	args := make([]string, len(os.Args))
	for i, arg := range os.Args {
		args[i] = redact.Argument(arg)
	}
	_, _ = io.WriteString(w, strings.Join(args, "\x00")) // a client that has gone needs no answer
}

// A flight is the flight recorder: it holds an execution trace of the last
// moments, to be looked at when something has just been slow.
type flight struct {
	mu       sync.Mutex
	recorder *trace.FlightRecorder // nil while it is off
}

// MaxFlight is the longest past that the flight recorder can be asked for.
const MaxFlight = time.Minute

// The bounds of what is recorded.
const (
	flightAge   = 5 * time.Second
	flightBytes = 64 << 20
)

func (f *flight) start(age time.Duration) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.recorder != nil {
		f.recorder.Stop()
	}
	f.recorder = trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: age, MaxBytes: flightBytes})
	if err := f.recorder.Start(); err != nil {
		f.recorder = nil
		return fmt.Errorf("start the flight recorder: %w", err)
	}
	return nil
}

// stop reports whether it was on.
func (f *flight) stop() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.recorder == nil {
		return false
	}
	f.recorder.Stop()
	f.recorder = nil
	return true
}

// begin switches the recorder on, for the last ?seconds=.
func (f *flight) begin(w http.ResponseWriter, r *http.Request) {
	age := flightAge
	if text := r.URL.Query().Get("seconds"); text != "" {
		seconds, err := strconv.ParseFloat(text, 64)
		if age = time.Duration(seconds * float64(time.Second)); err != nil || age <= 0 || age > MaxFlight {
			problem(w, &Refusal{Status: http.StatusBadRequest, Detail: fmt.Sprintf("seconds must be a number above 0, at most %.0f; got %.20q", MaxFlight.Seconds(), text)})
			return
		}
	}
	if err := f.start(age); err != nil {
		problem(w, &Refusal{Status: http.StatusConflict, Detail: err.Error()})
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"recording": true, "seconds": age.Seconds()})
}

func (f *flight) end(w http.ResponseWriter, _ *http.Request) {
	if !f.stop() {
		problem(w, errNoFlight)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

var errNoFlight = &Refusal{
	Status: http.StatusConflict,
	Detail: "the flight recorder is off; PUT /debug/flight switches it on now, serve --flight-recorder 5s from the start",
}

// dump answers with what was recorded, for `go tool trace`.
func (f *flight) dump(w http.ResponseWriter, _ *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.recorder == nil {
		problem(w, errNoFlight)
		return
	}
	var held bytes.Buffer // at most about flightBytes
	if _, err := f.recorder.WriteTo(&held); err != nil {
		problem(w, errors.Join(errors.New("the flight recorder cannot be read"), err))
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", `attachment; filename="shiplog.trace"`)
	h.Set("Content-Length", strconv.Itoa(held.Len()))
	_, _ = w.Write(held.Bytes())
}
