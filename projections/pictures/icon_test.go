package pictures_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"strings"
	"testing"

	"shiplog/projections/pictures"
)

// TestIcon holds the icon to the SVG of the pages: the same triangle, the same two
// colours.
func TestIcon(t *testing.T) {
	drawn, err := pictures.Icon()
	if err != nil {
		t.Fatal(err)
	}
	icon, err := png.Decode(bytes.NewReader(drawn))
	if err != nil {
		t.Fatal(err)
	}
	if want := image.Rect(0, 0, pictures.IconSize, pictures.IconSize); icon.Bounds() != want || len(drawn) > 8<<10 {
		t.Errorf("%v in %d bytes, want %v in at most 8 KiB", icon.Bounds(), len(drawn), want)
	}
	paper, ink := color.RGBA{0xfa, 0xfb, 0xf9, 0xff}, color.RGBA{0x15, 0x20, 0x1d, 0xff}
	const unit = pictures.IconSize / 32
	for at, want := range map[image.Point]color.RGBA{
		{X: 0, Y: 0}: paper, {X: 31, Y: 31}: paper, {X: 16, Y: 2}: paper, {X: 5, Y: 15}: paper, {X: 26, Y: 15}: paper,
		{X: 16, Y: 7}: ink, {X: 16, Y: 20}: ink, {X: 6, Y: 26}: ink, {X: 25, Y: 26}: ink,
	} {
		if got := color.RGBAModel.Convert(icon.At(at.X*unit+unit/2, at.Y*unit+unit/2)); got != want {
			t.Errorf("at %v of 32 the icon is %v, want %v", at, got, want)
		}
	}
	svg, err := os.ReadFile("../pages/static/icon.svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`viewBox="0 0 32 32"`, `d="M16 5 28 27H4z"`, "#fafbf9", "#15201d"} {
		if !strings.Contains(string(svg), part) {
			t.Errorf("the SVG has no %s any more: draw the icon anew", part)
		}
	}
}
