package ops_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// panelsByBoard are the titles of panels by the name of their dashboard.
func panelsByBoard(t *testing.T) map[string]map[string]bool {
	t.Helper()
	boards := map[string]map[string]bool{}
	for _, path := range glob(t, "grafana/dashboards/*.json") {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var board struct {
			Title  string
			Panels []struct{ Title, Type string }
		}
		if err := json.Unmarshal(raw, &board); err != nil {
			t.Fatal(err)
		}
		titles := map[string]bool{}
		for _, p := range board.Panels {
			titles[p.Title] = p.Type != "row"
		}
		boards[strings.TrimPrefix(board.Title, "Shiplog / ")] = titles
	}
	return boards
}

var quotedPanel = regexp.MustCompile(`\*([^*\n]+)\*`)

// Whoever follows a runbook at night finds the panels that it names, in italics,
// where it says that they are.
func TestRunbooksNamePanels(t *testing.T) {
	const where = " on the dashboard "
	boards := panelsByBoard(t)
	seen := 0
	for _, path := range glob(t, "runbooks/*.md") {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(strings.ReplaceAll(string(raw), "**", "")) {
			parts := strings.Split(line, where)
			for i, part := range parts {
				board := "" // any
				if i+1 < len(parts) {
					if board = boardOf(boards, parts[i+1]); board == "" {
						t.Errorf("%s: there is no dashboard %.30q", path, parts[i+1])
					}
				}
				for _, panel := range quotedPanel.FindAllStringSubmatch(part, -1) {
					seen++
					if !draws(boards, board, panel[1]) {
						t.Errorf("%s: the dashboard %s has no panel %q", path, board, panel[1])
					}
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d names of panels were found", seen)
	}
}

// boardOf is the dashboard that a text begins with.
func boardOf(boards map[string]map[string]bool, text string) string {
	for board := range boards {
		if strings.HasPrefix(text, board) {
			return board
		}
	}
	return ""
}

// draws reports a panel of a dashboard, or of any where that is empty.
func draws(boards map[string]map[string]bool, board, panel string) bool {
	for name, panels := range boards {
		if (board == "" || name == board) && panels[panel] {
			return true
		}
	}
	return false
}
