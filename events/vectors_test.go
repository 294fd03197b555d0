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
	Submission  string       `json:"submission,omitempty"` // as sent; none for event 1
	Input       string       `json:"input,omitempty"`
	Salt        string       `json:"salt"`
	InputHash   string       `json:"inputhash"`
	PrevLeaf    string       `json:"prevleaf"`
	Stored      string       `json:"stored"`
	Commitments []commitment `json:"commitments"`
	LeafInput   string       `json:"leafinput"` // without the byte 0x00 before it
	Leaf        string       `json:"leaf"`
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
	if len(all.Events) != 3 {
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
		if v.Submission != "" {
			sent := object(t, v.Submission)
			content := map[string]any{"type": sent["type"], "data": sent["data"]}
			if sent["time"] != nil {
				content["time"] = sent["time"]
			}
			if got := string(canonical(t, content)); got != v.Input {
				t.Errorf("event %d: input\n%s\nwant\n%s", v.Seq, got, v.Input)
			}
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
	opened := &events.LedgerOpened{Ledger: "0190a5b2-7c1e-7d00-8000-00000000abcd", Authority: "ledger.example", Title: "The panel", Description: "What we would ship."}
	sent := []string{
		`{"type":"shiplog.tool.registered.v1","specversion":"1.0","source":"/panel","id":"t1","data":{"tool":"ferrule","name":"Ferrule 日本","tagline":null,"aliases":["ferule"]}}`,
		`{ "specversion": "1.0", "id": "r\u0031", "source": "/panel", "type": "shiplog.review.submitted.v1", "time": "2026-05-02T11:30:00+02:00", "zone": "eu",
  "data": { "verdict": "ship", "tool": "ferrule", "reviewer": "skeptic", "body": "Halved.\u000a\"Really\"\u0000, \ud83d\ude80 <b>\u00e9\/", "pros": ["fast", "hon\u0065st"], "cons": [], "expects": 0, "reviewer_name": "The Skeptic" } }`,
	}
	all := vectors{About: "A chain of three events and how they are hashed; events/schema/README.md tells how to compute it. The bytes of input, stored, value and leafinput are those of the strings in UTF-8."}
	list := []*events.Event{{ID: "opened", Source: "/shiplog/ledger", Data: opened, Publisher: "shiplog"}}
	inputs := []string{""}
	for _, raw := range sent {
		s, ps := events.Parse([]byte(raw))
		if len(ps) > 0 {
			t.Fatal(ps)
		}
		list = append(list, &events.Event{ID: s.ID, Source: s.Source, Time: s.Time, Extensions: s.Extensions, Data: s.Data, Publisher: "local"})
		inputs = append(inputs, string(s.Input))
	}
	var prev events.Hash
	for i, e := range list {
		e.RecordedTime = time.Date(2026, 5, 2, 9, 30, i, 5e6, time.UTC)
		if e.Time == "" {
			e.Time = e.RecordedTime.Format(events.TimeFormat)
		}
		e.PrevLeaf = prev
		for j := range e.Salt {
			e.Salt[j] = byte(i<<4 | j)
		}
		e.InputHash = events.InputHash(e.Salt, []byte(inputs[i]))
		v := vector{Seq: i + 1, Input: inputs[i], Salt: hex.EncodeToString(e.Salt[:]), InputHash: e.InputHash.String(), PrevLeaf: prev.String(), Stored: string(e.AppendCanonical(nil))}
		if i > 0 {
			v.Submission = sent[i-1]
		}
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
