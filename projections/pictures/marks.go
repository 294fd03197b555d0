package pictures

import (
	"math"

	"golang.org/x/image/vector"
)

// The marks are those of the pages: drawn in a square of 12 by 12, each verdict
// with a shape of its own.
const grid = 12

// mark draws the shape of a verdict's label.
func (c *canvas) mark(label string, x, y, size int, i ink) {
	part := func(draw func(pen)) {
		c.fill(x, y, size, i, func(r *vector.Rasterizer) { draw(pen{r, float32(size) / grid}) })
	}
	switch label {
	case "Ship":
		part(func(p pen) { p.shape(6, .7, 11.7, 11.3, .3, 11.3) })
	case "Skip":
		part(func(p pen) {
			p.circle(5.65, true)
			p.circle(4.15, false)
		})
		part(func(p pen) { p.stroke(2.6, 9.4, 9.4, 2.6, 1.5) })
	case "Split":
		const out, in = .85, .85 // half a stroke of 1.2, measured along the axes
		part(func(p pen) {
			p.shape(6, .9-out, 11.1+out, 6, 6, 11.1+out, .9-out, 6)
			p.shape(6, .9+in, .9+in, 6, 6, 11.1-in, 11.1-in, 6)
		})
		part(func(p pen) { p.shape(6, .9, 6, 11.1, .9, 6) })
	default:
		part(pen.dashes)
	}
}

// A pen draws on the grid.
type pen struct {
	r     *vector.Rasterizer
	scale float32
}

// shape is a closed path through points, x and y in turn. One that turns the
// other way cuts out of another.
func (p pen) shape(points ...float32) {
	p.r.MoveTo(points[0]*p.scale, points[1]*p.scale)
	for i := 2; i < len(points); i += 2 {
		p.r.LineTo(points[i]*p.scale, points[i+1]*p.scale)
	}
	p.r.ClosePath()
}

// circle is a disc about the middle; one not outer is a hole in it.
func (p pen) circle(radius float32, outer bool) {
	const round = .5522847 // of a radius: where a curve's handles make an arc
	side := float32(1)
	if !outer {
		side = -1
	}
	at := func(x, y float32) (float32, float32) {
		return (6 + x*radius*side) * p.scale, (6 + y*radius) * p.scale
	}
	curve := func(x1, y1, x2, y2, x3, y3 float32) {
		ax, ay := at(x1, y1)
		bx, by := at(x2, y2)
		cx, cy := at(x3, y3)
		p.r.CubeTo(ax, ay, bx, by, cx, cy)
	}
	x, y := at(1, 0)
	p.r.MoveTo(x, y)
	curve(1, round, round, 1, 0, 1)
	curve(-round, 1, -1, round, -1, 0)
	curve(-1, -round, -round, -1, 0, -1)
	curve(round, -1, 1, -round, 1, 0)
	p.r.ClosePath()
}

// stroke is a line with square ends.
func (p pen) stroke(x1, y1, x2, y2, thick float32) {
	dx, dy := x2-x1, y2-y1
	by := thick / 2 / float32(math.Hypot(float64(dx), float64(dy)))
	nx, ny := -dy*by, dx*by
	p.shape(x1+nx, y1+ny, x1-nx, y1-ny, x2-nx, y2-ny, x2+nx, y2+ny)
}

// dashes are a square of dashes with a dash about each corner.
func (p pen) dashes() {
	const near, far, thick, dash, gap = 1.2, 10.8, 1.5, 2.4, 2.4
	for _, at := range []float32{near, far} {
		for from := float32(near - dash/2); from < far; from += dash + gap {
			to := min(from+dash, far+thick/2)
			from := max(from, near-thick/2)
			p.stroke(from, at, to, at, thick)
			p.stroke(at, from, at, to, thick)
		}
	}
}
