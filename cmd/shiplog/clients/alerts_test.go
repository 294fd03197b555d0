//go:build clients

package clients_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"shiplog/cmd/shiplog/process"
)

// Whatever is wrong with a node, a real Prometheus names it, and beside that only
// what the alert's runbook calls its consequences. The rules are those that are
// shipped, sixty times as fast.
func TestClientPrometheusAlerts(t *testing.T) {
	t.Run("NATS is killed", func(t *testing.T) {
		t.Parallel()
		nats := startLoneNATS(t)
		n := start(t, t.TempDir(), "--demo", "--nats", nats.URL, "--replicas", "1")
		settle(t, n)
		onlyFires(t, n, "ShiplogNATSDisconnected", nats.kill)
	})
	t.Run("the disk fills up", func(t *testing.T) {
		t.Parallel()
		disk := aDisk(t, 256)
		n := start(t, filepath.Join(disk, "data"), "--demo", "--min-free", "32MiB")
		settle(t, n)
		onlyFires(t, n, "ShiplogDiskFillingUp", func() { occupy(t, disk, free(t, disk)>>20-48) })
	})
	t.Run("the disk is full under load", func(t *testing.T) {
		t.Parallel()
		disk := aDisk(t, 256)
		n := start(t, filepath.Join(disk, "data"), "--demo", "--min-free", "32MiB")
		settle(t, n)
		l := startLoad(n, "full", 200)
		t.Cleanup(l.stop)
		onlyFires(t, n, "ShiplogDiskFillingUp", func() { occupy(t, disk, -1) }, "ShiplogSubmissionErrorBudgetBurn", "ShiplogNotReady")
	})
	t.Run("the read model hangs", func(t *testing.T) {
		t.Parallel()
		disk := aBlockDisk(t)
		n := disk.startWithModel(t.TempDir(), "--demo")
		settle(t, n)
		onlyFires(t, n, "ShiplogProjectionStalled", func() {
			disk.hang()
			registerTool(t, n, "held")
		}, "ShiplogNotReady")
	})
	t.Run("an event cannot be applied", func(t *testing.T) {
		t.Parallel()
		nats := startLoneNATS(t)
		n := start(t, t.TempDir(), "--demo", "--nats", nats.URL, "--replicas", "1")
		settle(t, n)
		onlyFires(t, n, "ShiplogProjectionFailed", func() { appendNewer(t, nats.URL) }, "ShiplogNotReady")
	})
	t.Run("the node is killed", func(t *testing.T) {
		t.Parallel()
		n := start(t, t.TempDir(), "--demo")
		settle(t, n)
		onlyFires(t, n, "ShiplogDown", n.Kill)
	})
}

// free is the space that is left on a disk, in bytes.
func free(t *testing.T, disk string) int64 {
	t.Helper()
	var s syscall.Statfs_t
	if err := syscall.Statfs(disk, &s); err != nil {
		t.Fatal(err)
	}
	return int64(s.Bavail) * s.Bsize
}

// registerTool has a node record one event.
func registerTool(t *testing.T, n *process.Node, tool string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "event.jsonl")
	event := fmt.Sprintf(`{"specversion":"1.0","id":%q,"source":"/alerts","type":"shiplog.tool.registered.v1","data":{"tool":%[1]q,"name":"Tool"}}`, tool)
	if err := os.WriteFile(file, []byte(event), 0o600); err != nil {
		t.Fatal(err)
	}
	shiplog(t, 0, "submit", "--to", n.Base, file)
}

// onlyFires breaks something, and waits for the alert of it and for those that are
// certain to follow.
func onlyFires(t *testing.T, n *process.Node, alert string, breakIt func(), follow ...string) {
	t.Helper()
	rules := fastRules(t)
	prom := startPrometheusWith(t, n, rules)
	prom.wait(t, `count_over_time(up{job="shiplog"}[1m]) >= 3`)
	broken := time.Now()
	breakIt()
	fired := fmt.Sprintf(`ALERTS{alertname=%q, alertstate="firing"}`, alert)
	prom.within(t, 30, fired)
	for _, name := range follow {
		prom.within(t, 30, fmt.Sprintf(`ALERTS{alertname=%q, alertstate="firing"}`, name))
	}
	// For as long as it fires, others might join.
	prom.within(t, 15, fmt.Sprintf(`count_over_time(%s[1m]) >= 3`, fired))
	allowed := append(consequences(t, alert), alert, "Watchdog")
	found := map[string]bool{}
	since := fmt.Sprintf(`max_over_time(ALERTS{alertstate="firing"}[%ds])`, int(time.Since(broken).Seconds())+1)
	for _, s := range prom.query(t, since) {
		found[s.Metric["alertname"]] = true
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if !slices.Contains(allowed, name) {
			t.Errorf("%s fires as well, which the runbook of %s does not say", name, alert)
		}
	}
	if !found["Watchdog"] {
		t.Error("the watchdog does not fire")
	}
}

// consequences are the alerts that a runbook says will fire as well.
func consequences(t *testing.T, alert string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(operations, "runbooks", alert+".md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## Consequences\n")
	if !found {
		t.Fatalf("the runbook of %s does not name consequences", alert)
	}
	return regexp.MustCompile(`Shiplog[A-Za-z]+`).FindAllString(section, -1)
}

var duration = regexp.MustCompile(`(\[|for: |offset )(\d+)([smhd])\b`)

// fastRules are the rules with every window and every wait divided by sixty.
func fastRules(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	paths, err := filepath.Glob(filepath.Join(operations, "prometheus/rules/*.yml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no rules (%v)", err)
	}
	seconds := map[string]int{"s": 1, "m": 60, "h": 3600, "d": 86400}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		fast := duration.ReplaceAllStringFunc(string(raw), func(s string) string {
			m := duration.FindStringSubmatch(s)
			n, err := strconv.Atoi(m[2])
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("%s%ds", m[1], n*seconds[m[3]]/60)
		})
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), []byte(fast), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
