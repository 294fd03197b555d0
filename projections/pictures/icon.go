package pictures

import (
	"bytes"
	"fmt"
	"image"
	"image/png"

	"golang.org/x/image/vector"
)

// IconSize is the width and the height of the icon.
const IconSize = 256

// Icon draws the site's icon as a PNG, the same as the pages' SVG: many readers,
// which show it beside a feed, draw no SVG.
func Icon() ([]byte, error) {
	const units = 32 // of the SVG
	c := &canvas{image: image.NewPaletted(image.Rect(0, 0, IconSize, IconSize), palette())}
	c.fill(0, 0, IconSize, black, func(r *vector.Rasterizer) { pen{r, IconSize / units}.shape(16, 5, 28, 27, 4, 27) })
	var out bytes.Buffer
	if err := png.Encode(&out, c.image); err != nil {
		return nil, fmt.Errorf("encode icon: %w", err)
	}
	return out.Bytes(), nil
}
