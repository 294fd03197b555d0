package process

import (
	"time"

	"golang.org/x/sys/unix"
)

// CPU is how long the node has kept processors busy, its own time and the
// system's; 0 where the system does not tell.
func (n *Node) CPU() time.Duration {
	const ofProcess = 2                               // CPUCLOCK_SCHED
	clock := int32(^n.cmd.Process.Pid)<<3 | ofProcess //nolint:gosec // at most 1<<22; clock_getcpuclockid(3)
	var t unix.Timespec
	if unix.ClockGettime(clock, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
