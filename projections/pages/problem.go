package pages

import "io"

// ProblemView is an error page. Detail says what was wrong with this request;
// the page adds what to do about it.
type ProblemView struct {
	Page
	Status int
	Detail string
	// Near are things with a similar address, offered on a 404.
	Near []ToolRow
}

// Problem draws an error page.
func (p *Pages) Problem(w io.Writer, v ProblemView) error {
	return p.draw(w, "problem", frame{
		Page: v.Page, V: v, Nav: "none", Path: "/",
		Title:       v.Heading(),
		Description: v.Heading() + ".",
		Feeds:       generalFeeds(),
		Hidden:      true,
	})
}

// Heading names the error for people.
func (v ProblemView) Heading() string {
	switch v.Status {
	case 400:
		return "This address does not make sense"
	case 404:
		return "Nothing is kept under this address"
	case 405:
		return "This address can only be read"
	case 410:
		return "This is gone"
	case 429:
		return "Too many requests"
	case 500:
		return "Something broke here"
	case 503:
		return "Not ready yet"
	}
	return statusText(v.Status)
}

// Advice says what a person can do about it.
func (v ProblemView) Advice() string {
	switch v.Status {
	case 400:
		return "Check the part after the question mark, or start again from one of the lists below."
	case 404:
		return "A name may have changed, but an address here never does, so it was probably mistyped. Search for the name, or start from one of the lists below."
	case 405:
		return "Reviews are sent to /api/v1/events. Pages answer GET and HEAD."
	case 429, 503:
		return "Nothing is lost. Wait a moment and load the page again."
	case 500:
		return "Nothing is lost: every page can be drawn again from the ledger. Load the page again; if it keeps failing, the operator will find the error in the log."
	}
	return "Go back, or start again from one of the lists below."
}
