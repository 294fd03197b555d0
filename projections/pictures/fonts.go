package pictures

import (
	"fmt"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-fonts/liberation/liberationserifbold"
	"codeberg.org/go-fonts/liberation/liberationserifitalic"
	"codeberg.org/go-fonts/liberation/liberationserifregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
)

// A style is one of the fonts.
type style int

const (
	serif  style = iota // names
	bold                // results
	italic              // the word between two names
	sans                // counts
	strong              // verdicts
	styles
)

// fonts are parsed once. They may be shared, faces may not.
type fonts [styles]*sfnt.Font

func loadFonts() (*fonts, error) {
	var out fonts
	for i, data := range [styles][]byte{
		serif:  liberationserifregular.TTF,
		bold:   liberationserifbold.TTF,
		italic: liberationserifitalic.TTF,
		sans:   liberationsansregular.TTF,
		strong: liberationsansbold.TTF,
	} {
		f, err := opentype.Parse(data)
		if err != nil {
			return nil, fmt.Errorf("parse font %d: %w", i, err)
		}
		out[i] = f
	}
	return &out, nil
}

// A cut is a font in a size.
type cut struct {
	style style
	size  int
}

// faces are the cuts a sheet has used. Sizes come in steps, so they are few.
type faces map[cut]font.Face

// face finds a cut, or notes why it cannot be made.
func (s *sheet) face(c cut) font.Face {
	if f := s.faces[c]; f != nil {
		return f
	}
	// At 72 dots per inch a point is a pixel.
	f, err := opentype.NewFace(s.fonts[c.style], &opentype.FaceOptions{Size: float64(c.size), DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		s.err = fmt.Errorf("font %d at %d pixels: %w", c.style, c.size, err)
		return nil
	}
	s.faces[c] = f
	return f
}
