package pages

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// Site is what all pages share: how the place is called and where it is found.
type Site struct {
	// Title stands in the masthead, in titles and before the name of each feed.
	// Empty means Shiplog.
	Title string
	// Description is the ledger's own description. It leads the front page;
	// empty means a sentence that says what the panel does.
	Description string
	// BaseURL is the public address, such as https://reviews.example. Canonical
	// and feed links are built from it and never from a request.
	BaseURL string
}

const (
	defaultTitle = "Shiplog"
	defaultLead  = "A panel judges software tools, and every review ends in ship or skip. Verdicts can change; what was said before stays in the ledger, under its number."
)

// ContentSecurityPolicy is the policy the pages are made for: everything comes
// from this site, nothing runs, nobody frames it.
const ContentSecurityPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// cleaned fills the defaults and checks the address.
func (s Site) cleaned() (Site, error) {
	if s.Title == "" {
		s.Title = defaultTitle
	}
	u, err := url.Parse(s.BaseURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return s, fmt.Errorf("base URL %q: want an absolute http or https address", s.BaseURL)
	}
	s.BaseURL = strings.TrimSuffix(s.BaseURL, "/")
	return s, nil
}

// Loopback reports whether the address is this machine's own, where events may
// be sent without a token.
func (s Site) Loopback() bool {
	u, err := url.Parse(s.BaseURL)
	if err != nil {
		return false
	}
	host := u.Hostname()
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || (err == nil && ip.IsLoopback())
}
