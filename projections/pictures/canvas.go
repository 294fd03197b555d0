package pictures

import (
	"image"
	"image/color"

	"golang.org/x/image/vector"

	"shiplog/projections/pages"
)

const (
	width  = pages.PictureWidth
	height = pages.PictureHeight
)

// An ink is a colour to draw with. Its number counts the ramps in the palette.
type ink uint8

const (
	black  ink = iota // text
	soft              // what stands beside it
	accent            // what is disputed
	line              // strong lines
	rule              // hairlines
	inks
)

// tints is how many shades lead from the paper to an ink; the last is the ink.
// With so few the whole palette fits a byte with room to spare, and a picture is
// small; the eye sees no step.
const tints = 15

// The colours of the pages in daylight.
func paper() color.RGBA { return color.RGBA{0xfa, 0xfb, 0xf9, 0xff} }

func (i ink) color() color.RGBA {
	return [inks]color.RGBA{
		{0x15, 0x20, 0x1d, 0xff},
		{0x4e, 0x5a, 0x55, 0xff},
		{0xa3, 0x26, 0x1c, 0xff},
		{0x2c, 0x38, 0x35, 0xff},
		{0xc9, 0xd1, 0xcb, 0xff},
	}[i]
}

// tint is the palette's index of an ink that covers so much of a pixel.
func (i ink) tint(coverage uint8) uint8 {
	level := (int(coverage)*tints + 127) / 255
	if level == 0 {
		return 0
	}
	return uint8(i)*tints + uint8(level)
}

// palette holds the paper, then a ramp for each ink.
func palette() color.Palette {
	ground := paper()
	out := color.Palette{ground}
	for i := range inks {
		full := i.color()
		for level := 1; level <= tints; level++ {
			out = append(out, color.RGBA{
				between(ground.R, full.R, level), between(ground.G, full.G, level), between(ground.B, full.B, level), 0xff,
			})
		}
	}
	return out
}

func between(from, to uint8, level int) uint8 {
	return uint8((int(from)*(tints-level) + int(to)*level + tints/2) / tints)
}

// A canvas is paper that takes ink through masks.
type canvas struct {
	image *image.Paletted
	mask  image.Alpha
	paths vector.Rasterizer
}

func newCanvas() *canvas {
	return &canvas{image: image.NewPaletted(image.Rect(0, 0, width, height), palette())}
}

func (c *canvas) clear() { clear(c.image.Pix) }

// rect fills a rectangle.
func (c *canvas) rect(x, y, w, h int, i ink) {
	r := image.Rect(x, y, x+w, y+h).Intersect(c.image.Rect)
	full := i.tint(0xff)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := c.image.Pix[c.image.PixOffset(r.Min.X, y):c.image.PixOffset(r.Max.X, y)]
		for x := range row {
			row[x] = full
		}
	}
}

// erase makes a rectangle paper again.
func (c *canvas) erase(r image.Rectangle) {
	r = r.Intersect(c.image.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		clear(c.image.Pix[c.image.PixOffset(r.Min.X, y):c.image.PixOffset(r.Max.X, y)])
	}
}

// stamp presses ink through a mask. Where two touch the denser shade stays, so
// shapes may overlap.
func (c *canvas) stamp(to image.Rectangle, mask *image.Alpha, from image.Point, i ink) {
	visible := to.Intersect(c.image.Rect)
	from = from.Add(visible.Min.Sub(to.Min))
	last := i.tint(0xff)
	for y := range visible.Dy() {
		shade := mask.Pix[mask.PixOffset(from.X, from.Y+y):][:visible.Dx()]
		row := c.image.Pix[c.image.PixOffset(visible.Min.X, visible.Min.Y+y):][:visible.Dx()]
		for x, a := range shade {
			if t := i.tint(a); t != 0 && (t > row[x] || row[x] > last) {
				row[x] = t
			}
		}
	}
}

// fill draws a path within a square of the given size. Draw adds the path to the
// rasterizer, whose origin is the square's corner.
func (c *canvas) fill(x, y, size int, i ink, draw func(*vector.Rasterizer)) {
	c.paths.Reset(size, size)
	draw(&c.paths)
	if need := size * size; cap(c.mask.Pix) < need {
		c.mask.Pix = make([]uint8, need)
	}
	c.mask.Pix = c.mask.Pix[:size*size]
	clear(c.mask.Pix)
	c.mask.Stride, c.mask.Rect = size, image.Rect(0, 0, size, size)
	c.paths.Draw(&c.mask, c.mask.Rect, image.Opaque, image.Point{})
	c.stamp(c.mask.Rect.Add(image.Pt(x, y)), &c.mask, image.Point{}, i)
}

// double draws the pages' double rule, as thick as a thumbnail needs it.
func (c *canvas) double(x, y, w int) {
	c.rect(x, y, w, 3, line)
	c.rect(x, y+6, w, 3, line)
}
