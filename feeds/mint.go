package feeds

import (
	"strconv"
	"time"
)

// A Mint makes the ids of feeds and items: tag URIs (RFC 4151) of the authority
// and date that event 1 of the ledger fixed. An id depends on nothing else but
// sequences and slugs, which never change: not on a name, an address, the
// configuration or a clock.
type Mint struct {
	prefix string
}

// NewMint returns the mint of a ledger.
func NewMint(authority string, opened time.Time) Mint {
	return Mint{prefix: "tag:" + authority + "," + opened.UTC().Format(time.DateOnly) + ":"}
}

// Matchup is the id of the item of the matchup opened by event seq.
func (m Mint) Matchup(seq uint64) string { return m.prefix + "matchup/" + decimal(seq) }

// Verdict is the id of the item of the change of a tool's label by event seq.
func (m Mint) Verdict(seq uint64, tool string) string {
	return m.prefix + "verdict/" + decimal(seq) + "/" + tool
}

// Review is the id of the item of the review or withdrawal of event seq.
func (m Mint) Review(seq uint64) string { return m.prefix + "review/" + decimal(seq) }

// Rules is the id of the item of all label changes by the rules of event seq.
func (m Mint) Rules(seq uint64) string { return m.prefix + "rules/" + decimal(seq) }

// Feed is the id of a feed; slug is empty for the feeds of everything.
func (m Mint) Feed(kind Kind, slug string) string {
	id := m.prefix + "feed/" + string(kind)
	if slug != "" {
		id += "/" + slug
	}
	return id
}

func decimal(seq uint64) string { return strconv.FormatUint(seq, 10) }
