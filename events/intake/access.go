package intake

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"shiplog/events"
)

// access decides who may write over HTTP.
//
// A request without the write token must come from this machine, and not on
// behalf of anybody else: a proxy on this machine would make the whole world
// local, and so would a web page in a browser here. The token writes from
// anywhere, but not what changes the panel as a whole.
type access struct {
	token   func() string
	origins *http.CrossOriginProtection
}

// A permit is what a request may write.
type permit struct {
	remote string // why the request is not local, "" when it is
}

// judge decides by everything but the body.
func (a *access) judge(r *http.Request) (permit, *failure) {
	remote := a.remote(r)
	sent, bearer := bearerToken(r)
	if bearer {
		switch want := a.writeToken(); {
		case want == "" && remote != "":
			return permit{}, forbidden("this server has no write token; start it with --write-token-file")
		case want != "" && !equal(sent, want):
			return permit{}, forbidden("the write token is wrong; send the one in the server's --write-token-file")
		case want != "":
			return permit{remote}, nil
		}
	}
	if remote != "" {
		return permit{}, forbidden("writing without a token is for programs on the server's own machine, and " + remote +
			"; send \"Authorization: Bearer TOKEN\" with the token of the server's --write-token-file, or send from there")
	}
	return permit{}, nil
}

func forbidden(detail string) *failure {
	return fault(http.StatusForbidden, events.CodeNotAllowed, "%s", detail)
}

// restrict refuses what a request may not write.
func (p permit) restrict(items []Item) {
	if p.remote == "" {
		return
	}
	for i := range items {
		data := items[i].Submission.Data
		if len(items[i].Problems) > 0 || data == nil || !localOnly(data) {
			continue
		}
		items[i].Problems.Add("/type", events.CodeNotAllowed,
			"%s is taken only from programs on the server's own machine, and %s; send it from there", data.Type(), p.remote)
	}
}

// localOnly names what a token does not open: events by which one sender could
// change what the whole panel's reviews mean.
func localOnly(p events.Payload) bool {
	switch p.(type) {
	case *events.RulesPublished, *events.ToolMerged, *events.ToolUnmerged, *events.ReviewerUnseated:
		return true
	}
	return false
}

// remote says why a request does not count as local, "" when it does.
func (a *access) remote(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !peer.Addr().Unmap().IsLoopback() {
		return "this request comes from another one"
	}
	if !IsLoopbackName(r.Host) {
		return fmt.Sprintf("this request asks for host %q, which is not a name of it such as localhost", r.Host)
	}
	for name := range r.Header {
		switch {
		case name == "Forwarded", name == "Via", name == "X-Real-Ip", strings.HasPrefix(name, "X-Forwarded-"):
			return fmt.Sprintf("this request came through a proxy (it has the header %s)", name)
		}
	}
	if a.origins.Check(r) != nil {
		return "this request was made by a web page of another origin"
	}
	return ""
}

// IsLoopbackName reports whether a Host header names this machine: localhost,
// a name below it, 127.0.0.0/8 or [::1], with any port. Any other name could be
// a stranger's, pointed at this machine for the sake of a page's script.
func IsLoopbackName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().IsLoopback()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

func (a *access) writeToken() string {
	if a.token == nil {
		return ""
	}
	return a.token()
}

// bearerToken is the token a request brings.
func bearerToken(r *http.Request) (token string, ok bool) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(token), strings.EqualFold(scheme, "Bearer")
}

// equal compares in a time that tells nothing, not even of the length.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
