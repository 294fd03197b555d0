package pages

// ProblemView is an error page. Detail says what was wrong with this request;
// the page adds what to do about it.
type ProblemView struct {
	Page
	Status int
	Detail string
	// Near are things with a similar address, offered on a 404.
	Near []ToolRow
}
