package events_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"shiplog/events"
)

// vectors are what testdata/vectors.json holds: a chain of events, with each
// step of how they are hashed. schema/README.md tells how to compute them.
type vectors struct {
	About  string   `json:"about"`
	Events []vector `json:"events"`
}

type vector struct {
	Seq         int          `json:"seq"`
	Submission  string       `json:"submission,omitempty"` // as sent; none for what Shiplog records itself
	Input       string       `json:"input"`
	Salt        string       `json:"salt"`
	InputHash   string       `json:"inputhash"`
	PrevLeaf    string       `json:"prevleaf"`
	Stored      string       `json:"stored"`
	Commitments []commitment `json:"commitments"`
	LeafInput   string       `json:"leafinput"` // without the byte 0x00 before it
	Leaf        string       `json:"leaf"`

	event *events.Event // it is made from
}

type commitment struct {
	Path       string `json:"path"`
	Value      string `json:"value"`
	Commitment string `json:"commitment"`
}

var vectorsFile = filepath.Join("testdata", "vectors.json")

// TestVectors computes the published vectors from the submissions and the
// stored bytes with nothing of this package, and holds Decode to them.
func TestVectors(t *testing.T) {
	if *update {
		writeVectors(t)
	}
	var all vectors
	if err := json.Unmarshal(read(t, vectorsFile), &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Events) != 4 {
		t.Fatalf("%d events", len(all.Events))
	}
	prev := hex.EncodeToString(make([]byte, 32))
	for _, v := range all.Events {
		salt := unhex(t, v.Salt)
		stored := object(t, v.Stored)
		if string(canonical(t, stored)) != v.Stored {
			t.Errorf("event %d: stored is not canonical", v.Seq)
		}
		if v.PrevLeaf != prev || stored["prevleaf"] != prev {
			t.Errorf("event %d: the chain is broken", v.Seq)
		}
		if got := v.input(t, stored); got != v.Input {
			t.Errorf("event %d: input\n%s\nwant\n%s", v.Seq, got, v.Input)
		}
		if got := hex.EncodeToString(mac(salt, []byte(v.Input))); got != v.InputHash || stored["inputhash"] != got || stored["salt"] != v.Salt {
			t.Errorf("event %d: inputhash %s", v.Seq, got)
		}
		v.commitments(t, stored, salt)
		delete(stored, "salt")
		input := canonical(t, stored)
		if string(input) != v.LeafInput {
			t.Errorf("event %d: leaf input\n%s\nwant\n%s", v.Seq, input, v.LeafInput)
		}
		leaf := sha256.Sum256(append([]byte{0}, input...))
		if prev = hex.EncodeToString(leaf[:]); prev != v.Leaf {
			t.Errorf("event %d: leaf %s, want %s", v.Seq, prev, v.Leaf)
		}
		e, err := events.Decode(uint64(v.Seq), []byte(v.Stored))
		if err != nil || e.Leaf.String() != v.Leaf {
			t.Errorf("event %d: decoded leaf %v, %v", v.Seq, e, err)
		}
	}
}

// input is the canonical content of what was sent, or of what Shiplog recorded
// itself: of a derived event with the time of its cause.
func (v vector) input(t *testing.T, stored map[string]any) string {
	t.Helper()
	from := stored
	if v.Submission != "" {
		from = object(t, v.Submission)
	}
	content := map[string]any{"type": from["type"], "data": from["data"]}
	if from["time"] != nil && (v.Submission != "" || stored["cause"] != nil) {
		content["time"] = from["time"]
	}
	return string(canonical(t, content))
}

// commitments puts the commitments of v in the place of its erasable values.
func (v vector) commitments(t *testing.T, stored map[string]any, salt []byte) {
	t.Helper()
	data := stored["data"].(map[string]any)
	var got []commitment
	for _, name := range []string{"author", "body", "condition", "cons", "description", "disclosure", "evidence", "lens", "motto", "name", "pros", "reason"} {
		value, found := data[name]
		if !found {
			continue
		}
		c := commitment{Path: "/data/" + name, Value: string(canonical(t, value))}
		c.Commitment = hex.EncodeToString(mac(salt, []byte(c.Path), []byte{0}, []byte(c.Value)))
		data[name] = map[string]any{"commitment": c.Commitment}
		got = append(got, c)
	}
	if !slices.Equal(got, v.Commitments) {
		t.Errorf("event %d: commitments\n%v\nwant\n%v", v.Seq, got, v.Commitments)
	}
}

