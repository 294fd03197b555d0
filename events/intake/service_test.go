package intake_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"github.com/prometheus/client_golang/prometheus"

	"shiplog/events"
	"shiplog/events/intake"
	"shiplog/events/intake/intaketest"
	"shiplog/events/ledger"
	"shiplog/events/ledger/ledgertest"
)

// A node is an intake over a ledger on a server that guests can reach.
type node struct {
	in     *intake.Intake
	ledger *ledger.Ledger
	guest  *nats.Conn
}

func newNode(t testing.TB, o intake.Options) node {
	t.Helper()
	server := ledgertest.NewServer(t)
	l := ledgertest.Open(t, ledgertest.Connect(t, server))
	return node{intaketest.Open(t, l, o), l, ledgertest.Guest(t, server)}
}

func (n node) serve(t *testing.T, o intake.ServiceOptions) *intake.Service {
	t.Helper()
	s, err := intake.StartService(n.in, n.ledger.Conn(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// promised is when a service answers at the latest, whatever the ledger does, with
// a moment for the way.
const promised = 35 * time.Second

// request sends a message as a guest; headers are "Name: value".
func (n node) request(t *testing.T, body []byte, headers ...string) *nats.Msg {
	t.Helper()
	reply, err := n.guest.RequestMsg(message(ledger.SubmitPrefix+"local", body, headers...), promised)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

func message(subject string, body []byte, headers ...string) *nats.Msg {
	msg := nats.NewMsg(subject)
	msg.Data = body
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		msg.Header[name] = append(msg.Header[name], value)
	}
	return msg
}

func receiptOf(t *testing.T, msg *nats.Msg) intake.Receipt {
	t.Helper()
	var r intake.Receipt
	if err := json.Unmarshal(msg.Data, &r); err != nil {
		t.Fatalf("%v in %s", err, msg.Data)
	}
	return r
}

func TestServiceReceipts(t *testing.T) {
	n := newNode(t, intake.Options{})
	n.serve(t, intake.ServiceOptions{})
	first := intaketest.Review("r1", "smolvm", "builder", "ship", "It works.")
	tests := []struct {
		name    string
		body    []byte
		headers []string
		want    intake.Receipt
		problem events.Code
	}{
		{"structured", first, []string{"content-type: application/cloudevents+json"}, intake.Receipt{
			Status: "accepted", Recorded: true, ID: "r1", Source: "/test", Seq: 4, Type: "shiplog.review.submitted.v1",
			Also: []intake.Also{{2, "shiplog.tool.registered.v1"}, {3, "shiplog.reviewer.seated.v1"}},
		}, ""},
		{"bare JSON", first, nil, intake.Receipt{
			Status: "duplicate", Recorded: true, ID: "r1", Source: "/test", Seq: 4, Type: "shiplog.review.submitted.v1",
		}, ""},
		{"binary", []byte(`{"tool":"firebox","name":"Firebox"}`), []string{
			"CE-SpecVersion: 1.0", "Ce-Id: t1", "ce-source: /test", "ce-type: shiplog.tool.registered.v1", "Content-Type: application/json",
		}, intake.Receipt{Status: "accepted", Recorded: true, ID: "t1", Source: "/test", Seq: 5, Type: "shiplog.tool.registered.v1"}, ""},
		{"binary without content type", []byte(`{"tool":"firebox"}`), []string{
			"ce-specversion: 1.0", "ce-id: t2", "ce-source: /test", "ce-type: shiplog.tool.retired.v1",
		}, intake.Receipt{Status: "accepted", Recorded: true, ID: "t2", Source: "/test", Seq: 6, Type: "shiplog.tool.retired.v1"}, ""},
		{"binary, whatever the content type says", []byte(`{"tool":"firebox","name":"Firebox"}`), []string{
			"ce-specversion: 1.0", "ce-id: t4", "ce-source: /test", "ce-type: shiplog.tool.registered.v1", "content-type: application/cloudevents+json",
		}, intake.Receipt{Status: "accepted", Recorded: true, ID: "t4", Source: "/test", Seq: 7, Type: "shiplog.tool.registered.v1"}, ""},
		{"no JSON", []byte("hello"), nil, intake.Receipt{Status: "rejected"}, events.CodeInvalidJSON},
		{"nothing", nil, nil, intake.Receipt{Status: "rejected"}, events.CodeInvalidJSON},
		{"truncated batch", []byte("[{"), nil, intake.Receipt{Status: "rejected"}, events.CodeInvalidJSON},
		{
			"conflict", intaketest.Review("r1", "smolvm", "builder", "skip", "It broke."), nil,
			intake.Receipt{Status: "rejected", ID: "r1", Source: "/test"},
			events.CodeConflict,
		},
		{
			"unknown tool", intaketest.Event("t3", "tool.retired", map[string]string{"tool": "nosuch"}), nil,
			intake.Receipt{Status: "rejected", ID: "t3", Source: "/test"},
			events.CodeUnknownTool,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := receiptOf(t, n.request(t, tt.body, tt.headers...))
			if tt.problem != "" && !got.Problems.Has(tt.problem) {
				t.Errorf("no problem %s: %+v", tt.problem, got)
			}
			got.Problems = nil
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("receipt (-want +got):\n%s", diff)
			}
		})
	}
	for _, e := range intaketest.Events(t, n.ledger)[1:] {
		if !e.Derived() && e.Publisher != "local" {
			t.Errorf("event %d: publisher %q, want local", e.Seq, e.Publisher)
		}
	}
}

func TestServiceBatch(t *testing.T) {
	n := newNode(t, intake.Options{})
	n.serve(t, intake.ServiceOptions{})
	list := make([][]byte, 1000)
	for i := range list {
		slug := "t" + strconv.Itoa(i)
		list[i] = intaketest.Event(slug, "tool.registered", map[string]string{"tool": slug, "name": slug})
	}
	list[7] = []byte(`{"id":"bad"}`)
	var receipts []intake.Receipt
	if err := json.Unmarshal(n.request(t, array(list...)).Data, &receipts); err != nil {
		t.Fatal(err)
	}
	statuses := map[string]int{}
	for _, r := range receipts {
		statuses[r.Status]++
	}
	if diff := cmp.Diff(map[string]int{"accepted": 999, "rejected": 1}, statuses); diff != "" || receipts[7].ID != "bad" {
		t.Errorf("receipts (-want +got):\n%s", diff)
	}
	// A request may have 8 MiB, as over HTTP.
	for i := range list {
		list[i] = intaketest.Review("large-"+strconv.Itoa(i), "t0", "builder", "ship", strconv.Itoa(i)+strings.Repeat(" x", 4050))
	}
	large := array(list...)
	if len(large) < 8_000_000 || len(large) > events.MaxRequest {
		t.Fatalf("the request has %d bytes", len(large))
	}
	receipts = nil
	if err := json.Unmarshal(n.request(t, large).Data, &receipts); err != nil {
		t.Fatal(err)
	}
	if len(receipts) != 1000 || !receipts[0].OK() || !receipts[999].OK() {
		t.Errorf("%d receipts, the last %+v", len(receipts), receipts[len(receipts)-1])
	}
	// So much is wrong that the receipts would not fit in a message.
	terrible := []byte(`{"id":"x","data":1` + strings.Repeat(" ", 200))
	for i := range 120 {
		terrible = append(terrible, `,"UNKNOWN_ATTRIBUTE_OF_A_LONG_NAME_`+strconv.Itoa(i)+`":{}`...)
	}
	terrible = append(terrible, '}')
	receipts = nil
	if err := json.Unmarshal(n.request(t, array(bytes.Split(bytes.Repeat(append(terrible, '\n'), 1000), []byte("\n"))[:1000]...)).Data, &receipts); err != nil {
		t.Fatal(err)
	}
	if len(receipts) != 1000 || len(receipts[999].Problems) != 1 {
		t.Errorf("%d receipts, the last %+v", len(receipts), receipts[len(receipts)-1])
	}
}

func TestServiceErrors(t *testing.T) {
	refusal := &intake.Refusal{Reason: "the disk is nearly full"}
	n := newNode(t, intake.Options{Admit: func() *intake.Refusal { return refusal }})
	s := n.serve(t, intake.ServiceOptions{})
	event := intaketest.Event("x", "tool.registered", map[string]string{"tool": "a", "name": "a"})
	reply := n.request(t, event)
	want := intake.Receipt{Status: "error", ID: "x", Source: "/test", Problems: events.Problems{{Code: events.CodeUnavailable, Detail: refusal.Reason}}}
	if diff := cmp.Diff(want, receiptOf(t, reply)); diff != "" {
		t.Errorf("receipt (-want +got):\n%s", diff)
	}
	if reply.Header.Get(micro.ErrorCodeHeader) != "503" || reply.Header.Get(micro.ErrorHeader) != refusal.Reason {
		t.Errorf("headers %v", reply.Header)
	}
	var receipts []intake.Receipt
	if err := json.Unmarshal(n.request(t, array(event, []byte("{}"))).Data, &receipts); err != nil || len(receipts) != 2 {
		t.Errorf("%d receipts, %v", len(receipts), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	reply, err := n.guest.Request(ledger.SubmitPrefix+"local", event, 10*time.Second)
	if err == nil && receiptOf(t, reply).Status != "error" {
		t.Errorf("answered %s after Close", reply.Data)
	}
}

func TestServiceIsShown(t *testing.T) {
	n := newNode(t, intake.Options{})
	n.serve(t, intake.ServiceOptions{Version: "1.2.3", Metadata: map[string]string{"build": "v1.2.3-4-gabcdef"}})
	reply, err := n.guest.Request("$SRV.INFO.shiplog", nil, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	var info micro.Info
	if err := json.Unmarshal(reply.Data, &info); err != nil {
		t.Fatal(err)
	}
	if info.Version != "1.2.3" || info.Metadata["build"] != "v1.2.3-4-gabcdef" || len(info.Endpoints) != 1 || info.Endpoints[0].Subject != "shiplog.submit.*" {
		t.Errorf("info %s", reply.Data)
	}
}

// TestServiceBusy sends more at once than is taken: each is answered.
func TestServiceBusy(t *testing.T) {
	reg := prometheus.NewRegistry()
	n := newNode(t, intake.Options{Registerer: reg})
	n.serve(t, intake.ServiceOptions{Requests: 2})
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			for i := range 20 {
				id := "t" + strconv.Itoa(i)
				r := receiptOf(t, n.request(t, intaketest.Event(id, "tool.registered", map[string]string{"tool": id, "name": id})))
				if !r.OK() && r.Status != "error" {
					t.Errorf("receipt %+v", r)
				}
			}
		})
	}
	all.Wait()
	total := 0.0
	for outcome := range map[string]int{"accepted": 20, "duplicate": 0, "error": 0} {
		total += counter(t, reg, "shiplog_submissions_total", "nats", outcome)
	}
	if total != 64*20 {
		t.Errorf("%v submissions counted, want %d", total, 64*20)
	}
}

// counter reads a metric that has the labels via and outcome, or none.
func counter(t *testing.T, reg *prometheus.Registry, name string, labels ...string) float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			if len(labels) == 0 {
				return m.GetGauge().GetValue() + m.GetCounter().GetValue()
			}
			if m.GetLabel()[0].GetValue() == labels[1] && m.GetLabel()[1].GetValue() == labels[0] {
				return m.GetCounter().GetValue()
			}
		}
	}
	t.Fatalf("no metric %s%v", name, labels)
	return 0
}
