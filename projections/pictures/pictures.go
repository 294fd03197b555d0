package pictures

import (
	"bytes"
	"fmt"
	"image/png"
	"io"
	"sync"

	"shiplog/projections/pages"
)

// Options are what a [Painter] is made of.
type Options struct {
	// Title is that of the site and stands in every picture.
	Title string
}

// A Painter draws the pictures of one site. It is safe for use by many
// goroutines.
type Painter struct {
	title string
	fonts *fonts
	// sheets holds *sheet: the memory of a picture, used again.
	sheets sync.Pool
}

// Tool is what the picture of a tool shows.
type Tool struct {
	Tool    pages.Ref
	Tagline string
	Verdict pages.Verdict
	// At is set when the picture shows the past.
	At *pages.Event
}

// Compare is what the picture of a matchup shows.
type Compare struct {
	Left, Right Contender
	Result      pages.Result
	// At is set when the picture shows the past.
	At *pages.Event
}

// Contender is a tool in a matchup.
type Contender struct {
	pages.Ref
	Verdict pages.Verdict
}

// New reads the fonts.
func New(o Options) (*Painter, error) {
	f, err := loadFonts()
	if err != nil {
		return nil, err
	}
	p := &Painter{fonts: f}
	p.title = f.readable(bold, o.Title, "Shiplog")
	p.sheets.New = func() any { return newSheet(f) }
	return p, nil
}

// Tool draws the picture of a tool as a PNG.
func (p *Painter) Tool(w io.Writer, v Tool) error {
	return p.draw(w, func(s *sheet) {
		s.masthead(p.title, v.At)
		s.tool(v)
	})
}

// Compare draws the picture of a matchup as a PNG.
func (p *Painter) Compare(w io.Writer, v Compare) error {
	return p.draw(w, func(s *sheet) {
		s.masthead(p.title, v.At)
		s.compare(v)
	})
}

// draw fills a sheet and writes it, whole or not at all.
func (p *Painter) draw(w io.Writer, fill func(*sheet)) error {
	s := p.sheets.Get().(*sheet)
	defer p.sheets.Put(s)
	s.clear()
	fill(s)
	if s.err != nil {
		return fmt.Errorf("draw picture: %w", s.err)
	}
	s.encoded.Reset()
	encoder := png.Encoder{CompressionLevel: png.DefaultCompression, BufferPool: s}
	if err := encoder.Encode(&s.encoded, s.image); err != nil {
		return fmt.Errorf("encode picture: %w", err)
	}
	if _, err := w.Write(s.encoded.Bytes()); err != nil {
		return fmt.Errorf("write picture: %w", err)
	}
	return nil
}

// A sheet is a picture being drawn. The first error stays; what is drawn after
// it does not matter.
type sheet struct {
	*canvas
	fonts   *fonts
	faces   faces
	encoded bytes.Buffer
	buffer  *png.EncoderBuffer
	err     error
}

func newSheet(f *fonts) *sheet {
	return &sheet{canvas: newCanvas(), fonts: f, faces: faces{}}
}

// Get and Put hand the encoder the buffer that this sheet's last picture used.
func (s *sheet) Get() *png.EncoderBuffer { return s.buffer }

// Put keeps the buffer.
func (s *sheet) Put(b *png.EncoderBuffer) { s.buffer = b }

// clear makes the sheet blank.
func (s *sheet) clear() {
	s.canvas.clear()
	s.err = nil
}
