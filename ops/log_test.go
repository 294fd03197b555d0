package ops_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"shiplog/ops"
)

// A duration has its unit also where lines are for machines, at the top and in
// groups.
func TestLogWritesDurationsWithTheirUnit(t *testing.T) {
	var out bytes.Buffer
	log := ops.NewLog(&out, "json", slog.LevelInfo)
	log.With(slog.Duration("every", time.Minute)).Info("done", slog.Duration("took", 1500*time.Microsecond),
		slog.Group("step", slog.Duration("took", 2*time.Second)), slog.Int("events", 3))
	var line struct {
		Every, Took string
		Step        struct{ Took string }
		Events      int
	}
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("%v in %s", err, &out)
	}
	if line.Every != "1m0s" || line.Took != "1.5ms" || line.Step.Took != "2s" || line.Events != 3 {
		t.Errorf("the line is %s", &out)
	}
}
