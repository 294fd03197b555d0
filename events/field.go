package events

// A Kind is what a member of a payload may hold.
type Kind uint8

// The kinds of member.
const (
	KindSlug    Kind = iota // a slug, see [SlugProblem]
	KindLine                // text on one line
	KindText                // text, line breaks kept
	KindEnum                // one of Values
	KindInteger             // a whole number from Min to Max
	KindURL                 // an absolute http or https URL
	KindLines               // a list of texts
	KindURLs                // a list of URLs
	KindSlugs               // a list of slugs
	KindUUID                // a UUID (RFC 9562) in its usual form, small letters
)

// Limits of a single member.
const (
	MaxLine  = 1 << 10  // bytes of a line
	MaxText  = 64 << 10 // bytes of a text
	MaxItems = 64       // entries of a list
	MaxItem  = 4 << 10  // bytes of one entry of a list
	MaxURL   = 2 << 10  // bytes of a URL
)

// maxInteger is the largest whole number that every JSON reader keeps exact
// (RFC 8259, section 6).
const maxInteger = 1<<53 - 1

// A Field describes one member of a payload. The table of a payload is the one
// description that decoding, validation, the canonical form, the leaf hash and
// the JSON Schema are made from.
type Field struct {
	Name     string
	Kind     Kind
	Required bool
	// Nullable members are cleared by null; an absent one is kept.
	Nullable bool
	// Erasable values enter the leaf hash only as a keyed commitment.
	Erasable bool
	// Instruction members tell the intake how to decide and are not recorded.
	Instruction bool
	// Assigned members are set by the intake: a publisher may not send them.
	Assigned bool
	Values   []string // of KindEnum
	Min, Max int64    // of KindInteger
	Doc      string

	// at is where the value lives in a payload of the table's type: a *string,
	// *int64 or *[]string.
	at func(Payload) any
}

// A Payload is the data of an event. Its type names a version for ever.
type Payload interface {
	// Type is the event type, as in "shiplog.tool.registered.v1".
	Type() string
	// Subject is the entity's NATS subject below "shiplog.ledger.".
	Subject() string
	members() *Members
}

// Members records which members of a payload were sent and which of them as
// null, by their place in the field table. Payload types embed it.
type Members struct {
	sent uint32
	null uint32
}

func (m *Members) members() *Members { return m }

// Fields is the field table of a payload's type, in canonical order (RFC 8785:
// by UTF-16 code units, which for these names is by byte).
func Fields(p Payload) []Field { return typeOf(p).Fields }

// Has reports whether the member was sent, as a value or as null. A payload
// made in Go has the members that are not zero or were marked by [Mark].
func Has(p Payload, name string) bool {
	fields := Fields(p)
	for i := range fields {
		if fields[i].Name == name {
			return present(p, fields, i)
		}
	}
	return false
}

// IsNull reports whether the member was sent as null: to clear it.
func IsNull(p Payload, name string) bool {
	for i, f := range Fields(p) {
		if f.Name == name {
			return p.members().null&(1<<i) != 0
		}
	}
	return false
}

// Mark says that a member is sent though its value is zero, as in expects: 0.
func Mark(p Payload, name string) {
	for i, f := range Fields(p) {
		if f.Name == name {
			p.members().sent |= 1 << i
		}
	}
}

// present reports whether field i is written in the canonical form. A required
// one always is: what is stored can be decoded.
func present(p Payload, fields []Field, i int) bool {
	if m := p.members(); fields[i].Required || (m.sent|m.null)&(1<<i) != 0 {
		return true
	}
	switch v := fields[i].at(p).(type) {
	case *string:
		return *v != ""
	case *int64:
		return *v != 0
	case *[]string:
		return len(*v) > 0
	}
	return false
}
