package events

import (
	"bytes"
	"testing"
	"time"
)

// toolAnnounced is a version of tool.registered that never was: it had one
// slug for a link and told the price in words.
type toolAnnounced struct {
	Members
	Tool, Title, Cost string
}

func (*toolAnnounced) Type() string      { return "shiplog.tool.registered.v0" }
func (p *toolAnnounced) Subject() string { return "tool." + p.Tool }

// toolNamed is the version before that.
type toolNamed struct {
	Members
	Tool, Name string
}

func (*toolNamed) Type() string      { return "shiplog.tool.named.v0" }
func (p *toolNamed) Subject() string { return "tool." + p.Tool }

// olderTypes are all types with the two older versions beside them.
func olderTypes() registry {
	return newRegistry(append(allTypes(),
		&TypeInfo{
			blank: func() Payload { return new(toolAnnounced) },
			Fields: []Field{
				{Name: "tool", Kind: KindSlug, Required: true, at: func(p Payload) any { return &p.(*toolAnnounced).Tool }},
				{Name: "title", Kind: KindLine, Required: true, at: func(p Payload) any { return &p.(*toolAnnounced).Title }},
				{Name: "cost", Kind: KindEnum, Values: []string{"nothing", "money"}, at: func(p Payload) any { return &p.(*toolAnnounced).Cost }},
			},
			upcast: func(p Payload) Payload {
				old := p.(*toolAnnounced)
				pricing := map[string]string{"nothing": "free", "money": "paid"}[old.Cost]
				return &ToolRegistered{Tool: old.Tool, Name: old.Title, Pricing: pricing}
			},
		},
		&TypeInfo{
			blank: func() Payload { return new(toolNamed) },
			Fields: []Field{
				{Name: "tool", Kind: KindSlug, Required: true, at: func(p Payload) any { return &p.(*toolNamed).Tool }},
				{Name: "name", Kind: KindLine, Required: true, Erasable: true, at: func(p Payload) any { return &p.(*toolNamed).Name }},
			},
			upcast: func(p Payload) Payload {
				old := p.(*toolNamed)
				return &toolAnnounced{Tool: old.Tool, Title: old.Name}
			},
		},
	))
}

func TestUpcast(t *testing.T) {
	before := `{"data":`
	after := `,"datacontenttype":"application/json","id":"1","inputhash":"` + Hash{}.String() + `","prevleaf":"` + Hash{}.String() +
		`","publisher":"local","recordedtime":"2026-05-02T09:30:00.000Z","salt":"00000000000000000000000000000000","source":"/p","specversion":"1.0","time":"2026-05-02T09:30:00Z","type":"`
	tests := []struct {
		name, data, typ string
		want            ToolRegistered
	}{
		{"one version", `{"cost":"money","title":"Ferrule","tool":"ferrule"}`, "shiplog.tool.registered.v0", ToolRegistered{Tool: "ferrule", Name: "Ferrule", Pricing: "paid"}},
		{"two versions", `{"name":"Ferrule","tool":"ferrule"}`, "shiplog.tool.named.v0", ToolRegistered{Tool: "ferrule", Name: "Ferrule"}},
		{"the newest", `{"name":"Ferrule","tool":"ferrule"}`, "shiplog.tool.registered.v1", ToolRegistered{Tool: "ferrule", Name: "Ferrule"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stored := []byte(before + test.data + after + test.typ + `"}`)
			e, err := olderTypes().decode(5, stored)
			if err != nil {
				t.Fatal(err)
			}
			got, ok := e.Data.(*ToolRegistered)
			if !ok || got.Tool != test.want.Tool || got.Name != test.want.Name || got.Pricing != test.want.Pricing {
				t.Errorf("payload %+v", e.Data)
			}
			if Has(got, "pricing") != (test.want.Pricing != "") || !e.RecordedTime.Equal(time.Date(2026, 5, 2, 9, 30, 0, 0, time.UTC)) {
				t.Errorf("event %+v", e)
			}
			// The leaf is of the bytes as they were stored: it is the same for a
			// version that does not know the type at all.
			unknown, err := (registry{}).decode(5, stored)
			if err == nil || unknown == nil || unknown.Leaf != e.Leaf || unknown.Data != nil || unknown.ID != "1" {
				t.Errorf("as an unknown type: %+v, %v", unknown, err)
			}
			if e.Leaf == (Hash{}) || bytes.Contains(e.AppendCanonical(nil), []byte("v0")) {
				t.Error("the newest version is written as an older one")
			}
		})
	}
}

// TestErasable holds the field tables to the list that a leaf is computed by
// where the type is not known.
func TestErasable(t *testing.T) {
	for _, info := range Types() {
		for _, f := range info.Fields {
			if f.Erasable != (erasable([]byte(f.Name)) != "") {
				t.Errorf("%s: %s is erasable in one of the table and the list", info.Name, f.Name)
			}
			if f.Required && f.Nullable {
				t.Errorf("%s: %s is required and nullable", info.Name, f.Name)
			}
		}
		if len(info.Fields) > 32 {
			t.Errorf("%s has more members than Members counts", info.Name)
		}
	}
}
