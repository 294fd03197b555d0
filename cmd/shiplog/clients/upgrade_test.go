//go:build clients

package clients_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"shiplog/cmd/shiplog/process"
)

// A node that starts on the read model of an earlier version shows that, without
// an error, until it has built its own, killed as often as may be; writes go on,
// and then the pages are what this version makes of them.
func TestClientUpgrade(t *testing.T) {
	data, site := t.TempDir(), "--base-url=https://reviews.example"
	n := start(t, data, site)
	for batch := range 20 {
		submitBatch(t, n, batch, 1000)
	}
	settle(t, n)
	paths := []string{"/tools/tool-1", "/tools/tool-2", "/feeds/tools/tool-1.atom"} // what comes later does not show there
	before := map[string][]byte{}
	for _, path := range paths {
		before[path] = get(t, n.Base+path)
	}
	if err := n.Stop(); err != nil {
		t.Fatal(err)
	}
	asOfEarlier(t, filepath.Join(data, "panel", "panel-1.db"))
	met := 0
	for round := range rounds(4, 20) {
		n = start(t, data, site)
		if bytes.Contains(get(t, n.Base+"/tools/tool-1"), []byte("as it was")) {
			met++
		}
		within(t, time.Minute, "the new one has grown, or is in use", func() bool {
			size, err := builtSize(data)
			return err != nil || size >= int64(round)<<20
		})
		n.Kill()
	}
	if met == 0 {
		t.Error("the earlier model was never shown")
	}
	n = start(t, data, site)
	stop := readsOn(t, n)
	for i := range 20 {
		id := fmt.Sprintf("meanwhile-%d", i)
		if _, ok := post(t.Context(), n.Base, review(id, "meanwhile", id)); !ok {
			t.Error("an event is not taken meanwhile")
		}
	}
	within(t, time.Minute, "the new model is in use", func() bool {
		files, err := filepath.Glob(filepath.Join(data, "panel", "panel-*.db"))
		return err == nil && len(files) == 1 && !strings.HasSuffix(files[0], "panel-1.db")
	})
	settle(t, n)
	stop()
	for _, path := range paths {
		if !bytes.Equal(before[path], get(t, n.Base+path)) {
			t.Errorf("%s is not what this version makes of it", path)
		}
	}
	shiplog(t, 0, "verify", "--ops-url", n.Ops)
}

// builtSize is how large the model is that is being built beside the first one.
func builtSize(data string) (int64, error) {
	if _, err := os.Stat(filepath.Join(data, "panel", "panel-1.db")); err != nil {
		return 0, err
	}
	info, err := os.Stat(filepath.Join(data, "panel", "panel-2.db-wal"))
	if err != nil {
		return 0, nil // not begun
	}
	return info.Size(), nil
}

// asOfEarlier makes a file what an earlier version would have left.
func asOfEarlier(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{`UPDATE tool_versions SET name = 'as it was' WHERE name = 'Tool tool-1'`, `DROP INDEX reviews_items`, `PRAGMA user_version = 1`} {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// readsOn reads pages until it is stopped: each is there, and none is older than
// the one before.
func readsOn(t *testing.T, n *process.Node) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		newest := uint64(0)
		for ctx.Err() == nil {
			resp, err := http.Get(n.Base + "/tools/tool-1")
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
			seq, err := strconv.ParseUint(resp.Header.Get("Shiplog-Seq"), 10, 64)
			if resp.StatusCode != http.StatusOK || err != nil || seq < newest {
				t.Errorf("a reader met %s at %q, after %d", resp.Status, resp.Header.Get("Shiplog-Seq"), newest)
				return
			}
			newest = seq
		}
	})
	return func() {
		cancel()
		wg.Wait()
	}
}