func mac(key []byte, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	for _, part := range parts {
		h.Write(part)
	}
	return h.Sum(nil)
}

func canonical(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	value := jsontext.Value(raw)
	if err := value.Canonicalize(); err != nil {
		t.Fatal(err)
	}
	return value
}

func object(t *testing.T, raw string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(raw), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// writeVectors makes the file anew. Its content is only ever added to: other
// programs are tested against it.
func writeVectors(t *testing.T) {
	t.Helper()
	all := vectors{About: "A chain of events and how they are hashed; events/schema/README.md tells how to compute it. The bytes of input, stored, value and leafinput are those of the strings in UTF-8."}
	var prev events.Hash
	for i, v := range vectorEvents(t) {
		e := v.event
		e.RecordedTime = time.Date(2026, 5, 2, 9, 30, i, 5e6, time.UTC)
		if e.Time == "" {
			e.Time = e.RecordedTime.Format(events.TimeFormat)
		}
		e.PrevLeaf = prev
		for j := range e.Salt {
			e.Salt[j] = byte(i<<4 | j)
		}
		e.InputHash = events.InputHash(e.Salt, []byte(v.Input))
		v.Seq, v.Salt, v.InputHash, v.PrevLeaf = i+1, hex.EncodeToString(e.Salt[:]), e.InputHash.String(), prev.String()
		v.Stored = string(e.AppendCanonical(nil))
		v.fill(t, e)
		prev = e.Leaf
		all.Events = append(all.Events, v)
	}
	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	write(t, vectorsFile, append(raw, '\n'))
}

// vectorEvents are the opening of a ledger, a tool, and a review that seats its
// reviewer: that registration is recorded before it.
func vectorEvents(t *testing.T) []vector {
	t.Helper()
	const id = "0190a5b2-7c1e-7d00-8000-00000000abcd"
	opened := &events.LedgerOpened{Ledger: id, Authority: "ledger.example", Title: "The panel", Description: "What we would ship."}
	tool := vectorOf(t, `{"type":"shiplog.tool.registered.v1","specversion":"1.0","source":"/panel","id":"t1","data":{"tool":"ferrule","name":"Ferrule 日本","tagline":null,"aliases":["ferule"]}}`)
	review := vectorOf(t, `{ "specversion": "1.0", "id": "r\u0031", "source": "/panel", "type": "shiplog.review.submitted.v1", "time": "2026-05-02T11:30:00+02:00", "zone": "eu",
  "data": { "verdict": "ship", "tool": "ferrule", "reviewer": "skeptic", "body": "Halved.\u000a\"Really\"\u0000, \ud83d\ude80 <b>\u00e9\/", "pros": ["fast", "hon\u0065st"], "cons": [], "expects": 0, "reviewer_name": "The Skeptic" } }`)
	seated := &events.ReviewerSeated{Reviewer: "skeptic", Name: "The Skeptic"}
	when := review.event.Time
	return []vector{
		{Input: string(events.InputOf(opened, "")), event: &events.Event{ID: id, Source: "/shiplog/intake", Publisher: "shiplog", Data: opened}},
		tool,
		{Input: string(events.InputOf(seated, when)), event: &events.Event{ID: "reviewer/skeptic", Source: "/shiplog/intake", Time: when, Publisher: "shiplog", Cause: 4, Data: seated}},
		review,
	}
}

func vectorOf(t *testing.T, raw string) vector {
	t.Helper()
	s, ps := events.Parse([]byte(raw))
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	e := &events.Event{ID: s.ID, Source: s.Source, Time: s.Time, Extensions: s.Extensions, Data: s.Data, Publisher: "local"}
	return vector{Submission: raw, Input: string(s.Input), event: e}
}

// fill computes what the package does not tell.
func (v *vector) fill(t *testing.T, e *events.Event) {
	t.Helper()
	stored := object(t, v.Stored)
	data := stored["data"].(map[string]any)
	for _, f := range events.Fields(e.Data) {
		value, found := data[f.Name]
		if !f.Erasable || !found {
			continue
		}
		c := commitment{Path: "/data/" + f.Name, Value: string(canonical(t, value))}
		c.Commitment = hex.EncodeToString(mac(e.Salt[:], []byte(c.Path), []byte{0}, []byte(c.Value)))
		data[f.Name] = map[string]any{"commitment": c.Commitment}
		v.Commitments = append(v.Commitments, c)
	}
	delete(stored, "salt")
	v.LeafInput = string(canonical(t, stored))
	v.Leaf = e.Leaf.String()
}
