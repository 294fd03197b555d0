package pictures

// Readable gives tests a text as the pictures set it.
func (p *Painter) Readable(text string) (string, bool) { return p.fonts.tidy(serif, text) }
