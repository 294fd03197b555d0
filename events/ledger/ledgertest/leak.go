package ledgertest

import (
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests of a package that starts servers, and fails if a goroutine
// is left. It is for TestMain.
//
// One is not ours to end: nats-server keeps a clock for as long as a file store
// of the process is open, and does not close the store in which it stages a
// batch when it is shut down in the midst of one.
func Main(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/nats-io/nats-server/v2/server/ats.Register.func1"))
}
