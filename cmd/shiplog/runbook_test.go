package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"shiplog/events/ledger/ledgertest"
)

// A runbook is run by what stands in it: lines that are indented by four spaces
// are for a shell, but those that stop and start the node or set it up.
type runbook struct {
	t     *testing.T
	dir   string
	app   *App
	flags []string // of the node
	env   []string
}

// blocks are the commands of a section of a page.
func blocks(t *testing.T, page, section string) (lines []string) {
	t.Helper()
	_, text, found := strings.Cut("\n"+page, "\n"+section+"\n")
	if !found {
		t.Fatalf("there is no section %s", section)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	for line := range strings.Lines(text) {
		if command, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "    "); ok {
			lines = append(lines, command)
		}
	}
	if len(lines) == 0 {
		t.Fatalf("section %s has no commands", section)
	}
	return lines
}

// follow does what a section says.
func (r *runbook) follow(page, section string) {
	r.t.Helper()
	for _, line := range blocks(r.t, page, section) {
		switch {
		case line == "systemctl stop shiplog":
			r.stop()
		case line == "systemctl start shiplog":
			r.start()
		case strings.HasPrefix(line, "CLUSTER="):
			cluster := ledgertest.URLs(ledgertest.NewCluster(r.t))
			r.env = append(r.env, "CLUSTER="+cluster)
		case strings.HasPrefix(line, "echo SHIPLOG_NATS=$CLUSTER "):
			r.flags = append(r.flags, "--nats", strings.TrimPrefix(r.env[len(r.env)-1], "CLUSTER="))
		default:
			r.shell(line)
		}
	}
}

func (r *runbook) shell(line string) {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "sh", "-euc", line)
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(), r.env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// start starts the node, and waits until its pages show all.
func (r *runbook) start(flags ...string) {
	r.t.Helper()
	app, err := startApp(r.t.Context(), filepath.Join(r.dir, "data"), slices.Concat(r.flags, flags)...)
	if err != nil {
		r.t.Fatal(err)
	}
	r.app = app
	head, err := app.ledger.Head(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), waitTime)
	defer cancel()
	if err := app.runner.WaitFor(ctx, head); err != nil {
		r.t.Fatal(err)
	}
}

func (r *runbook) stop() {
	r.t.Helper()
	if r.app == nil {
		return
	}
	if err := r.app.Stop(); err != nil {
		r.t.Error(err)
	}
	r.app = nil
}

// pages are what readers see.
func (r *runbook) pages() string {
	r.t.Helper()
	var all strings.Builder
	for _, path := range []string{"/", "/tools", "/tools/ferrule", "/compare", "/reviewers", "/feeds/reviews.atom", "/feeds/verdicts.rss", "/feeds/matchups.json", "/api/v1/events?limit=1000"} {
		_, body := answerOf(r.t, "http://"+r.app.Addr()+path)
		all.WriteString(body)
	}
	return all.String()
}

// TestBackupRunbook does what ops/runbooks/backup.md says, section by section.
func TestBackupRunbook(t *testing.T) {
	raw, err := os.ReadFile("../../ops/runbooks/backup.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	ops := ledgertest.ReserveAddr(t)
	r := &runbook{
		t: t, dir: t.TempDir(), env: []string{"SHIPLOG_OPS_URL=http://" + ops, "DATA=data", "BACKUP=backup.jsonl.gz"},
		flags: []string{"--base-url", "https://reviews.example.org", "--http", ledgertest.ReserveAddr(t), "--ops", ops},
	}
	r.start("--demo")
	t.Cleanup(r.stop)
	r.follow(page, "## Back up")
	before := r.pages()
	for _, section := range []string{"## Check a backup", "## Restore", "## Upgrade", "## Move an embedded ledger to a cluster"} {
		r.follow(page, section)
		if r.pages() != before {
			t.Errorf("%s: readers see something else than before", section)
		}
	}
	if r.app.server != nil {
		t.Error("the node still has a ledger of its own")
	}
}

// With the systemd unit (DynamicUser=) the data directory is a link to where it is.
func TestRestoreBehindALink(t *testing.T) {
	raw, err := os.ReadFile("../../ops/runbooks/backup.md")
	if err != nil {
		t.Fatal(err)
	}
	ops := ledgertest.ReserveAddr(t)
	r := &runbook{
		t: t, dir: t.TempDir(), env: []string{"SHIPLOG_OPS_URL=http://" + ops, "DATA=data", "BACKUP=backup.jsonl.gz"},
		flags: []string{"--base-url", "https://reviews.example.org", "--http", ledgertest.ReserveAddr(t), "--ops", ops},
	}
	behind := filepath.Join(r.dir, "private", "data")
	if err := os.MkdirAll(behind, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("private", "data"), filepath.Join(r.dir, "data")); err != nil {
		t.Fatal(err)
	}
	r.start("--demo")
	t.Cleanup(r.stop)
	r.follow(string(raw), "## Back up")
	before := r.pages()
	r.follow(string(raw), "## Restore")
	if r.pages() != before {
		t.Error("readers see something else than before")
	}
	if to, err := os.Readlink(filepath.Join(r.dir, "data")); err != nil || to != filepath.Join("private", "data") {
		t.Errorf("the data directory is no link any more, or one to %q (%v)", to, err)
	}
	for _, nats := range []string{filepath.Join(behind, "nats"), filepath.Join(r.dir, "data.damaged", "nats")} {
		if _, err := os.Stat(nats); err != nil {
			t.Errorf("a ledger is not where it should be: %v", err)
		}
	}
}
