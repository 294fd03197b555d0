package events

// MatchupOpened opens the comparison of two tools: one per unordered pair, for
// ever, with left and right as first opened.
type MatchupOpened struct {
	Members
	Left  string
	Right string
}

// Type names the event type.
func (*MatchupOpened) Type() string { return "shiplog.matchup.opened.v1" }

// Subject is the pair's.
func (p *MatchupOpened) Subject() string { return "matchup." + p.Left + "." + p.Right }

func matchupOpenedFields() []Field {
	return []Field{
		{
			Name: "left", Kind: KindSlug, Required: true, Doc: "the tool on the left",
			at: func(p Payload) any { return &p.(*MatchupOpened).Left },
		},
		{
			Name: "right", Kind: KindSlug, Required: true, Doc: "the tool on the right",
			at: func(p Payload) any { return &p.(*MatchupOpened).Right },
		},
	}
}

// ReplyPublished is the vendor's reply, shown beside the panel, never counted.
type ReplyPublished struct {
	Members
	Tool     string
	Body     string
	Author   string
	Replaces int64
}

// Type names the event type.
func (*ReplyPublished) Type() string { return "shiplog.reply.published.v1" }

// Subject is the tool's replies.
func (p *ReplyPublished) Subject() string { return "reply." + p.Tool }

func replyPublishedFields() []Field {
	return []Field{
		{
			Name: "author", Kind: KindLine, Erasable: true, Doc: "who replies",
			at: func(p Payload) any { return &p.(*ReplyPublished).Author },
		},
		{
			Name: "body", Kind: KindText, Required: true, Erasable: true, Doc: "the reply, plain text",
			at: func(p Payload) any { return &p.(*ReplyPublished).Body },
		},
		{
			Name: "replaces", Kind: KindInteger, Min: 1, Max: maxInteger, Doc: "sequence of the reply this one replaces",
			at: func(p Payload) any { return &p.(*ReplyPublished).Replaces },
		},
		{
			Name: "tool", Kind: KindSlug, Required: true, Doc: "the tool's slug",
			at: func(p Payload) any { return &p.(*ReplyPublished).Tool },
		},
	}
}
