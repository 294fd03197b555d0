//go:build clients

package clients_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"shiplog/cmd/shiplog/process"
)

// A loss of power takes, beside the process, what the server had staged in memory.
// The events of one submission are there together all the same: here a tool, a
// reviewer and a review.
func TestClientPowerLoss(t *testing.T) {
	data := t.TempDir()
	staged := filepath.Join(data, "nats", "jetstream", "SHIPLOG", "streams", "SHIPLOG_LEDGER", "batches")
	receipts := map[string]uint64{}
	for round := range rounds(8, 50) {
		n := start(t, data)
		memory, err := os.Readlink(staged)
		if err != nil {
			t.Fatalf("batches are not staged in memory: %v", err)
		}
		loadUntilKilled(t, n, receipts, func(client, i int) (id, event string) {
			id = fmt.Sprintf("p%d-c%d-%d", round, client, i)
			return id, fmt.Sprintf(`{"specversion":"1.0","id":%q,"source":"/test","type":"shiplog.review.submitted.v1",`+
				`"data":{"tool":%[1]q,"tool_name":"A tool","reviewer":%[1]q,"reviewer_name":"Somebody","verdict":"ship","body":"Said at once."}}`, id)
		})
		if err := os.RemoveAll(memory); err != nil {
			t.Fatal(err)
		}
	}
	n := start(t, data)
	settle(t, n)
	holdReceipts(t, n, receipts)
	shiplog(t, 0, "verify", "--ops-url", n.Ops)
	if types := eventTypes(t, n); types["tool.registered"] != types["review.submitted"] || types["reviewer.seated"] != types["review.submitted"] {
		t.Errorf("submissions are there in part: %v", types)
	}
	if err := n.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(staged); !os.IsNotExist(err) {
		t.Errorf("the link into memory is left (%v)", err)
	}
}

// eventTypes counts the ledger's events.
func eventTypes(t *testing.T, n *process.Node) map[string]int {
	t.Helper()
	types := map[string]int{}
	for after := uint64(0); ; {
		var page struct {
			Events []struct{ Event struct{ Type string } }
			Next   *uint64
		}
		decode(t, get(t, fmt.Sprintf("%s/api/v1/events?after=%d&limit=1000", n.Base, after)), &page)
		for _, e := range page.Events {
			types[e.Event.Type[len("shiplog."):len(e.Event.Type)-len(".v1")]]++
		}
		if page.Next == nil {
			return types
		}
		after = *page.Next
	}
}
