//go:build !linux

package process

import "time"

// CPU is how long the node has kept processors busy; 0 where the system does not
// tell.
func (*Node) CPU() time.Duration { return 0 }
