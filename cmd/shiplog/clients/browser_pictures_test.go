//go:build clients

package clients_test

import (
	"bytes"
	"cmp"
	"flag"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

var update = flag.Bool("update", false, "take the pictures of the README anew")

// A picture of the README.
type picture struct {
	name          string
	path          string
	scheme        string
	width, height int64
	scale         float64
}

func pictures() []picture {
	return []picture{
		{"compare.png", "/compare/afterlamp-vs-cinderbell", "light", 1280, 984, 1},
		{"home-dark.png", "/", "dark", 1280, 956, 1},
		{"tool-phone.png", "/tools/cinderbell", "light", 390, 768, 2},
	}
}

const (
	picturesDir = "../../../projections/pages/pictures"
	// A README is read on the way as well.
	largestPicture = 250_000
)

// The README's pictures are there, of the right size and small. With -update
// they are taken anew, from the example panel.
func TestClientPictures(t *testing.T) {
	if *update {
		takePictures(t)
	}
	for _, p := range pictures() {
		raw, err := os.ReadFile(filepath.Join(picturesDir, p.name))
		if err != nil {
			t.Fatalf("%v; tools/pictures/take makes it", err)
		}
		img, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		want := image.Pt(int(float64(p.width)*p.scale), int(float64(p.height)*p.scale))
		if got := img.Bounds().Size(); got != want {
			t.Errorf("%s is %v, want %v", p.name, got, want)
		}
		if len(raw) > largestPicture {
			t.Errorf("%s has %d bytes, want at most %d", p.name, len(raw), largestPicture)
		}
	}
}

func takePictures(t *testing.T) {
	fonts, _ := run(t, 0, "fc-list", ":lang=zh-tw")
	if fonts == "" {
		t.Fatal("no font has the characters of every name in the example panel; install one, such as fonts-wqy-zenhei")
	}
	n := startDemo(t)
	b := openBrowser(t)
	for _, p := range pictures() {
		b.do(t, chromedp.EmulateViewport(p.width, p.height, chromedp.EmulateScale(p.scale)))
		b.media(t, "screen", p.scheme)
		b.visit(t, n.Base+p.path)
		raw, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		var small bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, paletted(img)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(picturesDir, p.name), small.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// paletted gives a picture with its 256 most frequent colours, which for text
// on paper are nearly all it has.
func paletted(img image.Image) *image.Paletted {
	bounds := img.Bounds()
	counts := map[color.RGBA]int{}
	each := func(do func(x, y int, c color.RGBA)) {
		for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
			for x := bounds.Min.X; x < bounds.Max.X; x++ {
				do(x, y, color.RGBAModel.Convert(img.At(x, y)).(color.RGBA))
			}
		}
	}
	each(func(_, _ int, c color.RGBA) { counts[c]++ })
	frequent := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	palette := make(color.Palette, 0, 256)
	for _, c := range frequent[:min(256, len(frequent))] {
		palette = append(palette, c)
	}
	index := map[color.RGBA]uint8{}
	for c := range counts {
		index[c] = uint8(palette.Index(c))
	}
	out := image.NewPaletted(bounds, palette)
	each(func(x, y int, c color.RGBA) { out.SetColorIndex(x, y, index[c]) })
	return out
}
