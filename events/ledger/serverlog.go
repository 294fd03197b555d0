package ledger

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
)

// serverLog hands the server's log lines to slog and keeps the fatal one, on
// which the server means to end the process.
type serverLog struct {
	log *slog.Logger

	mu    sync.Mutex
	fatal string
}

func (l *serverLog) Noticef(format string, v ...any) { l.write(slog.LevelDebug, format, v) }
func (l *serverLog) Warnf(format string, v ...any)   { l.write(warnLevel(format), format, v) }
func (l *serverLog) Errorf(format string, v ...any)  { l.write(slog.LevelError, format, v) }
func (l *serverLog) Debugf(format string, v ...any)  { l.write(slog.LevelDebug, format, v) }
func (l *serverLog) Tracef(format string, v ...any)  { l.write(slog.LevelDebug, format, v) }

// warnLevel drops a warning that is not one here: the password is random, made
// at each start and kept in memory alone.
func warnLevel(format string) slog.Level {
	if strings.HasPrefix(format, "Plaintext passwords detected") {
		return slog.LevelDebug
	}
	return slog.LevelWarn
}

// ofStranger matches what the server says of a client that came over the network:
// its address, the number of its connection and, once it was let in, as whom.
var ofStranger = regexp.MustCompile(`^[^ ]+:\d+ - cid:\d+ - ("[^"]*" - )?`)

// reduce keeps down what a stranger can cause at will, a line each time: a client
// that is refused is refused, and that is all. What it sent is not logged either,
// which the server quotes: it may be a review, or a password.
func reduce(level slog.Level, text string) (slog.Level, string) {
	who := ofStranger.FindString(text)
	if who == "" {
		return level, text
	}
	if what := text[len(who):]; !strings.Contains(what, " Violation") {
		what, _, _ = strings.Cut(strings.ReplaceAll(what, `"`, "'"), "'")
		text = who + strings.TrimRight(what, " =:-")
	}
	return slog.LevelDebug, text
}

func (l *serverLog) Fatalf(format string, v ...any) {
	l.mu.Lock()
	if l.fatal == "" {
		l.fatal = fmt.Sprintf(format, v...)
	}
	l.mu.Unlock()
	l.write(slog.LevelError, format, v)
}

// fatalError is what the server gave up on, empty if it did not.
func (l *serverLog) fatalError() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fatal
}

func (l *serverLog) write(level slog.Level, format string, v []any) {
	if !l.log.Enabled(context.Background(), level) {
		return
	}
	level, text := reduce(level, strings.TrimSpace(fmt.Sprintf(format, v...)))
	if l.log.Enabled(context.Background(), level) {
		l.log.Log(context.Background(), level, "nats-server", slog.String("text", text))
	}
}
