package ledgertest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Main runs the tests of a package that starts servers, and fails if a goroutine
// is left. It is for TestMain.
func Main(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if err := left(); err != nil {
			fmt.Fprintf(os.Stderr, "the tests passed, but left goroutines: %v\n", err)
			code = 1
		}
	}
	os.Exit(code)
}

// batchTimeout is longer than nats-server keeps a batch that does not go on. One that
// comes while it shuts down opens a file store, which only that closes.
const batchTimeout = 15 * time.Second

// left is which goroutines do not end.
func left() (err error) {
	for late := time.Now().Add(batchTimeout); ; {
		if err = goleak.Find(); err == nil || time.Now().After(late) { // which waits a second
			return err
		}
	}
}
