//go:build clients

package ops_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// unit is the systemd unit, with a program that is there in the place of ours.
func unit(t *testing.T, change ...string) string {
	t.Helper()
	raw, err := os.ReadFile("deploy/systemd/shiplog.service")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(append(change, "/usr/local/bin/shiplog serve", program)...).Replace(string(raw))
	if !strings.Contains(text, "ExecStart="+program) {
		t.Fatal("the unit does not start /usr/local/bin/shiplog serve")
	}
	file := filepath.Join(t.TempDir(), "shiplog.service")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func systemdAnalyze(args ...string) (string, error) {
	out, err := exec.Command("systemd-analyze", args...).CombinedOutput()
	return string(out), err
}

// systemd knows every line of the unit, and finds little that the unit leaves open: the
// network, which it is there to serve, and /proc, where its start time stands.
func TestClientSystemdUnit(t *testing.T) {
	if out, err := systemdAnalyze("verify", unit(t)); err != nil || out != "" {
		t.Errorf("systemd-analyze verify: %v; `make deps` installs it\n%s", err, out)
	}
	if out, _ := systemdAnalyze("verify", unit(t, "ProtectHome=", "ProtectHoem=")); out == "" {
		t.Error("systemd-analyze takes a line that is misspelt")
	}
	credential := "LoadCredential=write-token:/etc/shiplog/write-token\nEnvironment=SHIPLOG_WRITE_TOKEN_FILE=%d/write-token\n"
	if out, err := systemdAnalyze("verify", unit(t, "#   "+strings.ReplaceAll(credential[:len(credential)-1], "\n", "\n#   ")+"\n", "", "[Service]\nType", "[Service]\n"+credential+"Type")); err != nil || out != "" {
		t.Errorf("with a token: %v\n%s", err, out)
	}
	const most = "11" // of an exposure of 1.1, on a scale to 10
	if out, err := systemdAnalyze("security", "--offline=true", "--threshold="+most, unit(t)); err != nil {
		t.Errorf("systemd-analyze security: %v\n%s", err, out)
	}
	if out, err := systemdAnalyze("security", "--offline=true", "--threshold="+most, unit(t, "NoNewPrivileges=yes\n", "", "ProtectSystem=strict\n", "", "SystemCallFilter=@system-service\n", "")); err == nil {
		t.Errorf("systemd-analyze finds a unit that is open as closed\n%s", out)
	}
}
