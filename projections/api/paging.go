package api

// Page is how much of a list is asked for.
type Page struct {
	Limit int `query:"limit" default:"100" minimum:"1" maximum:"1000" doc:"how many at most"`
}

// cut takes from a list that was asked for one longer than the limit what is on
// the page, and tells whether there is more.
func cut[T any](list []T, limit int) (page []T, more bool) {
	if len(list) > limit {
		return list[:limit], true
	}
	return list, false
}
