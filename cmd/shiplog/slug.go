package main

import (
	"fmt"

	"shiplog/events"
)

// Run proposes a slug for each name.
func (c *SlugCmd) Run(std *stdio) error {
	for _, name := range c.Names {
		fmt.Fprintln(std.out, events.ProposeSlug(name))
	}
	return nil
}
