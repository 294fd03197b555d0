package ops

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
)

// A LogLevel is what /admin/v1/log-level takes and answers.
type LogLevel struct {
	Level string `json:"level"` // "debug", "info", "warn" or "error"
}

func (a *Admin) logLevel(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, LogLevel{levelName(a.Log.Level.Level())})
}

// setLogLevel changes what is logged from now on, until the node ends.
func (a *Admin) setLogLevel(w http.ResponseWriter, r *http.Request) {
	if r.URL.RawQuery != "" {
		problem(w, &Refusal{Status: http.StatusBadRequest, Detail: `there are no parameters here; send {"level":"debug"} as the body`})
		return
	}
	var wanted LogLevel
	if err := readAsk(w, r, &wanted, `{"level":"debug"}`); err != nil {
		problem(w, err)
		return
	}
	for _, level := range logLevels {
		if levelName(level) != strings.ToLower(wanted.Level) {
			continue
		}
		was := a.Log.Level.Level()
		a.Log.Level.Set(level)
		a.Log.LogAttrs(r.Context(), max(level, slog.LevelInfo), "log level changed",
			slog.String("from", levelName(was)), slog.String("to", levelName(level)))
		a.logLevel(w, r)
		return
	}
	problem(w, &Refusal{
		Status: http.StatusUnprocessableEntity,
		Detail: fmt.Sprintf("level must be debug, info, warn or error; got %.20q", wanted.Level),
	})
}
