package pictures_test

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"shiplog/projections/pages"
)

var update = flag.Bool("update", false, "write the golden files anew")

// sizeMost is what a picture may weigh.
const sizeMost = 40 << 10

// TestGolden compares pixels, not bytes: another version of Go may compress
// otherwise.
func TestGolden(t *testing.T) {
	p := newPainter(t, "The Panel")
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			got := bytesOf(t, p, s)
			if len(got) > sizeMost {
				t.Errorf("%d bytes, want at most %d", len(got), sizeMost)
			}
			file := filepath.Join("testdata", s.name+".png")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			samePixels(t, decode(t, got), decode(t, want))
		})
	}
}

func decode(t *testing.T, b []byte) *image.Paletted {
	t.Helper()
	i, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if size := i.Bounds().Size(); size != image.Pt(pages.PictureWidth, pages.PictureHeight) {
		t.Fatalf("the picture measures %v", size)
	}
	paletted, ok := i.(*image.Paletted)
	if !ok {
		t.Fatalf("the picture is a %T, want one with a palette", i)
	}
	return paletted
}

func samePixels(t *testing.T, got, want *image.Paletted) {
	t.Helper()
	differ, first := 0, image.Point{}
	for y := range got.Rect.Dy() {
		for x := range got.Rect.Dx() {
			if got.At(x, y) == want.At(x, y) {
				continue
			}
			if differ == 0 {
				first = image.Pt(x, y)
			}
			differ++
		}
	}
	if differ > 0 {
		t.Errorf("%d pixels differ, the first at %v; -update writes the picture anew", differ, first)
	}
}
