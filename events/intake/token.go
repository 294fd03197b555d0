package intake

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
)

// minToken is the fewest characters a write token may have.
const minToken = 16

// TokenFile reads the write token from a file, and again whenever the file has
// changed, so that a token can be replaced without a restart. While the file
// cannot be read, or holds no token, nobody has it.
//
// It fails when there is no usable token at the start.
func TokenFile(path string) (func() string, error) {
	f := &tokenFile{path: path}
	if err := f.load(); err != nil {
		return nil, err
	}
	return f.get, nil
}

type tokenFile struct {
	path string

	mu      sync.Mutex
	token   string
	size    int64
	changed time.Time
}

func (f *tokenFile) get() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.load() != nil {
		f.token, f.changed = "", time.Time{}
	}
	return f.token
}

// noToken says what would mend a file that cannot be read.
func noToken(path string, err error) error {
	if wrong, ok := errors.AsType[*fs.PathError](err); ok {
		err = wrong.Err // the path is named already
	}
	return fmt.Errorf("the write token in %s cannot be read: %w; let the user that the server runs as read it, or name another file with --write-token-file", path, err)
}

func (f *tokenFile) load() error {
	info, err := os.Stat(f.path)
	if err != nil {
		return noToken(f.path, err)
	}
	if info.ModTime().Equal(f.changed) && info.Size() == f.size {
		return nil
	}
	raw, err := os.ReadFile(f.path)
	if err != nil {
		return noToken(f.path, err)
	}
	token := strings.TrimSpace(string(raw))
	if len(token) < minToken {
		return fmt.Errorf("the write token in %s has %d characters, it must have at least %d", f.path, len(token), minToken)
	}
	if strings.ContainsAny(token, " \t\r\n") {
		return fmt.Errorf("the write token in %s has blanks in it; the file must hold one token and nothing else", f.path)
	}
	f.token, f.size, f.changed = token, info.Size(), info.ModTime()
	return nil
}
