package events

// LedgerOpened is event 1 of every ledger, recorded by Shiplog itself. It fixes
// the ledger's identity and the authority and date of every id ever minted
// from it.
type LedgerOpened struct {
	Members
	Ledger      string // a UUID
	Authority   string // of tag: URIs (RFC 4151), a domain name
	Title       string
	Description string
}

// Type names the event type.
func (*LedgerOpened) Type() string { return "shiplog.ledger.opened.v1" }

// Subject is "opened".
func (*LedgerOpened) Subject() string { return "opened" }

func ledgerOpenedFields() []Field {
	return []Field{
		{
			Name: "authority", Kind: KindLine, Required: true, Doc: "domain name in every feed id (RFC 4151), for ever",
			at: func(p Payload) any { return &p.(*LedgerOpened).Authority },
		},
		{
			Name: "description", Kind: KindText, Erasable: true, Doc: "what this ledger is for",
			at: func(p Payload) any { return &p.(*LedgerOpened).Description },
		},
		{
			Name: "ledger", Kind: KindUUID, Required: true, Doc: "identity of the ledger",
			at: func(p Payload) any { return &p.(*LedgerOpened).Ledger },
		},
		{
			Name: "title", Kind: KindLine, Required: true, Doc: "name of the site and its feeds",
			at: func(p Payload) any { return &p.(*LedgerOpened).Title },
		},
	}
}

// EventSkipped is an operator's mend for an event that cannot be applied: every
// node and every rebuild ignores it alike.
type EventSkipped struct {
	Members
	Seq    int64
	Reason string
}

// Type names the event type.
func (*EventSkipped) Type() string { return "shiplog.event.skipped.v1" }

// Subject is "skipped".
func (*EventSkipped) Subject() string { return "skipped" }

func eventSkippedFields() []Field {
	return []Field{
		{
			Name: "reason", Kind: KindText, Required: true, Erasable: true, Doc: "why the event cannot be applied",
			at: func(p Payload) any { return &p.(*EventSkipped).Reason },
		},
		{
			Name: "seq", Kind: KindInteger, Required: true, Min: 2, Max: maxInteger, Doc: "sequence of the event to ignore",
			at: func(p Payload) any { return &p.(*EventSkipped).Seq },
		},
	}
}
