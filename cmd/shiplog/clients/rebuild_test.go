//go:build clients

package clients_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shiplog/cmd/shiplog/process"
)

// A node that is killed while it rebuilds comes back with what was in use,
// wherever it was, and a rebuild that is left alone ends as if nothing had been.
func TestClientKilledRebuild(t *testing.T) {
	data, site := t.TempDir(), "--base-url=https://reviews.example"
	n := start(t, data, site)
	for batch := range 20 {
		submitBatch(t, n, batch, 1000)
	}
	settle(t, n)
	paths := []string{"/", "/tools", "/tools/tool-1", "/compare", "/reviewers", "/feeds/reviews.atom", "/feeds/matchups.json"}
	before := map[string][]byte{}
	for _, path := range paths {
		before[path] = get(t, n.Base+path)
	}
	for turn := range rounds(8, 48) {
		round := turn % 8
		status, body := post0(t, n.Ops+"/admin/v1/rebuild")
		if status != http.StatusAccepted {
			t.Fatalf("rebuild: %d %s", status, body)
		}
		part, least := "panel", uint64(round)*4000
		if round >= 4 {
			part, least = "decisions", uint64(round-4)*4000
		}
		within(t, time.Minute, fmt.Sprintf("%s is rebuilt up to %d", part, least), func() bool { return rebuiltTo(t, n, part, least) })
		n.Kill()
		n = start(t, data, site)
		for _, path := range paths {
			if !bytes.Equal(before[path], get(t, n.Base+path)) {
				t.Errorf("round %d: %s is not as it was", round, path)
			}
		}
		if seq, ok := post(t.Context(), n.Base, review("b0-0", "tool-0", "Said in b0-0.")); ok && seq > 20*1000 {
			t.Errorf("round %d: what is recorded was recorded again", round)
		}
	}
	stdout, _ := shiplog(t, 0, "rebuild", "--ops-url", n.Ops)
	if !strings.Contains(stdout, "Rebuilt panel and decisions") {
		t.Errorf("rebuild says %s", stdout)
	}
	for _, path := range paths {
		if !bytes.Equal(before[path], get(t, n.Base+path)) {
			t.Errorf("%s differs after a rebuild", path)
		}
	}
	for _, left := range []string{"panel/panel-*.db", "decisions/state-*"} {
		if files, err := filepath.Glob(filepath.Join(data, left)); err != nil || len(files) != 1 {
			t.Errorf("left behind: %v %v", files, err)
		}
	}
}

// submitBatch records many reviews at once.
func submitBatch(t *testing.T, n *process.Node, batch, size int) {
	t.Helper()
	list := make([]string, size)
	for i := range list {
		id := fmt.Sprintf("b%d-%d", batch, i)
		list[i] = review(id, fmt.Sprintf("tool-%d", i%200), "Said in "+id+".")
	}
	file := filepath.Join(t.TempDir(), "events.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(list, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	shiplog(t, 0, "submit", "--to", n.Base, file)
}

// post0 posts nothing.
func post0(t *testing.T, url string) (int, []byte) {
	t.Helper()
	resp, err := http.Post(url, "", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, body.Bytes()
}

// rebuiltTo tells whether a part of a rebuild has come so far, or further.
func rebuiltTo(t *testing.T, n *process.Node, part string, least uint64) bool {
	t.Helper()
	var now struct {
		State string
		Parts []struct {
			Name     string
			Position uint64
			Done     bool
		}
	}
	decode(t, get(t, n.Ops+"/admin/v1/rebuild"), &now)
	if now.State != "running" {
		return true
	}
	seen := false
	for _, p := range now.Parts {
		seen = seen || p.Name == part
		if seen && (p.Done || p.Position > 0 && p.Position >= least) {
			return true
		}
	}
	return false
}
