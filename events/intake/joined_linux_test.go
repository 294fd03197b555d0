package intake_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"shiplog/events/intake"
	"shiplog/events/intake/intaketest"
	"shiplog/events/ledger/ledgertest"
)

// The events of one submission are never split, not even by a loss of power: they
// are in the ledger's journal before they are appended. Events that need not stand
// together are not.
func TestEventsOfASubmissionAreJoined(t *testing.T) {
	dir := t.TempDir()
	in := intaketest.Open(t, ledgertest.Staged(t, dir), intake.Options{})
	intaketest.Accept(t, in, seat("ana"), seat("ben"), tool("hammer"))
	journal := func() []byte {
		b, err := os.ReadFile(filepath.Join(dir, ".batch"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	before := journal()
	intaketest.Accept(t, in, review("1", "hammer", "ana", "It drives nails."), review("2", "hammer", "ben", "It does."))
	if !bytes.Equal(before, journal()) {
		t.Error("reviews that stand alone are in the journal")
	}
	intaketest.Accept(t, in, intaketest.Event("3", "review.submitted", map[string]string{
		"tool": "saw", "tool_name": "Saw", "reviewer": "ana", "verdict": "ship", "body": "It cuts.",
	}))
	for _, want := range []string{"tool.registered", "It cuts."} {
		if !bytes.Contains(journal(), []byte(want)) {
			t.Errorf("%q is not in the journal", want)
		}
	}
}
