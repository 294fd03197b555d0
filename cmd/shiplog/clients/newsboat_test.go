//go:build clients

package clients_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"shiplog/cmd/shiplog/process"
	"shiplog/events/ledger/ledgertest"
)

// A boat is newsboat with a cache of its own.
type boat struct {
	t           *testing.T
	urls, cache string
}

func newBoat(t *testing.T, addresses ...string) *boat {
	t.Helper()
	dir := t.TempDir()
	b := &boat{t: t, urls: filepath.Join(dir, "urls"), cache: filepath.Join(dir, "cache.db")}
	if err := os.WriteFile(b.urls, []byte(strings.Join(addresses, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return b
}

// unread reloads and counts.
func (b *boat) unread() int {
	b.t.Helper()
	out, _ := run(b.t, 0, "newsboat", "-u", b.urls, "-c", b.cache, "-C", "/dev/null", "-x", "reload", "print-unread")
	n, err := strconv.Atoi(strings.Fields(out)[0])
	if err != nil {
		b.t.Fatalf("newsboat says %q", out)
	}
	return n
}

// publish sends events, each given by its type and data.
func publish(t *testing.T, n *process.Node, id string, events ...[2]string) {
	t.Helper()
	var lines strings.Builder
	for i, e := range events {
		fmt.Fprintf(&lines, `{"specversion":"1.0","id":"%s-%d","source":"/test","type":"shiplog.%s.v1","data":%s}`+"\n", id, i, e[0], e[1])
	}
	file := filepath.Join(t.TempDir(), "events.jsonl")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	shiplog(t, 0, "submit", "--to", n.Base, file)
	settle(t, n)
}

func says(reviewer, tool, verdict, body string) [2]string {
	return [2]string{"review.submitted", fmt.Sprintf(
		`{"tool":%q,"tool_name":"The %s","reviewer":%q,"reviewer_name":"Reviewer %s","verdict":%q,"body":%q}`,
		tool, tool, reviewer, reviewer, verdict, body)}
}

// What is new is unread once; what is not new never is.
func TestClientNewsboatUnread(t *testing.T) {
	data, addr := t.TempDir(), ledgertest.ReserveAddr(t)
	n := start(t, data, "--http", addr)
	publish(t, n, "first",
		says("ann", "hammer", "ship", "It drives nails."), says("ben", "hammer", "ship", "It does."), says("cid", "hammer", "skip", "Too loud."),
		says("ann", "mallet", "skip", "It does not drive nails."), says("ben", "mallet", "skip", "No."), says("cid", "mallet", "ship", "Quiet."),
	)
	b := newBoat(t, n.Base+"/feeds/matchups.atom", n.Base+"/feeds/verdicts.rss", n.Base+"/feeds/reviews.atom")
	// Six reviews and two verdicts.
	want := b.unread()
	if want < 8 {
		t.Fatalf("%d unread at first, want 8 or more", want)
	}
	restart := func(flags ...string) {
		if err := n.Stop(); err != nil {
			t.Fatal(err)
		}
		n = start(t, data, append([]string{"--http", addr}, flags...)...)
		settle(t, n)
	}
	for _, step := range []struct {
		name string
		do   func()
		more int
	}{
		{"nothing", func() {}, 0},
		{"a matchup", func() { publish(t, n, "matchup", [2]string{"matchup.opened", `{"left":"hammer","right":"mallet"}`}) }, 1},
		// Each is a review that changes its verdict, and a verdict.
		{"a flip", func() { publish(t, n, "flip", says("ben", "hammer", "skip", "The handle broke.")) }, 2},
		{"a flip back", func() { publish(t, n, "back", says("ben", "hammer", "ship", "A new handle.")) }, 2},
		{"a typo", func() { publish(t, n, "typo", says("ann", "hammer", "ship", "It drives nails!")) }, 0},
		{"a rename", func() {
			publish(t, n, "rename", [2]string{"tool.registered", `{"tool":"hammer","name":"Claw hammer"}`})
		}, 0},
		{"a restart", func() { restart() }, 0},
		{"a new address", func() { restart("--base-url", "https://panel.example") }, 0},
		{"a rebuild", func() {
			if err := n.Stop(); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(filepath.Join(data, "panel")); err != nil {
				t.Fatal(err)
			}
			n = start(t, data, "--http", addr)
			settle(t, n)
		}, 0},
	} {
		step.do()
		want += step.more
		if got := b.unread(); got != want {
			t.Errorf("after %s %d unread, want %d", step.name, got, want)
			want = got
		}
	}
}
