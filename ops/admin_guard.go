package ops

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"shiplog/events/intake"
)

// guard keeps pages in an operator's browser out of the listener: what comes of
// another page's wish is refused, and so is what asks this machine for a name that
// is not its own, since such a name may be a stranger's that was pointed here, and
// then the browser takes page and listener for one. What tells measures and health
// alone is answered under any name.
func guard(next http.Handler) http.Handler {
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		within := strings.HasPrefix(r.URL.Path, "/admin/") || strings.HasPrefix(r.URL.Path, "/debug/")
		if within && fromHere(r) && !intake.IsLoopbackName(r.Host) {
			problem(w, &Refusal{
				Status: http.StatusForbidden,
				Detail: fmt.Sprintf("host %q is not a name of this machine that a web page could not have; ask for 127.0.0.1 or localhost", r.Host),
			})
			return
		}
		next.ServeHTTP(w, r)
	}))
}

// fromHere tells whether a request was sent on this machine to itself.
func fromHere(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && peer.Addr().Unmap().IsLoopback()
}
