package ops

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"shiplog/events/intake"
)

// guard keeps pages in an operator's browser out of the listener: what comes of
// another page's wish is refused, reading too, since a profile or an export costs
// much; and so is what asks for a name that may be a stranger's, pointed here, since
// then the browser takes page and listener for one. It goes by the name alone: a
// browser on this machine comes from another where the port is a container's. What
// tells measures and health alone is answered under any name.
func (a *Admin) guard(next http.Handler) http.Handler {
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/admin/") || strings.HasPrefix(r.URL.Path, "/debug/") {
			if err := a.meant(r); err != nil {
				problem(w, err)
				return
			}
		}
		next.ServeHTTP(w, r)
	}))
}

// meant is why a request may be a page's and not its reader's, nil where it is not.
func (a *Admin) meant(r *http.Request) error {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "none" && site != "same-origin" {
		return &Refusal{
			Status: http.StatusForbidden,
			Detail: "this was asked for by a page of another origin; open the address itself, or use curl",
		}
	}
	if !a.isOwn(r.Host) {
		return &Refusal{
			Status: http.StatusForbidden,
			Detail: fmt.Sprintf("host %q is not a name of this machine that a web page could not have; ask for 127.0.0.1 or localhost, for another IP address of it, or for a name without a dot", r.Host),
		}
	}
	return nil
}

// isOwn tells whether no stranger can have a name: an address is no name, one
// without a dot is of a local network (a service of compose or Kubernetes), and the
// others are this node's own.
func (a *Admin) isOwn(host string) bool {
	if intake.IsLoopbackName(host) {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if _, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")); err == nil {
		return true
	}
	return host != "" && !strings.Contains(host, ".") ||
		slices.ContainsFunc(a.Names, func(name string) bool { return strings.EqualFold(name, host) })
}
