package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"shiplog/events/logtest"
)

// Where everything hangs, as on a disk that gives no answer, a node ends all the same,
// before what runs it kills it, and says of each part that it was left behind. What
// does not hang is done.
func TestStopIsBounded(t *testing.T) {
	const killedAfter = 30 * time.Second
	synctest.Test(t, func(t *testing.T) {
		var log logtest.Book
		life := &lifecycle{log: slog.New(slog.NewJSONHandler(&log, nil))}
		free := make(chan struct{})
		var done, want []string
		for i := range 12 {
			sound := fmt.Sprintf("sound %d", i)
			life.push(sound, func(context.Context) error {
				done = append(done, sound)
				return nil
			})
			hanging := fmt.Sprintf("hanging %d", i)
			want = append(want, hanging)
			life.push(hanging, func(context.Context) error {
				<-free
				return nil
			})
			spawned := fmt.Sprintf("spawned %d", i)
			want = append(want, spawned)
			life.spawn(spawned, func(context.Context) error {
				<-free
				return nil
			})
		}
		start := time.Now()
		err := life.stop(start.Add(stopTimeout))
		if took := time.Since(start); took >= killedAfter {
			t.Errorf("it took %s, and would have been killed after %s", took, killedAfter)
		}
		if err == nil {
			t.Error("it says that all was stopped")
		}
		if len(done) != 12 {
			t.Errorf("of what does not hang only this was done: %v", done)
		}
		var left []string
		for line := range strings.Lines(log.String()) {
			var l struct{ Level, Msg, Part, Error string }
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			if l.Level != "ERROR" || l.Msg != "not stopped" || !strings.Contains(l.Error, "left behind") {
				t.Errorf("logged: %s", line)
			}
			left = append(left, l.Part)
		}
		slices.Reverse(left)
		if !slices.Equal(left, want) {
			t.Errorf("left behind are %v, want %v", left, want)
		}
		close(free)
	})
}
