package feeds

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// A bookmark is a file that keeps how far a hub was told of a ledger, for the node
// that is started after this one ended. It is written after the hub has heard and
// never synced: what a crash takes of it is told again, and all there is where it
// leaves nothing that can be read. A hub does not mind.
type bookmark struct {
	path string // empty for none
	page page
}

// A page says that the hub has heard of all that the events of a ledger changed,
// up to one.
type page struct {
	Hub    string `json:"hub"`
	Ledger string `json:"ledger"`
	Seq    uint64 `json:"seq"`
}

// read is the sequence that was kept, at most that of the newest event. The error
// says why there is none of this hub and ledger.
func (b *bookmark) read(head uint64) (uint64, error) {
	if b.path == "" {
		return head, nil
	}
	raw, err := os.ReadFile(b.path)
	if head <= 1 && errors.Is(err, os.ErrNotExist) { // a ledger that was just opened
		return head, nil
	}
	var p page
	if err == nil {
		err = json.Unmarshal(raw, &p)
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("read %s: %w", b.path, err)
	case p.Hub != b.page.Hub || p.Ledger != b.page.Ledger:
		return 0, fmt.Errorf("%s is of another hub or ledger", b.path)
	case p.Seq > head:
		return 0, fmt.Errorf("%s says up to event %d, and there are %d", b.path, p.Seq, head)
	}
	b.page.Seq = p.Seq
	return p.Seq, nil
}

// write keeps a sequence.
func (b *bookmark) write(seq uint64) error {
	if b.path == "" || seq == b.page.Seq {
		return nil
	}
	p := b.page
	p.Seq = seq
	if err := replaceJSON(b.path, p); err != nil {
		return fmt.Errorf("keep how far the hub was told: %w", err)
	}
	b.page = p
	return nil
}

// replaceJSON puts a file in the place of the one before.
func replaceJSON(path string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", append(raw, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
