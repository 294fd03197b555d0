package ops

import (
	"log/slog"
	"net/http"
	"runtime/debug"
)

// Recover answers 500 where a handler panics, and says so in the log: the
// process lives, and the fault is not lost.
func Recover(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if v == http.ErrAbortHandler { //nolint:errorlint // net/http itself compares it so
				panic(v)
			}
			log.LogAttrs(r.Context(), slog.LevelError, "handler panicked", slog.Any("panic", v),
				slog.String("route", r.Pattern), slog.String("stack", string(debug.Stack())))
			http.Error(w, "Something went wrong here. The operator has been told.", http.StatusInternalServerError)
		}()
		next.ServeHTTP(w, r)
	})
}
