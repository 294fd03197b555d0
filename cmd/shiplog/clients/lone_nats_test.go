//go:build clients

package clients_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"shiplog/events"
)

// buildNATS returns where the server is.
func buildNATS(t *testing.T) string {
	t.Helper()
	file, err := natsProgram()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// A loneNATS is one NATS server that is a process, as an operator runs it.
type loneNATS struct {
	URL string
	cmd *exec.Cmd
}

// startLoneNATS runs one that syncs always, until the test ends.
func startLoneNATS(t *testing.T) *loneNATS {
	t.Helper()
	dir := t.TempDir()
	config := fmt.Sprintf("listen: \"127.0.0.1:-1\"\nports_file_dir: %q\njetstream { store_dir: %q, sync_interval: always, max_file_store: 1TB }\n", dir, filepath.Join(dir, "data"))
	file := filepath.Join(dir, "nats.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &loneNATS{cmd: exec.Command(buildNATS(t), "--config", file)}
	var log bytes.Buffer
	s.cmd.Stdout, s.cmd.Stderr = &log, &log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	eventually(t, "the NATS server says where it listens", func() bool {
		raw, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("nats-server_%d.ports", s.cmd.Process.Pid)))
		var ports struct{ NATS []string }
		if err != nil || json.Unmarshal(raw, &ports) != nil || len(ports.NATS) == 0 {
			return false
		}
		s.URL = ports.NATS[0]
		return true
	})
	return s
}

// kill ends it as a power cut would.
func (s *loneNATS) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// appendNewer writes an event of a version that is yet to come into a ledger, as a
// newer node would.
func appendNewer(t *testing.T, url string) {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "SHIPLOG_LEDGER")
	if err != nil {
		t.Fatal(err)
	}
	info, err := stream.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last, err := stream.GetMsg(t.Context(), info.State.LastSeq)
	if err != nil {
		t.Fatal(err)
	}
	before, err := events.Decode(last.Sequence, last.Data)
	if err != nil {
		t.Fatal(err)
	}
	e := &events.Event{
		Seq: last.Sequence + 1, ID: "newer", Source: "/shiplog/newer", Time: "2026-11-30T09:00:00Z", RecordedTime: before.RecordedTime,
		Publisher: "shiplog", PrevLeaf: before.Leaf, Data: &events.ToolRetired{Tool: "awl"},
	}
	raw := bytes.Replace(e.AppendCanonical(nil), []byte("retired.v1"), []byte("retired.v9"), 1)
	if _, err := js.Publish(t.Context(), e.LedgerSubject(), raw); err != nil {
		t.Fatal(err)
	}
}
