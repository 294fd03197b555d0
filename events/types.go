package events

import (
	"cmp"
	"slices"
)

// A TypeInfo is what is known of one event type.
type TypeInfo struct {
	Name   string  // as in "shiplog.tool.registered.v1"
	Fields []Field // in canonical order
	// Reserved types are recorded by Shiplog itself and refused from
	// publishers.
	Reserved bool
	Doc      string

	blank func() Payload
	// upcast turns a payload of this older version into the next one; nil for
	// the newest.
	upcast func(Payload) Payload
}

// A registry knows event types by name.
type registry map[string]*TypeInfo

// types are the event types, built once and never changed.
var types = newRegistry(allTypes())

func newRegistry(list []*TypeInfo) registry {
	byName := make(registry, len(list))
	for _, t := range list {
		t.Name = t.blank().Type()
		t.Fields = sortFields(t.Fields)
		byName[t.Name] = t
	}
	return byName
}

// current brings a payload to the newest version of its type, one version after
// the other.
func (r registry) current(p Payload) Payload {
	for {
		t := r[p.Type()]
		if t == nil || t.upcast == nil {
			return p
		}
		p = t.upcast(p)
	}
}

func allTypes() []*TypeInfo {
	return []*TypeInfo{
		{
			blank: func() Payload { return new(LedgerOpened) }, Fields: ledgerOpenedFields(), Reserved: true,
			Doc: "The ledger begins. Event 1, recorded by Shiplog itself.",
		},
		{
			blank: func() Payload { return new(RulesPublished) }, Fields: rulesPublishedFields(),
			Doc: "Rules for verdicts and matchups take effect.",
		},
		{
			blank: func() Payload { return new(ReviewerSeated) }, Fields: reviewerSeatedFields(),
			Doc: "A reviewer joins the panel, or is updated.",
		},
		{
			blank: func() Payload { return new(ReviewerUnseated) }, Fields: reviewerUnseatedFields(),
			Doc: "A reviewer leaves the panel.",
		},
		{
			blank: func() Payload { return new(ToolRegistered) }, Fields: toolRegisteredFields(),
			Doc: "A tool is registered, or updated.",
		},
		{
			blank: func() Payload { return new(ToolMerged) }, Fields: toolMergedFields(),
			Doc: "A tool turns out to be a duplicate of another.",
		},
		{
			blank: func() Payload { return new(ToolUnmerged) }, Fields: toolUnmergedFields(),
			Doc: "A merge is taken back.",
		},
		{
			blank: func() Payload { return new(ToolRetired) }, Fields: toolRetiredFields(),
			Doc: "A tool is no longer current.",
		},
		{
			blank: func() Payload { return new(ReviewSubmitted) }, Fields: reviewSubmittedFields(),
			Doc: "A reviewer judges a tool: ship, skip or abstain.",
		},
		{
			blank: func() Payload { return new(ReviewRevised) }, Fields: reviewRevisedFields(), Reserved: true,
			Doc: "A reviewer judges a tool again. Recorded for a submission that changes a review.",
		},
		{
			blank: func() Payload { return new(ReviewWithdrawn) }, Fields: reviewWithdrawnFields(),
			Doc: "A review is withdrawn.",
		},
		{
			blank: func() Payload { return new(ReplyPublished) }, Fields: replyPublishedFields(),
			Doc: "The maker of a tool replies.",
		},
		{
			blank: func() Payload { return new(MatchupOpened) }, Fields: matchupOpenedFields(),
			Doc: "Two tools are compared from now on.",
		},
		{
			blank: func() Payload { return new(EventSkipped) }, Fields: eventSkippedFields(), Reserved: true,
			Doc: "An operator has an event that cannot be applied ignored everywhere.",
		},
	}
}

// Types are all event types, by name. Every type and version that was ever
// recorded stays here.
func Types() []*TypeInfo {
	list := make([]*TypeInfo, 0, len(types))
	for _, t := range types {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b *TypeInfo) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// New is an empty payload of the type.
func (t *TypeInfo) New() Payload { return t.blank() }

// typeOf is the type of a payload, which is always a registered one.
func typeOf(p Payload) *TypeInfo { return types[p.Type()] }

func sortFields(fields []Field) []Field {
	slices.SortFunc(fields, func(a, b Field) int { return cmp.Compare(a.Name, b.Name) })
	return fields
}
