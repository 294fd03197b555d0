package feeds

import (
	"hash/maphash"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A family is the readers that one program or service is, as User-Agent names
// it.
type family struct {
	name      string
	sign      string // in lower case, somewhere in User-Agent
	announces bool   // it tells for how many subscribers it asks
}

// families are those that are told apart, services before programs, then what
// many share (browsers, libraries), and all others.
var families = []family{
	{"feedbin", "feedbin", true},
	{"feedly", "feedly", true},
	{"inoreader", "inoreader", true},
	{"newsblur", "newsblur", true},
	{"theoldreader", "theoldreader", true},
	{"bazqux", "bazqux", true},
	{"miniflux", "miniflux", true},
	{"freshrss", "freshrss", true},
	{"commafeed", "commafeed", true},
	{"tiny_tiny_rss", "tiny tiny rss", false},
	{"nextcloud_news", "nextcloud-news", false},
	{"netnewswire", "netnewswire", false},
	{"newsboat", "newsboat", false},
	{"reeder", "reeder", false},
	{"liferea", "liferea", false},
	{"akregator", "akregator", false},
	{"thunderbird", "thunderbird", false},
	{"feedparser", "feedparser", false},
	{"curl", "curl/", false},
	{"browser", "mozilla/5.0 (", false},
	{"other", "", false},
}

// A reader is what User-Agent tells of who asks.
type reader struct {
	family      uint8 // its place in families
	subscribers int32 // 0 where it does not say
}

// longestAgent is how much of User-Agent is looked at.
const longestAgent = 256

// announced is how services tell for how many people they ask: "12 subscribers".
var announced = regexp.MustCompile(`\b([0-9]{1,7}) (?:subscribers?|readers?)\b`)

func readerOf(agent string) reader {
	agent = strings.ToLower(agent[:min(len(agent), longestAgent)])
	i := slices.IndexFunc(families, func(f family) bool { return strings.Contains(agent, f.sign) })
	r := reader{family: uint8(i)} //nolint:gosec // few
	if families[i].announces {
		if m := announced.FindStringSubmatch(agent); m != nil {
			n, _ := strconv.ParseInt(m[1], 10, 32) // at most seven digits
			r.subscribers = int32(n)
		}
	}
	return r
}

// The bounds of what is remembered of readers: of ten thousand each may name
// itself in its own way.
const (
	agentsMost      = 16 << 10
	subscribersMost = 4096
	subscribersAge  = 14 * 24 * time.Hour
)

// readers remembers what readers tell of themselves, within bounds.
type readers struct {
	now  func() time.Time
	seed maphash.Seed

	mu          sync.RWMutex
	agents      map[uint64]reader // by a hash of User-Agent, which is less to look at than ten thousand texts
	subscribers map[subscription]subscribed
}

// A subscription is a feed that a service asks for on behalf of others.
type subscription struct {
	family string
	key    Key
	format Format
}

type subscribed struct {
	count int
	seen  time.Time
}

func newReaders(now func() time.Time) *readers {
	return &readers{now: now, seed: maphash.MakeSeed(), agents: map[uint64]reader{}, subscribers: map[subscription]subscribed{}}
}

// of is the reader that a User-Agent names.
func (r *readers) of(agent string) reader {
	hash := maphash.String(r.seed, agent[:min(len(agent), longestAgent)])
	r.mu.RLock()
	known, is := r.agents[hash]
	r.mu.RUnlock()
	if is {
		return known
	}
	known = readerOf(agent)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.agents) >= agentsMost {
		clear(r.agents)
	}
	r.agents[hash] = known
	return known
}

// note keeps for how many subscribers a feed was asked for the last time. Where
// too many are known, one not asked for of late is forgotten.
func (r *readers) note(who reader, key Key, format Format) {
	if who.subscribers == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	at := subscription{families[who.family].name, key, format}
	if _, known := r.subscribers[at]; !known && len(r.subscribers) >= subscribersMost {
		r.forgetOne()
	}
	r.subscribers[at] = subscribed{int(who.subscribers), r.now()}
}

// forgetOne forgets the oldest of a few: to look at all would cost too much for
// somebody else's request.
func (r *readers) forgetOne() {
	const few = 16
	var oldest subscription
	var seen time.Time
	looked := 0
	for at, s := range r.subscribers {
		if looked++; looked > few {
			break
		}
		if looked == 1 || s.seen.Before(seen) {
			oldest, seen = at, s.seen
		}
	}
	delete(r.subscribers, oldest)
}

// announcedBy is a kind of feeds and a family that asks for them.
type announcedBy struct {
	kind   Kind
	family string
}

// sums are the subscribers that were announced in the last two weeks.
func (r *readers) sums() map[announcedBy]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	sums := map[announcedBy]int{}
	for at, s := range r.subscribers {
		if r.now().Sub(s.seen) > subscribersAge {
			delete(r.subscribers, at)
			continue
		}
		sums[announcedBy{at.key.Kind, at.family}] += s.count
	}
	return sums
}
