package events

// ToolRegistered registers a tool; registering again updates.
type ToolRegistered struct {
	Members
	Tool        string
	Name        string
	Category    string
	Tagline     string
	Description string
	Homepage    string
	Pricing     string
	PricingNote string
	Aliases     []string
}

// Type names the event type.
func (*ToolRegistered) Type() string { return "shiplog.tool.registered.v1" }

// Subject is the tool's.
func (p *ToolRegistered) Subject() string { return "tool." + p.Tool }

func toolRegisteredFields() []Field {
	return []Field{
		{
			Name: "aliases", Kind: KindSlugs, Nullable: true, Doc: "other slugs that mean this tool; the list replaces the one before",
			at: func(p Payload) any { return &p.(*ToolRegistered).Aliases },
		},
		{
			Name: "category", Kind: KindSlug, Nullable: true, Doc: "the category's slug",
			at: func(p Payload) any { return &p.(*ToolRegistered).Category },
		},
		{
			Name: "description", Kind: KindText, Nullable: true, Erasable: true, Doc: "what the tool is",
			at: func(p Payload) any { return &p.(*ToolRegistered).Description },
		},
		{
			Name: "homepage", Kind: KindURL, Nullable: true, Doc: "the tool's own page",
			at: func(p Payload) any { return &p.(*ToolRegistered).Homepage },
		},
		{
			Name: "name", Kind: KindLine, Required: true, Erasable: true, Doc: "shown name; may change",
			at: func(p Payload) any { return &p.(*ToolRegistered).Name },
		},
		{
			Name: "pricing", Kind: KindEnum, Nullable: true, Values: []string{"free", "freemium", "paid"}, Doc: "how it is sold",
			at: func(p Payload) any { return &p.(*ToolRegistered).Pricing },
		},
		{
			Name: "pricing_note", Kind: KindLine, Nullable: true, Doc: "a line on the price",
			at: func(p Payload) any { return &p.(*ToolRegistered).PricingNote },
		},
		{
			Name: "tagline", Kind: KindLine, Nullable: true, Doc: "what it is, in a line",
			at: func(p Payload) any { return &p.(*ToolRegistered).Tagline },
		},
		{
			Name: "tool", Kind: KindSlug, Required: true, Doc: "the tool's slug; never changes",
			at: func(p Payload) any { return &p.(*ToolRegistered).Tool },
		},
	}
}

// ToolMerged says that a tool is a duplicate of another.
type ToolMerged struct {
	Members
	Tool   string
	Into   string
	Reason string
}

// Type names the event type.
func (*ToolMerged) Type() string { return "shiplog.tool.merged.v1" }

// Subject is the duplicate's.
func (p *ToolMerged) Subject() string { return "tool." + p.Tool }

func toolMergedFields() []Field {
	return []Field{
		{
			Name: "into", Kind: KindSlug, Required: true, Doc: "the tool that stays: another, known, unmerged one",
			at: func(p Payload) any { return &p.(*ToolMerged).Into },
		},
		{
			Name: "reason", Kind: KindText, Erasable: true, Doc: "why they are one",
			at: func(p Payload) any { return &p.(*ToolMerged).Reason },
		},
		{
			Name: "tool", Kind: KindSlug, Required: true, Doc: "the duplicate",
			at: func(p Payload) any { return &p.(*ToolMerged).Tool },
		},
	}
}

// ToolUnmerged takes a merge back.
type ToolUnmerged struct {
	Members
	Tool   string
	Into   string
	Reason string
}

// Type names the event type.
func (*ToolUnmerged) Type() string { return "shiplog.tool.unmerged.v1" }

// Subject is the tool's that was merged.
func (p *ToolUnmerged) Subject() string { return "tool." + p.Tool }

func toolUnmergedFields() []Field {
	return []Field{
		{
			Name: "into", Kind: KindSlug, Required: true, Doc: "the tool it was merged into",
			at: func(p Payload) any { return &p.(*ToolUnmerged).Into },
		},
		{
			Name: "reason", Kind: KindText, Erasable: true, Doc: "why they are two after all",
			at: func(p Payload) any { return &p.(*ToolUnmerged).Reason },
		},
		{
			Name: "tool", Kind: KindSlug, Required: true, Doc: "the tool that was merged",
			at: func(p Payload) any { return &p.(*ToolUnmerged).Tool },
		},
	}
}

// ToolRetired takes a tool out of lists and pairings; its pages stay, and
// registering it again brings it back.
type ToolRetired struct {
	Members
	Tool   string
	Reason string
}

// Type names the event type.
func (*ToolRetired) Type() string { return "shiplog.tool.retired.v1" }

// Subject is the tool's.
func (p *ToolRetired) Subject() string { return "tool." + p.Tool }

func toolRetiredFields() []Field {
	return []Field{
		{
			Name: "reason", Kind: KindText, Erasable: true, Doc: "why it is no longer current",
			at: func(p Payload) any { return &p.(*ToolRetired).Reason },
		},
		{
			Name: "tool", Kind: KindSlug, Required: true, Doc: "the tool's slug",
			at: func(p Payload) any { return &p.(*ToolRetired).Tool },
		},
	}
}
