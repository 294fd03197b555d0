//go:build clients

package clients_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"shiplog/cmd/shiplog/process"
)

// A blockDisk is an ext4 file system on a loop device, which needs root. Unlike one
// in memory it can fail and hang. The device stays for as long as the test, as a
// disk does: what checks the file system reads what the kernel wrote to it, and not
// a file that the kernel writes behind its back.
type blockDisk struct {
	t           *testing.T
	device, dir string
}

func aBlockDisk(t *testing.T) *blockDisk {
	t.Helper()
	image := filepath.Join(t.TempDir(), "image")
	d := &blockDisk{t: t, dir: filepath.Join(t.TempDir(), "disk")}
	if err := os.Mkdir(d.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	d.do("truncate", "-s", "256M", image)
	out, err := exec.Command("losetup", "--find", "--show", image).Output()
	if err != nil {
		t.Fatalf("losetup: %v; this test needs root", err)
	}
	d.device = strings.TrimSpace(string(out))
	t.Cleanup(func() { d.do("losetup", "--detach", d.device) })
	d.do("mkfs.ext4", "-q", "-F", d.device)
	d.mount()
	t.Cleanup(func() { _ = syscall.Unmount(d.dir, 0) })
	return d
}

func (d *blockDisk) do(name string, args ...string) {
	d.t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		d.t.Fatalf("%s %s: %v; this test needs root\n%s", name, strings.Join(args, " "), err, out)
	}
}

func (d *blockDisk) mount() {
	d.t.Helper()
	d.do("mount", "-o", "errors=remount-ro", d.device, d.dir)
}

// startWithModel runs a node that has nothing but its read model on the disk.
func (d *blockDisk) startWithModel(data string, flags ...string) *process.Node {
	d.t.Helper()
	if err := os.Symlink(d.dir, filepath.Join(data, "panel")); err != nil {
		d.t.Fatal(err)
	}
	return start(d.t, data, flags...)
}

// fail has the file system find that it is damaged, upon which it becomes
// read-only at once, for files that are open, too.
func (d *blockDisk) fail() {
	d.t.Helper()
	trigger := filepath.Join("/sys/fs/ext4", filepath.Base(d.device), "trigger_fs_error")
	if err := os.WriteFile(trigger, []byte("1"), 0o200); err != nil {
		d.t.Fatal(err)
	}
}

// repair does what an operator does next.
func (d *blockDisk) repair() {
	d.t.Helper()
	d.do("umount", d.dir)
	_ = exec.Command("e2fsck", "-fy", d.device).Run() // it says 1 for what it has mended
	d.mount()
}

// hang has every write wait until the end that is returned is called.
func (d *blockDisk) hang() (end func()) {
	d.t.Helper()
	d.do("fsfreeze", "--freeze", d.dir)
	done := false
	end = func() {
		if !done {
			done = true
			d.do("fsfreeze", "--unfreeze", d.dir)
		}
	}
	d.t.Cleanup(end)
	return end
}

// A disk that becomes read-only under a node takes nothing more: submissions are
// refused, pages stay, and after the repair all that was accepted is there.
func TestClientReadOnlyDisk(t *testing.T) {
	disk := aBlockDisk(t)
	data := filepath.Join(disk.dir, "data")
	n := start(t, data, "--min-free", "1")
	l := startLoad(n, "read-only", 500)
	within(t, time.Minute, "there is load", func() bool { return l.accepted() > 200 })
	disk.fail()
	within(t, time.Minute, "submissions are refused", func() bool {
		body, after, ok := l.refusal(http.StatusServiceUnavailable)
		if strings.Contains(body, disk.dir) {
			t.Fatalf("strangers are told where files lie: %s", body)
		}
		return ok && strings.Contains(body, "read-only") && after != ""
	})
	eventually(t, "health says why", func() bool {
		ok, detail := finding(t, n, "store")
		return !ok && strings.Contains(detail, "read-only")
	})
	if status, _ := fetch(t, n.Base+"/tools"); status != http.StatusOK {
		t.Errorf("pages are answered %d", status)
	}
	l.stop()
	n.Kill()
	disk.repair()
	n = start(t, data)
	goesOn(t, n, l.receipts)
	shiplog(t, 0, "verify", "--ops-url", n.Ops)
	if err := n.Stop(); err != nil {
		t.Error(err)
	}
}

