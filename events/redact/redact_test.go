package redact_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"shiplog/events/redact"
)

func TestURL(t *testing.T) {
	for _, c := range []struct{ name, address, want string }{
		{"nothing to take", "nats://127.0.0.1:4222", "nats://127.0.0.1:4222"},
		{"name and password", "nats://shiplog:secret@nats.example.org:4222", "nats://nats.example.org:4222"},
		{"token", "tls://secret@nats.example.org", "tls://nats.example.org"},
		{"no scheme", "shiplog:secret@nats.example.org:4222", "nats.example.org:4222"},
		{"an @ in the password", "nats://shiplog:se@cret@nats.example.org", "nats://nats.example.org"},
		{"a slash in the password", "http://shiplog:sec/ret@example.org/hub", "http://example.org/hub"},
		{"several", "nats://a:secret@one:4222,nats://two:4222,b:secret@three", "nats://one:4222,nats://two:4222,three"},
		{"no URL", "nats://u:secret x@[::1", "nats://[::1"},
		{"empty", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := redact.URL(c.address); got != c.want {
				t.Errorf("URL(%q) = %q, want %q", c.address, got, c.want)
			}
		})
	}
}

func TestArgument(t *testing.T) {
	for arg, want := range map[string]string{
		"--nats=nats://shiplog:sec=ret@nats.example.org": "--nats=nats://nats.example.org",
		"nats://shiplog:sec=ret@nats.example.org":        "nats://nats.example.org",
		"--title=Tools":                   "--title=Tools",
		"serve":                           "serve",
		"--nats=a:secret@one,tls://s@two": "--nats=one,tls://two",
	} {
		if got := redact.Argument(arg); got != want {
			t.Errorf("Argument(%q) = %q, want %q", arg, got, want)
		}
	}
}

func TestPaths(t *testing.T) {
	for text, want := range map[string]string{
		"the ledger cannot be written: /data takes no file: open /data/.probe-1: read-only file system": "the ledger cannot be written: … takes no file: open …: read-only file system",
		`write "/data/nats/msgs/1.blk": no space`:                                                       `write "…": no space`,
		"restore nats/ from a backup, then delete panel/ and decisions/":                                "restore nats/ from a backup, then delete panel/ and decisions/",
		"see https://example.org/help and nats://n1:4222":                                               "see https://example.org/help and nats://n1:4222",
	} {
		if got := redact.Paths(text); got != want {
			t.Errorf("Paths(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestError(t *testing.T) {
	err := &url.Error{Op: "parse", URL: "nats://shiplog:secret word@[::1", Err: errors.New("missing ']' in host")}
	if got := redact.Error(err).Error(); strings.Contains(got, "secret") || !strings.Contains(got, "missing ']'") {
		t.Errorf("the error is %q", got)
	}
	other := errors.New("no servers available")
	if got := redact.Error(other); got.Error() != other.Error() {
		t.Error("another error is not left as it is")
	}
}
