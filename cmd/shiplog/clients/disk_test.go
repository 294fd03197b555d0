//go:build clients

package clients_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"shiplog/cmd/shiplog/process"
)

// aDisk is a disk of its own, in memory, which needs root.
func aDisk(t *testing.T, mib int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm", mib)); err != nil {
		t.Fatalf("mount a tmpfs: %v; this test needs root", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return dir
}

// A ballast takes space on a disk.
type ballast struct {
	t    *testing.T
	path string
	size int64
}

// occupy takes so many MiB of a disk, all that is there for -1.
func occupy(t *testing.T, disk string, mib int64) *ballast {
	t.Helper()
	b := &ballast{t: t, path: filepath.Join(disk, "ballast")}
	f, err := os.Create(b.path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for block := make([]byte, 64<<10); mib < 0 || b.size < mib<<20; {
		n, err := f.Write(block)
		b.size += int64(n)
		if err != nil && mib >= 0 {
			t.Fatal(err)
		}
		if err != nil {
			break
		}
	}
	return b
}

// giveBack gives some of the space back, all of it for -1.
func (b *ballast) giveBack(kib int64) {
	b.t.Helper()
	if b.size -= kib << 10; kib < 0 || b.size < 0 {
		b.size = 0
	}
	if err := os.Truncate(b.path, b.size); err != nil {
		b.t.Fatal(err)
	}
}

// A load sends reviews from several clients and keeps the receipts.
type load struct {
	mu       sync.Mutex
	receipts map[string]uint64
	refused  map[int]string // the last answer of each status
	after    map[int]string // its Retry-After
	stop     func()
}

func startLoad(n *process.Node, name string, bytes int) *load {
	ctx, cancel := context.WithCancel(context.Background())
	l := &load{receipts: map[string]uint64{}, refused: map[int]string{}, after: map[int]string{}}
	var wg sync.WaitGroup
	for client := range 4 {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				list := make([]string, 1+i%3*20) // singly, and in batches that are recorded as a whole
				for k := range list {
					id := fmt.Sprintf("%s-c%d-%d-%d", name, client, i, k)
					list[k] = review(id, fmt.Sprintf("tool-%d-%d", client, k), id+strings.Repeat(" and so on", bytes/10))
				}
				l.send(ctx, n, list)
			}
		})
	}
	l.stop = func() {
		cancel()
		wg.Wait()
	}
	return l
}

func (l *load) send(ctx context.Context, n *process.Node, list []string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.Base+"/api/v1/events", strings.NewReader("["+strings.Join(list, ",")+"]"))
	if err != nil {
		return
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return
	}
	var receipts []struct {
		ID       string
		Recorded bool
		Seq      uint64
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if json.Unmarshal(body, &receipts) == nil {
		for _, r := range receipts {
			if r.Recorded {
				l.receipts[r.ID] = r.Seq
			}
		}
	}
	if resp.StatusCode/100 != 2 {
		l.refused[resp.StatusCode], l.after[resp.StatusCode] = string(body), resp.Header.Get("Retry-After")
	}
}

func (l *load) refusal(status int) (body, retryAfter string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	body, ok = l.refused[status]
	return body, l.after[status], ok
}

func (l *load) accepted() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.receipts)
}

// within waits longer than eventually does.
func within(t *testing.T, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(limit)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("not within %s: %s", limit, what)
		case <-tick.C:
		}
	}
}

// finding is what readiness says of one thing.
func finding(t *testing.T, n *process.Node, name string) (ok bool, detail string) {
	t.Helper()
	_, body := fetch(t, n.Ops+"/readyz")
	var answer struct {
		Checks []struct {
			Name, Detail string
			OK           bool
		}
	}
	decode(t, body, &answer)
	for _, c := range answer.Checks {
		if c.Name == name {
			return c.OK, c.Detail
		}
	}
	t.Fatalf("readiness says nothing of %q: %s", name, body)
	return false, ""
}

// goesOn waits until a node takes events again, and holds it to the receipts.
func goesOn(t *testing.T, n *process.Node, receipts map[string]uint64) {
	t.Helper()
	id := fmt.Sprintf("goes-on-%d", len(receipts))
	within(t, time.Minute, "it takes events again", func() bool {
		seq, ok := post(t.Context(), n.Base, review(id, "goes-on", id))
		if ok {
			receipts[id] = seq
		}
		return ok
	})
	within(t, time.Minute, "it is ready", func() bool {
		status, _ := fetch(t, n.Ops+"/readyz")
		return status == http.StatusOK
	})
	settle(t, n)
	holdReceipts(t, n, receipts)
}