// A disk that does not answer makes nobody wait for ever: health says what hangs,
// submissions are answered, and all goes on when it answers again.
func TestClientHangingDisk(t *testing.T) {
	disk := aBlockDisk(t)
	n := start(t, filepath.Join(disk.dir, "data"), "--min-free", "1")
	l := startLoad(n, "hanging", 500)
	within(t, time.Minute, "there is load", func() bool { return l.accepted() > 200 })
	end := disk.hang()
	within(t, time.Minute, "health says what hangs", func() bool {
		ok, detail := finding(t, n, "disk")
		return !ok && strings.Contains(detail, "does not answer")
	})
	within(t, time.Minute, "submissions are refused", func() bool {
		body, after, ok := l.refusal(http.StatusServiceUnavailable)
		return ok && strings.Contains(body, "the disk of the ledger gives no answer; send again") && after != ""
	})
	if body, _, _ := l.refusal(http.StatusServiceUnavailable); strings.Contains(body, "full") {
		t.Errorf("a disk that hangs is called full: %s", body)
	}
	if status, _ := fetch(t, n.Base+"/tools"); status != http.StatusOK {
		t.Errorf("pages are answered %d", status)
	}
	end()
	before := l.accepted()
	within(t, time.Minute, "events are accepted again", func() bool { return l.accepted() > before+50 })
	l.stop()
	goesOn(t, n, l.receipts)
	if err := n.Stop(); err != nil {
		t.Error(err)
	}
}

// A node on a disk that gives no answer ends before what runs it kills it, and says
// what it left behind. Its process is gone when the disk lets go of it.
func TestClientStopOnAHangingDisk(t *testing.T) {
	const killedAfter = 30 * time.Second
	disk := aBlockDisk(t)
	path := filepath.Join(t.TempDir(), "log")
	cmd := exec.Command(program, "serve", "--data", filepath.Join(disk.dir, "data"), "--min-free", "1",
		"--http", "127.0.0.1:0", "--ops", "127.0.0.1:0", "--nats-listen", "off", "--log-format", "json")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cmd.Stderr = file
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	// line waits until the log has a message.
	line := func(limit time.Duration, msg string) (found struct{ Level, Msg, HTTP, Part, Error string }) {
		within(t, limit, msg, func() bool {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for text := range strings.Lines(string(raw)) {
				if decode(t, []byte(text), &found); found.Msg == msg {
					return true
				}
			}
			return false
		})
		return found
	}
	base := "http://" + line(time.Minute, "serving").HTTP
	if _, ok := post(t.Context(), base, review("1", "awl", "before")); !ok {
		t.Fatal("nothing is recorded")
	}
	end := disk.hang()
	go post(t.Context(), base, review("2", "awl", "it hangs"))
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	line(killedAfter, "ended, but not everything was stopped")
	if left := line(killedAfter, "not stopped"); left.Level != "ERROR" || left.Part == "" || !strings.Contains(left.Error, "left behind") {
		t.Errorf("left behind: %+v", left)
	}
	end()
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 2 {
		t.Errorf("it ended with %v", err)
	}
}

// A projection that hangs, here since the disk its file is on does, is named, and
// its lag is told; what comes is recorded all the same.
func TestClientHangingProjection(t *testing.T) {
	disk := aBlockDisk(t)
	n := disk.startWithModel(t.TempDir())
	receipts := map[string]uint64{}
	record := func(from, to int) {
		for i := from; i < to; i++ {
			id := fmt.Sprintf("h-%d", i)
			seq, ok := post(t.Context(), n.Base, review(id, "tool-1", id))
			if !ok {
				t.Fatalf("%s is not recorded", id)
			}
			receipts[id] = seq
		}
	}
	record(0, 5)
	settle(t, n)
	end := disk.hang()
	record(5, 15)
	within(t, time.Minute, "health says what hangs", func() bool {
		ok, detail := finding(t, n, "read model")
		return !ok && strings.Contains(detail, "it hangs") && strings.Contains(detail, "10 behind")
	})
	if lag := metric(t, n, `shiplog_projection_lag_events{projection="panel"}`); lag != 10 {
		t.Errorf("%v events behind, want 10", lag)
	}
	if age := metric(t, n, `shiplog_projection_lag_seconds{projection="panel"}`); age < 10 || age > 120 {
		t.Errorf("%v seconds behind", age)
	}
	if status, _ := fetch(t, n.Base+"/tools"); status != http.StatusOK {
		t.Errorf("pages are answered %d", status)
	}
	end()
	goesOn(t, n, receipts)
	if lag := metric(t, n, `shiplog_projection_lag_seconds{projection="panel"}`); lag != 0 {
		t.Errorf("%v seconds behind at the head", lag)
	}
	if err := n.Stop(); err != nil {
		t.Error(err)
	}
}
