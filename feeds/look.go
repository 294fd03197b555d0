package feeds

import (
	"encoding/json"
	"errors"
	"os"
	"time"
)

// A look is what feeds show that no event says, and since when: their dates are
// those of events, and tell nothing of it.
type look struct {
	Title   string    `json:"title"`
	BaseURL string    `json:"base_url"`
	Hub     string    `json:"hub"`
	Icon    string    `json:"icon"`
	Version string    `json:"version"`
	Since   time.Time `json:"since,omitzero"`
}

// since is since when feeds look as they do, by the file at path, which keeps it for
// the next start. Without one that is now: nobody knows how they looked before.
func (l look) since(path string, now time.Time) (time.Time, error) {
	if path == "" {
		return time.Time{}, nil
	}
	raw, err := os.ReadFile(path)
	var was look
	if err == nil {
		err = json.Unmarshal(raw, &was)
	}
	l.Since = was.Since
	if err == nil && l == was {
		return was.Since, nil
	}
	if errors.Is(err, os.ErrNotExist) { // as before the first start
		err = nil
	}
	l.Since = now.UTC().Round(0)
	return l.Since, errors.Join(err, replaceJSON(path, l))
}
