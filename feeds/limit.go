package feeds

import (
	"errors"
	"math"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"shiplog/projections/kept"
)

// What one client may have built for it: this many at once, and so many a
// second on and on. What is made already is free, also where events elsewhere ask
// for another look at it, and so is the word that a copy is still good or that there
// is no such feed. So a reader that polls thousands of feeds never meets the limit,
// nor do the readers behind one proxy. It stops those who walk through all
// archives at once from keeping the server at nothing else.
const (
	buildBurst = 500
	buildRate  = 50
	// accountsLimit bounds the memory for accounts: some 5,000 of them.
	accountsLimit = 2 << 20
	accountSize   = 128
)

// errTooMany says that a client had too much built.
var errTooMany = errors.New("too many feeds built for one client")

// limits keeps an account for each of the clients seen last.
type limits struct {
	now      func() time.Time
	mu       sync.Mutex // one opens an account, not two
	accounts *kept.Cache[netip.Prefix, *rate.Limiter]
}

func newLimits(now func() time.Time) *limits {
	return &limits{now: now, accounts: kept.NewCache[netip.Prefix, *rate.Limiter](accountsLimit)}
}

// clientOf is who asks: an address, or the network that one customer has in
// IPv6. The zero prefix stands for all whose address cannot be read.
func clientOf(remote string) netip.Prefix {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{}
	}
	addr := at.Addr().Unmap().WithZone("")
	bits := 32
	if addr.Is6() {
		bits = 64
	}
	client, _ := addr.Prefix(bits) // the bits fit the family
	return client
}

// wait is how long a client must wait before more is built for it: 0 for not at
// all. It takes nothing.
func (l *limits) wait(client netip.Prefix) time.Duration {
	builds, ok := l.accounts.Get(client)
	if !ok {
		return 0
	}
	lacking := 1 - builds.TokensAt(l.now())
	return time.Duration(math.Ceil(max(0, lacking)/buildRate)) * time.Second
}

// charge counts a build for a client when it is done, so an account may be
// overdrawn by those begun together.
func (l *limits) charge(client netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	builds, ok := l.accounts.Get(client)
	if !ok {
		builds = rate.NewLimiter(buildRate, buildBurst)
		l.accounts.Put(client, builds, accountSize)
	}
	builds.ReserveN(l.now(), 1)
}
