package schema_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"text/template"

	"shiplog/events"
)

const draft = "https://json-schema.org/draft/2020-12/schema"

// m is a JSON object; its members are written in order of their names.
type m = map[string]any

// generate makes every generated file.
func generate(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{
		"event.schema.json": encode(t, eventSchema()),
		"asyncapi.yaml":     asyncAPI(t),
	}
	for _, info := range events.Types() {
		files[info.Name+".schema.json"] = encode(t, dataSchema(info))
	}
	return files
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// dataSchema is the schema of the data of a type.
func dataSchema(info *events.TypeInfo) m {
	properties := m{}
	required := []string{}
	for _, f := range info.Fields {
		properties[f.Name] = fieldSchema(f)
		if f.Required {
			required = append(required, f.Name)
		}
	}
	return m{
		"$schema":              draft,
		"$id":                  info.Name + ".schema.json",
		"title":                info.Name,
		"description":          info.Doc,
		"type":                 "object",
		"properties":           properties,
		"required":             required,
		"additionalProperties": false,
	}
}

func fieldSchema(f events.Field) m {
	s := kindSchema(f)
	if f.Nullable {
		s = m{"anyOf": []m{s, {"type": "null"}}}
	}
	s["description"] = f.Doc
	if f.Nullable {
		s["description"] = f.Doc + "; null clears it"
	}
	if f.Erasable {
		s["x-shiplog-erasable"] = true
	}
	if f.Instruction {
		s["x-shiplog-instruction"] = true
	}
	return s
}

func kindSchema(f events.Field) m {
	named := f.Required || f.Instruction
	switch f.Kind {
	case events.KindSlug:
		return slugSchema()
	case events.KindLine:
		return textSchema(events.MaxLine, named, `^[^\r\n\t`+"\u0085\u2028\u2029"+`]*$`)
	case events.KindText:
		return textSchema(events.MaxText, named)
	case events.KindEnum:
		return m{"enum": f.Values}
	case events.KindInteger:
		return m{"type": "integer", "minimum": f.Min, "maximum": f.Max}
	case events.KindURL:
		return urlSchema()
	case events.KindLines:
		return listSchema(textSchema(events.MaxItem, true))
	case events.KindURLs:
		return listSchema(urlSchema())
	case events.KindSlugs:
		return listSchema(slugSchema())
	case events.KindUUID:
		return m{"type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"}
	}
	panic("a kind without a schema")
}

func slugSchema() m {
	return m{
		"type": "string", "maxLength": events.MaxSlug,
		"pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "not": m{"pattern": "-vs(-|$)"},
	}
}

// textSchema counts characters where Shiplog counts bytes: it may take more.
func textSchema(most int, readable bool, patterns ...string) m {
	s := m{"type": "string", "maxLength": most}
	if readable {
		s["minLength"] = 1
		patterns = append(patterns, `\S`)
	}
	switch len(patterns) {
	case 1:
		s["pattern"] = patterns[0]
	case 2:
		s["allOf"] = []m{{"pattern": patterns[0]}, {"pattern": patterns[1]}}
	}
	return s
}

func urlSchema() m {
	return m{"type": "string", "maxLength": events.MaxURL, "pattern": "^[hH][tT][tT][pP][sS]?://[^/?#\\s]", "format": "iri"}
}

func listSchema(item m) m {
	return m{"type": "array", "maxItems": events.MaxItems, "items": item}
}

// eventSchema is the schema of the event around the data: with a salt as it is
// stored, without one as it is submitted.
func eventSchema() m {
	ref := func(def string) m { return m{"$ref": "#/$defs/" + def} }
	return m{
		"$schema":     draft,
		"$id":         "event.schema.json",
		"title":       "Shiplog event",
		"description": "A CloudEvent (CloudEvents 1.0, JSON format). One with a salt is as the ledger stores it, one without as a publisher submits it.",
		"if":          m{"type": "object", "required": []string{"salt"}},
		"then":        ref("stored"),
		"else":        ref("submitted"),
		"$defs":       m{"submitted": submittedSchema(), "stored": storedSchema(), "hash": hexSchema(32), "extension": extensionSchema()},
	}
}

func submittedSchema() m {
	properties := commonProperties(true)
	optional := func(s m) m { return m{"anyOf": []m{s, {"type": "null"}}} }
	properties["time"] = optional(timeSchema("when it was written; absent means the time of recording"))
	properties["subject"] = optional(m{"type": "string", "maxLength": events.MaxLine})
	properties["dataschema"] = optional(m{"type": "string", "maxLength": events.MaxURL})
	properties["datacontenttype"] = optional(m{"type": "string", "pattern": `^\s*([aA][pP][pP][lL][iI][cC][aA][tT][iI][oO][nN]/[jJ][sS][oO][nN]|.*\+[jJ][sS][oO][nN])\s*(;.*)?$`})
	for _, name := range []string{"data_base64", "recordedtime", "publisher", "cause", "salt", "inputhash", "prevleaf"} {
		properties[name] = m{"type": "null", "description": "not for publishers"}
	}
	return envelopeSchema("as a publisher submits it", properties, []string{"specversion", "id", "source", "type", "data"}, false)
}

func storedSchema() m {
	hash := m{"$ref": "#/$defs/hash"}
	properties := commonProperties(false)
	properties["time"] = timeSchema("when it was written, as sent")
	properties["subject"] = m{"type": "string"}
	properties["dataschema"] = m{"type": "string"}
	properties["datacontenttype"] = m{"const": "application/json"}
	properties["recordedtime"] = m{"type": "string", "pattern": `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, "description": "when it was recorded; never before the previous event's"}
	properties["publisher"] = m{"type": "string", "description": "who sent it, as the server knows it"}
	properties["cause"] = m{"type": "integer", "minimum": 1, "description": "of an event that Shiplog derived: the sequence of its cause"}
	properties["salt"] = hexSchema(16)
	properties["inputhash"] = hash
	properties["prevleaf"] = hash
	required := []string{"specversion", "id", "source", "type", "data", "time", "datacontenttype", "recordedtime", "publisher", "salt", "inputhash", "prevleaf"}
	return envelopeSchema("as the ledger stores it, in canonical form (RFC 8785)", properties, required, true)
}

func envelopeSchema(doc string, properties m, required []string, reserved bool) m {
	return m{
		"description":          "An event " + doc + ".",
		"type":                 "object",
		"properties":           properties,
		"required":             required,
		"additionalProperties": m{"$ref": "#/$defs/extension"},
		"propertyNames":        m{"pattern": "^([a-z0-9]{1,64}|data_base64)$"},
		"allOf":                dataByType(reserved),
	}
}

func commonProperties(submitted bool) m {
	identifier := func(doc string) m {
		return m{"type": "string", "minLength": 1, "maxLength": 512, "pattern": "^[^\u0000-\u001f\u007f-\u009f\ufffd]*$", "description": doc}
	}
	source := identifier("who sends, a URI reference; with the id the identity of the event, for ever")
	if submitted {
		source["allOf"] = []m{{"not": m{"pattern": "^" + events.ReservedSource}}, {"pattern": "^[^ ]*$"}}
	}
	return m{
		"specversion": m{"const": "1.0"},
		"id":          identifier("one of its own for each event of a source"),
		"source":      source,
		"type":        m{"enum": typeNames(!submitted)},
		"data":        m{"type": "object"},
	}
}

func typeNames(reserved bool) []string {
	var names []string
	for _, info := range events.Types() {
		if reserved || !info.Reserved {
			names = append(names, info.Name)
		}
	}
	return names
}

// dataByType says which schema the data has.
func dataByType(reserved bool) []m {
	var list []m
	for _, name := range typeNames(reserved) {
		list = append(list, m{
			"if":   m{"properties": m{"type": m{"const": name}}, "required": []string{"type"}},
			"then": m{"properties": m{"data": m{"$ref": name + ".schema.json"}}},
		})
	}
	return list
}

func timeSchema(doc string) m {
	return m{
		"type": "string", "maxLength": 64, "format": "date-time", "description": doc + " (RFC 3339)",
		"pattern": `^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:[0-5]\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$`,
	}
}

func hexSchema(size int) m {
	return m{"type": "string", "pattern": "^[0-9a-f]*$", "minLength": 2 * size, "maxLength": 2 * size}
}

// extensionSchema is what an extension attribute may be.
func extensionSchema() m {
	return m{"anyOf": []m{
		{"type": []string{"string", "boolean", "null"}},
		{"type": "integer", "minimum": -1 << 31, "maximum": 1<<31 - 1},
	}}
}

// asyncAPI fills the template.
func asyncAPI(t *testing.T) []byte {
	t.Helper()
	tmpl, err := template.ParseFiles("testdata/asyncapi.yaml.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := tmpl.Execute(&b, events.Types()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
