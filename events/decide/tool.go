package decide

import (
	"slices"

	"shiplog/events"
)

// tool finds a tool by slug or alias, one that takes events: known and not
// merged. It is refused otherwise.
func (d *decider) tool(member, slug string) (string, Tool, bool) {
	slug, t, known := d.lookup(slug)
	switch {
	case !known:
		d.unknownTool(member, slug)
	case t.Merged != "":
		target := d.target(t)
		d.refuse(member, events.CodeMerged, "tool %q was merged into %q; send it for %q", slug, target, target)
	default:
		return slug, t, true
	}
	return slug, t, false
}

// lookup resolves an alias and reads the tool.
func (d *decider) lookup(slug string) (string, Tool, bool) {
	if t, known, _ := d.s.Tool(slug); known {
		return slug, t, true
	}
	if of, _ := d.s.Alias(slug); of != "" {
		t, known, _ := d.s.Tool(of)
		return of, t, known
	}
	return slug, Tool{}, false
}

// target follows merges to the tool that stands. There is no cycle: a tool is
// merged only into one that is not merged itself.
func (d *decider) target(t Tool) string {
	slug := t.Merged
	for {
		next, known, _ := d.s.Tool(slug)
		if !known || next.Merged == "" {
			return slug
		}
		slug = next.Merged
	}
}

func (d *decider) register(p *events.ToolRegistered) {
	slug, t, known := d.lookup(p.Tool)
	if known && t.Merged != "" {
		d.tool("tool", slug)
		return
	}
	d.checkAliases(slug, p.Aliases)
	if len(d.problems) > 0 {
		return
	}
	with := *p
	with.Tool = slug
	d.accept(&with)
	if !events.Has(p, "category") || p.Category == t.Category {
		return
	}
	t.Category, t.Retired = p.Category, false
	if t.Tally.N() >= d.s.rules.Quorum {
		d.match(slug, t)
	}
}

// checkAliases refuses aliases that already mean something else.
func (d *decider) checkAliases(slug string, aliases []string) {
	for i, alias := range aliases {
		at := "aliases/" + itoa(i)
		of, _ := d.s.Alias(alias)
		_, isTool, _ := d.s.Tool(alias)
		switch {
		case alias == slug:
			d.refuse(at, events.CodeSelf, "%q is the tool's own slug; leave it out of its aliases", alias)
		case isTool:
			d.refuse(at, events.CodeTaken, "%q is a tool of its own; to make two tools one, send %s", alias, (*events.ToolMerged)(nil).Type())
		case of != "" && of != slug:
			d.refuse(at, events.CodeTaken, "%q is an alias of %q already", alias, of)
		case slices.Contains(aliases[:i], alias):
			d.refuse(at, events.CodeTaken, "%q stands twice in aliases", alias)
		}
	}
}

func (d *decider) merge(p *events.ToolMerged) {
	slug, _, okTool := d.tool("tool", p.Tool)
	into, _, okInto := d.tool("into", p.Into)
	if okTool && okInto && slug == into {
		d.refuse("into", events.CodeSelf, "a tool cannot be merged into itself; into must be another tool")
	}
	if len(d.problems) == 0 {
		with := *p
		with.Tool, with.Into = slug, into
		d.accept(&with)
	}
}

func (d *decider) unmerge(p *events.ToolUnmerged) {
	slug, t, known := d.lookup(p.Tool)
	into, _, _ := d.lookup(p.Into)
	switch {
	case !known:
		d.unknownTool("tool", p.Tool)
	case t.Merged == "":
		d.refuse("tool", events.CodeNotMerged, "tool %q is not merged", slug)
	case t.Merged != into:
		d.refuse("into", events.CodeNotMerged, "tool %q is merged into %q, not into %q", slug, t.Merged, into)
	default:
		with := *p
		with.Tool, with.Into = slug, into
		d.accept(&with)
	}
}

func (d *decider) retire(p *events.ToolRetired) {
	slug, t, ok := d.tool("tool", p.Tool)
	switch {
	case !ok:
	case t.Retired:
		d.refuse("tool", events.CodeNotCurrent, "tool %q is retired already; registering it again brings it back", slug)
	default:
		with := *p
		with.Tool = slug
		d.accept(&with)
	}
}
