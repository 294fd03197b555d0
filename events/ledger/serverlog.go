package ledger

import (
	"context"
	"fmt"
	"log/slog"
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
func (l *serverLog) Errorf(format string, v ...any)  { l.write(errorLevel(format, v), format, v) }
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

// errorLevel keeps down what a stranger can cause at will: a client that tries
// what it may not do is refused, and that is all.
func errorLevel(format string, v []any) slog.Level {
	if strings.Contains(fmt.Sprintf(format, v...), " Violation") {
		return slog.LevelDebug
	}
	return slog.LevelError
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
	if l.log.Enabled(context.Background(), level) {
		text := strings.TrimSpace(fmt.Sprintf(format, v...))
		l.log.Log(context.Background(), level, "nats-server", slog.String("text", text))
	}
}
