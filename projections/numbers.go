package projections

import "shiplog/events"

// forever is current as it stands in SQL.
const forever = "9223372036854775807"

func numberOf(v events.Verdict) uint8 {
	switch v {
	case events.Ship:
		return numShip
	case events.Skip:
		return numSkip
	case events.Abstain:
		return numAbstain
	}
	return numNone
}

func verdictOf(n int) events.Verdict {
	switch n {
	case numShip:
		return events.Ship
	case numSkip:
		return events.Skip
	case numAbstain:
		return events.Abstain
	}
	return ""
}

func numberOfLabel(l events.Label) int64 {
	switch l {
	case events.LabelShip:
		return numShip
	case events.LabelSkip:
		return numSkip
	case events.LabelSplit:
		return numSplit
	}
	return numPending
}

func labelOf(n int) events.Label {
	switch n {
	case numShip:
		return events.LabelShip
	case numSkip:
		return events.LabelSkip
	case numSplit:
		return events.LabelSplit
	}
	return events.LabelPending
}

func kindOf(n int) ReviewKind {
	switch n {
	case numRevised:
		return ReviewRevised
	case numWithdrawn:
		return ReviewWithdrawn
	}
	return ReviewSubmitted
}
