package api_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"shiplog/events"
	"shiplog/projections"
	"shiplog/projections/api"
	"shiplog/projections/projectionstest"
	"shiplog/projections/readhttp"
)

func review(tool, reviewer string, verdict events.Verdict) *events.ReviewSubmitted {
	return &events.ReviewSubmitted{Review: said(tool, reviewer, verdict, reviewer+" on "+tool)}
}

func said(tool, reviewer string, verdict events.Verdict, body string) events.Review {
	return events.Review{Tool: tool, Reviewer: reviewer, Verdict: string(verdict), Body: body}
}

// panel is a ledger in which everything happens that the interface tells of.
func panel() []events.Payload {
	return []events.Payload{
		&events.ReviewerSeated{Reviewer: "builder", Name: "The Builder", Kind: events.AI, Motto: "Does it run?", Order: 1},    // 2
		&events.ReviewerSeated{Reviewer: "skeptic", Name: "The Skeptic", Order: 2},                                            // 3
		&events.ReviewerSeated{Reviewer: "founder", Name: "The Founder", Order: 3},                                            // 4
		&events.ReviewerSeated{Reviewer: "creator", Name: "The Creator", Order: 4},                                            // 5
		&events.ToolRegistered{Tool: "anvil", Name: "Anvil", Category: "forging", Tagline: "Heavy", Aliases: []string{"amb"}}, // 6
		&events.ToolRegistered{Tool: "bellows", Name: "Bellows", Category: "forging", Pricing: "paid", PricingNote: "9 a month"},
		&events.ToolRegistered{Tool: "crucible", Name: "Crucible", Homepage: "https://crucible.example/"}, // 8
		&events.ToolRegistered{Tool: "anvil-app", Name: "Anvil App"},                                      // 9
		review("anvil", "builder", events.Ship),                                                           // 10
		review("anvil", "skeptic", events.Ship),
		review("anvil", "founder", events.Ship), // 12: Pending → Ship
		review("bellows", "builder", events.Ship),
		review("bellows", "skeptic", events.Skip),
		review("bellows", "founder", events.Skip),                                                                            // 15: Pending → Skip
		&events.ReviewRevised{Review: said("anvil", "skeptic", events.Skip, "It broke *twice*."), Revision: 2, Replaces: 11}, // 16: lone dissent
		review("bellows", "creator", events.Abstain),
		review("crucible", "builder", events.Ship), // 18
		&events.ReviewWithdrawn{Tool: "crucible", Reviewer: "builder", Reason: "wrong tool"},
		&events.MatchupOpened{Left: "bellows", Right: "anvil"}, // 20
		&events.MatchupOpened{Left: "anvil", Right: "crucible"},
		&events.ReplyPublished{Tool: "anvil", Author: "Anvil Inc.", Body: "Fixed since."}, // 22
		review("anvil-app", "creator", events.Ship),
		&events.ToolMerged{Tool: "anvil-app", Into: "anvil", Reason: "one product"}, // 24
		&events.ReviewerUnseated{Reviewer: "founder", Reason: "moved on"},
		&events.ToolRegistered{Tool: "dross", Name: "Dross"}, // 26
		&events.ToolRetired{Tool: "dross", Reason: "closed"}, // 27
	}
}

// A site is the interface over HTTP, on a ledger that can grow unseen.
type site struct {
	url    string
	ledger *projectionstest.Ledger
	model  *projections.Model
}

func (s *site) position() uint64 {
	seq, _ := s.model.Position()
	return seq
}

func serve(t *testing.T, payloads ...events.Payload) *site {
	t.Helper()
	s := &site{ledger: projectionstest.Given(t, payloads...)}
	s.model = projectionstest.Model(t, s.ledger)
	mux := http.NewServeMux()
	_, err := api.New(mux, api.Options{
		Gate: readhttp.New(readhttp.Options{
			Model: s.model, Position: s.position, Head: s.ledger.Head,
			WaitFor: func(ctx context.Context, seq uint64) error {
				return s.model.Apply(ctx, s.ledger.Events(t, s.position()+1, seq))
			},
		}),
		Events:  s.read,
		Write:   http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }),
		BaseURL: "https://panel.example/",
		Title:   "The Panel",
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *site) read(ctx context.Context, from, to uint64, fn func(uint64, []byte) error) error {
	for seq := from; seq <= to; seq++ {
		raw, err := s.ledger.Get(ctx, seq)
		if err != nil {
			return err
		}
		if err := fn(seq, raw); err != nil {
			return err
		}
	}
	return nil
}

// ask sends one request and does not follow redirects.
func (s *site) ask(t *testing.T, method, path string, header ...string) (*http.Response, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, body
}

// get reads a body that must be there.
func get[T any](t *testing.T, s *site, path string) T {
	t.Helper()
	var v T
	resp, body := s.ask(t, "GET", path)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %d %s", path, resp.StatusCode, body)
	}
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	return v
}
