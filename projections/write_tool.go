package projections

import (
	"context"
	"fmt"

	"shiplog/events"
)

// toolVersion is a row of tool_versions but for seq, tool and until.
type toolVersion struct {
	name, folded                   string
	named                          uint64
	category                       int64
	tagline, description, homepage string
	pricing, pricingNote           string
	into                           int64
	merged                         uint64
	mergeReason                    string
	retired                        uint64
	retireReason, retiredBy        string
	freed                          uint64
}

func (w *writer) toolRegistered(e *events.Event, p *events.ToolRegistered) error {
	t, err := w.tool(p.Tool)
	if err != nil {
		return err
	}
	var v toolVersion
	if t == nil {
		t, err = w.newTool(e, p.Tool)
	} else {
		v, err = w.closeTool(e, t)
	}
	if err != nil {
		return err
	}
	if v.name != p.Name {
		v.name, v.folded, v.named = p.Name, fold(p.Name), e.Seq
	}
	update(p, "tagline", &v.tagline, p.Tagline)
	update(p, "description", &v.description, p.Description)
	update(p, "homepage", &v.homepage, p.Homepage)
	update(p, "pricing", &v.pricing, p.Pricing)
	update(p, "pricing_note", &v.pricingNote, p.PricingNote)
	if v.retired != 0 {
		v.retired, v.retireReason, v.retiredBy, v.freed = 0, "", "", e.Seq
	}
	if events.Has(p, "category") {
		if v.category, err = w.category(p.Category); err != nil {
			return err
		}
	}
	if err := w.openTool(e, t, &v); err != nil {
		return err
	}
	if events.Has(p, "aliases") {
		return w.setAliases(e, t, p.Aliases)
	}
	return nil
}

// update takes a member that was sent; null clears.
func update(p events.Payload, name string, into *string, value string) {
	switch {
	case events.IsNull(p, name):
		*into = ""
	case events.Has(p, name):
		*into = value
	}
}

func (w *writer) newTool(e *events.Event, slug string) (*toolState, error) {
	t := &toolState{id: w.lastTool + 1, slug: slug, stances: make(map[int64]stance), whole: true}
	if err := w.c.exec(`INSERT INTO tools VALUES (?, ?, ?, ?)`, t.id, slug, e.Seq, e.Publisher); err != nil {
		return nil, err
	}
	w.lastTool = t.id
	w.keepTool(t)
	return t, nil
}

// closeTool ends the tool's current version, which is returned.
func (w *writer) closeTool(e *events.Event, t *toolState) (v toolVersion, err error) {
	var seq uint64
	err = w.c.query(context.Background(), `SELECT seq, name, folded, named, category, tagline, description, homepage,
		pricing, pricing_note, into_tool, merged, merge_reason, retired, retire_reason, retired_by, freed
		FROM tool_versions WHERE tool = ? ORDER BY seq DESC LIMIT 1`, []any{t.id}, func(r *row) {
		seq = r.seq()
		v = toolVersion{
			name: r.text(), folded: r.text(), named: r.seq(), category: r.id(),
			tagline: r.text(), description: r.text(), homepage: r.text(), pricing: r.text(), pricingNote: r.text(),
			into: r.id(), merged: r.seq(), mergeReason: r.text(),
			retired: r.seq(), retireReason: r.text(), retiredBy: r.text(), freed: r.seq(),
		}
	})
	if err != nil {
		return v, err
	}
	return v, w.c.exec(`UPDATE tool_versions SET until = ? WHERE seq = ?`, e.Seq, seq)
}

// openTool begins a version of the tool.
func (w *writer) openTool(e *events.Event, t *toolState, v *toolVersion) error {
	err := w.c.exec(`INSERT INTO tool_versions VALUES (?,?,?, ?,?,?,?, ?,?,?, ?,?, ?,?,?, ?,?,?,?)`,
		e.Seq, t.id, int64(current), v.name, v.folded, v.named, v.category,
		v.tagline, v.description, v.homepage, v.pricing, v.pricingNote,
		v.into, v.merged, v.mergeReason, v.retired, v.retireReason, v.retiredBy, v.freed)
	if err != nil {
		return err
	}
	before := *t
	t.category, t.merged, t.listed = v.category, v.into != 0, v.into == 0 && v.retired == 0
	if before.listed != t.listed || before.category != t.category {
		label := t.tally.Label(w.rules.Quorum)
		if before.listed {
			err = w.enlist(&before, label, -1)
		}
		if t.listed && err == nil {
			err = w.enlist(t, label, 1)
		}
	}
	if err != nil || before.category == t.category {
		return err
	}
	return w.recategorise(e, t, before.category)
}

func (w *writer) setAliases(e *events.Event, t *toolState, aliases []string) error {
	had := make(map[string]bool)
	err := w.c.query(context.Background(), `SELECT alias FROM aliases WHERE tool = ? AND until = `+forever, []any{t.id},
		func(r *row) { had[r.text()] = true })
	if err != nil {
		return err
	}
	for _, alias := range aliases {
		if had[alias] || alias == t.slug {
			delete(had, alias)
			continue
		}
		// An alias means one tool at a time: the newest that claims it.
		if err := w.c.exec(`UPDATE aliases SET until = ? WHERE alias = ? AND until = `+forever, e.Seq, alias); err != nil {
			return err
		}
		err := w.c.exec(`INSERT INTO aliases VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`, alias, e.Seq, int64(current), t.id)
		if err != nil {
			return err
		}
	}
	for alias := range had {
		if err := w.c.exec(`UPDATE aliases SET until = ? WHERE alias = ? AND until = `+forever, e.Seq, alias); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) toolRetired(e *events.Event, p *events.ToolRetired) error {
	t, err := w.knownTool(e, p.Tool)
	if err != nil {
		return err
	}
	return w.changeTool(e, t, func(v *toolVersion) {
		v.retired, v.retireReason, v.retiredBy = e.Seq, p.Reason, e.Publisher
	})
}

func (w *writer) changeTool(e *events.Event, t *toolState, change func(*toolVersion)) error {
	v, err := w.closeTool(e, t)
	if err != nil {
		return err
	}
	change(&v)
	return w.openTool(e, t, &v)
}

func (w *writer) replyPublished(e *events.Event, p *events.ReplyPublished) error {
	t, err := w.knownTool(e, p.Tool)
	if err != nil {
		return err
	}
	if p.Replaces != 0 {
		err := w.c.exec(`UPDATE replies SET until = ? WHERE seq = ? AND tool = ? AND until = `+forever, e.Seq, p.Replaces, t.id)
		if err != nil {
			return err
		}
	}
	err = w.c.exec(`INSERT INTO replies VALUES (?, ?, ?, ?, ?, ?, ?)`,
		e.Seq, t.id, int64(current), p.Author, p.Body, e.Publisher, p.Replaces)
	if err != nil {
		return fmt.Errorf("insert reply: %w", err)
	}
	return nil
}
