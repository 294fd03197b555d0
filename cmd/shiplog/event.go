package main

import (
	"fmt"
	"strings"
	"time"

	"shiplog/events/ledger"
)

// An event is what a line about one needs of it. It is read loosely, so that a
// newer server's events of types that this version does not know are told too.
type event struct {
	Type      string    `json:"type"`
	Source    string    `json:"source"`
	Publisher string    `json:"publisher"`
	Recorded  time.Time `json:"recordedtime"`
	Data      struct {
		Tool        string `json:"tool"`
		Into        string `json:"into"`
		Reviewer    string `json:"reviewer"`
		Name        string `json:"name"`
		Verdict     string `json:"verdict"`
		Replaces    uint64 `json:"replaces"`
		Left        string `json:"left"`
		Right       string `json:"right"`
		Title       string `json:"title"`
		Authority   string `json:"authority"`
		Quorum      uint64 `json:"quorum"`
		Matchmaking string `json:"matchmaking"`
		Seq         uint64 `json:"seq"`
		Reason      string `json:"reason"`
	} `json:"data"`
}

// typeName is a type for people: "review submitted" for
// shiplog.review.submitted.v1.
func typeName(typ string) string {
	parts := strings.Split(strings.TrimPrefix(typ, "shiplog."), ".")
	if last := len(parts) - 1; last > 0 && strings.HasPrefix(parts[last], "v") {
		parts = parts[:last]
	}
	return oneLine(strings.Join(parts, " "))
}

// sentence says the event in a line. Before is what a revised review said, ""
// where that is not known.
func (e event) sentence(before string) string {
	name := typeName(e.Type)
	text := name
	if about := e.about(name, before); about != "" {
		text += ": " + about
	}
	if e.Publisher != "" && e.Publisher != ledger.LocalPublisher && !strings.HasPrefix(e.Source, "/shiplog/") {
		text += " (from " + e.Publisher + ")"
	}
	return oneLine(text)
}

// about is what the event says.
func (e event) about(name, before string) string {
	d := e.Data
	switch name {
	case "ledger opened":
		return fmt.Sprintf("%s (%s)", d.Title, d.Authority)
	case "rules published":
		return rulesLine(d.Quorum, d.Matchmaking)
	case "reviewer seated":
		return named(d.Reviewer, d.Name)
	case "reviewer unseated":
		return named(d.Reviewer, d.Reason)
	case "tool registered":
		return named(d.Tool, d.Name)
	case "tool retired":
		return named(d.Tool, d.Reason)
	case "tool merged":
		return d.Tool + " into " + d.Into
	case "tool unmerged":
		return d.Tool + " from " + d.Into
	case "review submitted":
		return fmt.Sprintf("%s on %s, %s", d.Reviewer, d.Tool, d.Verdict)
	case "review revised":
		return fmt.Sprintf("%s on %s, %s", d.Reviewer, d.Tool, change(before, d.Verdict))
	case "review withdrawn":
		return fmt.Sprintf("%s on %s", d.Reviewer, d.Tool)
	case "reply published":
		return "on " + d.Tool
	case "matchup opened":
		return d.Left + " and " + d.Right
	case "event skipped":
		return named(fmt.Sprintf("#%d", d.Seq), d.Reason)
	}
	return ""
}

func named(slug, name string) string {
	if name == "" {
		return slug
	}
	return slug + ", " + name
}

func rulesLine(quorum uint64, matchmaking string) string {
	var parts []string
	if quorum > 0 {
		parts = append(parts, fmt.Sprintf("quorum %d", quorum))
	}
	if matchmaking != "" {
		parts = append(parts, "matchmaking "+matchmaking)
	}
	return strings.Join(parts, ", ")
}

// change says how a verdict changed.
func change(before, after string) string {
	switch before {
	case "":
		return after
	case after:
		return after + " as before"
	}
	return before + " → " + after
}
