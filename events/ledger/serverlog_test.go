package ledger_test

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"shiplog/events/ledger"
	"shiplog/events/logtest"
)

// send sends lines of the NATS protocol, and reads until the server hangs up.
func send(t *testing.T, address, lines string) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, lines); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, conn); err != nil && !strings.Contains(err.Error(), "reset by peer") {
		t.Fatal(err)
	}
}

// Whoever reaches the server may send it nonsense: that fills no log, and what was
// sent stands in none at any level.
func TestStrangersDoNotFillTheLog(t *testing.T) {
	for _, level := range []slog.Level{slog.LevelInfo, slog.LevelDebug} {
		t.Run(level.String(), func(t *testing.T) {
			out := &logtest.Book{}
			s, err := ledger.StartServer(ledger.ServerOptions{
				Dir: t.TempDir(), Listen: "127.0.0.1:0",
				Log: slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level})),
			})
			if err != nil {
				t.Fatal(err)
			}
			before := out.String()
			for _, lines := range []string{
				"SESAME, not NATS\r\n",
				"CONNECT {\"user\":\"SESAME\",\"pass\":\"SESAME\"}\r\nPING\r\n",
				"CONNECT {\"auth_token\":\"SESAME\"}\r\nPING\r\n",
				"CONNECT {}\r\nPUB shiplog.submit.local SESAME\r\n",
				"CONNECT {}\r\n" + fmt.Sprintf("PUB shiplog.submit.local %d\r\n", 1<<30),
				"CONNECT {}\r\nPUB shiplog.submit.local 6\r\nSESAME and more\r\n",
			} {
				send(t, s.Addr(), lines)
			}
			if err := s.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			text := strings.TrimPrefix(out.String(), before)
			if level == slog.LevelInfo && text != "" {
				t.Errorf("it is logged:\n%s", text)
			}
			if strings.Contains(text, "SESAME") || level == slog.LevelDebug && !strings.Contains(text, "authentication error") {
				t.Errorf("the log is\n%s", text)
			}
		})
	}
}