// A disk that fills up is noticed before the server's store fails: submissions
// are refused with a reason, and taken again once there is room.
func TestClientDiskGuard(t *testing.T) {
	disk := aDisk(t, 384)
	ballast := occupy(t, disk, 200)
	n := start(t, filepath.Join(disk, "data"), "--min-free", "64MiB")
	l := startLoad(n, "guard", 10_000)
	within(t, 2*time.Minute, "submissions are refused", func() bool {
		body, after, ok := l.refusal(http.StatusServiceUnavailable)
		return ok && strings.Contains(body, "of the disk are free") && after != ""
	})
	if ok, detail := finding(t, n, "store"); !ok {
		t.Errorf("the store has failed first: %s", detail)
	}
	eventually(t, "health is red", func() bool {
		ok, _ := finding(t, n, "disk")
		return !ok
	})
	l.stop()
	ballast.giveBack(-1)
	goesOn(t, n, l.receipts)
}

// A disk that something else fills up to its last byte freezes the server's
// store. Nothing that was accepted is lost, nothing is accepted falsely, and once
// there is room the node goes on by itself.
func TestClientFullDisk(t *testing.T) {
	disk := aDisk(t, 256)
	n := start(t, filepath.Join(disk, "data"), "--min-free", "1")
	l := startLoad(n, "full", 2000)
	within(t, time.Minute, "there is load", func() bool {
		return l.accepted() > 500
	})
	ballast := occupy(t, disk, -1)
	// What comes by the inbox is stored before anything of Shiplog's is asked.
	nc, err := nats.Connect(n.NATS)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	k := 0
	within(t, time.Minute, "the store fails", func() bool {
		ballast.giveBack(16) // some for a write to begin with, that has no room to end
		k++
		id := fmt.Sprintf("inbox-%d", k)
		if err := nc.Publish("shiplog.inbox.local", []byte(review(id, "inbox", id+strings.Repeat(" and so on", 5000)))); err != nil {
			t.Fatal(err)
		}
		ok, detail := finding(t, n, "store")
		return !ok && strings.Contains(detail, "cannot be written")
	})
	within(t, time.Minute, "submissions are refused", func() bool {
		body, after, ok := l.refusal(http.StatusServiceUnavailable)
		return ok && strings.Contains(body, "cannot be written") && after != ""
	})
	if status, _ := fetch(t, n.Base+"/tools"); status != http.StatusOK {
		t.Errorf("pages are answered %d", status)
	}
	ballast.giveBack(-1)
	before := l.accepted()
	within(t, time.Minute, "events are accepted again", func() bool {
		return l.accepted() > before+50
	})
	l.stop()
	goesOn(t, n, l.receipts)
	if err := n.Stop(); err != nil {
		t.Fatal(err)
	}
	n = start(t, filepath.Join(disk, "data"))
	goesOn(t, n, l.receipts)
}

// Where the disk of the read model alone is full, health and refusals say what to
// do. Pages stay, and it goes on by itself once there is room.
func TestClientFullModelDisk(t *testing.T) {
	disk, data := aDisk(t, 64), t.TempDir()
	if err := os.Symlink(disk, filepath.Join(data, "panel")); err != nil {
		t.Fatal(err)
	}
	n := start(t, data)
	l := startLoad(n, "model", 1000)
	within(t, time.Minute, "there is load", func() bool { return l.accepted() > 200 })
	ballast := occupy(t, disk, -1)
	within(t, time.Minute, "health says what to do", func() bool {
		ok, detail := finding(t, n, "read model")
		return !ok && strings.Contains(detail, "no room for panel-1.db") && strings.Contains(detail, "make some on its disk")
	})
	if status, _ := fetch(t, n.Base+"/tools"); status != http.StatusOK {
		t.Errorf("pages are answered %d", status)
	}
	within(t, time.Minute, "submissions are refused with the reason", func() bool {
		body, after, ok := l.refusal(http.StatusServiceUnavailable)
		return ok && strings.Contains(body, "make some on its disk") && after != ""
	})
	l.stop()
	ballast.giveBack(-1)
	goesOn(t, n, l.receipts)
	if err := n.Stop(); err != nil {
		t.Error(err)
	}
}
