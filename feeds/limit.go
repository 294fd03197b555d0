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

// What one client may have built for it: this many feeds at once, and so many a
// second on and on; a document of an archive counts for several. What is made already
// is free, also where events elsewhere ask for another look at it, and so is the word
// that a copy is still good, or, below the limit, that there is no such feed. So a
// reader that polls thousands of feeds never meets it but right after a start, when
// none is made yet; behind a proxy, which is one client, the same is true of all
// readers together. It stops those who walk through all archives at once from keeping
// the server at nothing else.
const (
	buildBurst   = 5000
	buildRate    = 200
	archivePrice = 10
	// accountsLimit bounds the memory for accounts: some 5,000 of them.
	accountsLimit = 2 << 20
	accountSize   = 128
)

// price is how many feeds what is under a key counts for.
func price(key Key) int {
	if key.Archive > 0 {
		return archivePrice
	}
	return 1
}

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

// wait is how long a client must wait before what has this price is built for it: 0
// for not at all. It takes nothing.
func (l *limits) wait(client netip.Prefix, price int) time.Duration {
	builds, ok := l.accounts.Get(client)
	if !ok {
		return 0
	}
	lacking := float64(price) - builds.TokensAt(l.now())
	return time.Duration(math.Ceil(max(0, lacking)/buildRate)) * time.Second
}

// charge counts a build for a client when it is done, so an account may be
// overdrawn by those begun together.
func (l *limits) charge(client netip.Prefix, price int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	builds, ok := l.accounts.Get(client)
	if !ok {
		builds = rate.NewLimiter(buildRate, buildBurst)
		l.accounts.Put(client, builds, accountSize)
	}
	builds.ReserveN(l.now(), price)
}
