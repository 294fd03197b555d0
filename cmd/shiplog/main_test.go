package main

import (
	"flag"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"shiplog/events/ledger/ledgertest"
)

// update rewrites what scripts compare with, and golden files.
var update = flag.Bool("update", false, "rewrite what tests compare with")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"shiplog": main})
}

// TestScripts runs the real program. Each script in testdata/script says in its
// first line what it shows. Beside testscript's own, they have the commands
// of [commands].
func TestScripts(t *testing.T) {
	// What runs the tests may ignore hangups, and what is ignored is inherited; a
	// handler is not.
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Deadline:            time.Now().Add(3 * time.Minute),
		Cmds:                commands(),
		Setup: func(e *testscript.Env) error {
			e.Setenv("COLUMNS", "96")
			e.Values[scriptKey{}] = &script{http: ledgertest.ReserveAddr(t), ops: ledgertest.ReserveAddr(t)}
			return nil
		},
	})
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                "plain",
		"a\nb\tc\x1b[2J\u0085": "a b c [2J ",
		"bad \xff":             "bad �",
		"left\u202eright":      "left right",
	} {
		if got := oneLine(in); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestAddressesAreLoggedAsGiven(t *testing.T) {
	for _, c := range []struct{ given, socket, want string }{
		{"127.0.0.1:0", "127.0.0.1:4301", "127.0.0.1:4301"},
		{"0.0.0.0:4222", "[::]:4222", "0.0.0.0:4222"},
		{"localhost:4222", "127.0.0.1:4222", "localhost:4222"},
		{"[::1]:4222", "[::1]:4222", "[::1]:4222"},
		{":4222", "[::]:4222", "[::]:4222"},
	} {
		if got := asGiven(c.given, c.socket); got != c.want {
			t.Errorf("%s on %s: got %s, want %s", c.given, c.socket, got, c.want)
		}
	}
}
