package main

import (
	"fmt"
	"strings"
	"unicode"

	"shiplog/events"
)

// Run proposes a slug for each name.
func (c *SlugCmd) Run(std *stdio) (err error) {
	for _, name := range c.Names {
		if !tellsApart(name) {
			std.note("nothing in %q makes a slug; write one of your own, of small letters and digits with hyphens between them", name)
			err = errSaidNo
			continue
		}
		fmt.Fprintln(std.out, events.ProposeSlug(name))
	}
	return err
}

// tellsApart reports whether a name has a letter, a digit or a symbol such as an
// emoji: what a proposal can be made from that is not only the names of
// punctuation marks.
func tellsApart(name string) bool {
	return strings.ContainsFunc(strings.ToValidUTF8(name, ""), func(r rune) bool {
		return unicode.In(r, unicode.L, unicode.N, unicode.S)
	})
}
