package events

// InputOf is the canonical input of a payload that Shiplog records on its own
// account: what [Parse] gives as Submission.Input for one that was sent with
// this time, "" for none.
func InputOf(p Payload, time string) []byte {
	b, _ := appendData([]byte(`{"data":`), p, nil)
	if time != "" {
		b = appendString(appendName(b, "time"), time)
	}
	b = appendString(appendName(b, "type"), p.Type())
	return append(b, '}')
}
