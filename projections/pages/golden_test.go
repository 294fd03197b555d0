package pages_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestGolden(t *testing.T) {
	p := newPages(t)
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			var got bytes.Buffer
			if err := s.draw(p, &got); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "golden", s.name+".html")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("page differs from %s, -update writes it anew (-want +got):\n%s", file, diff)
			}
			checkPage(t, got.Bytes())
		})
	}
}

// TestPure draws everything twice: the same view gives the same bytes.
func TestPure(t *testing.T) {
	one, two := newPages(t), newPages(t)
	again := samples()
	for i, s := range samples() {
		var a, b bytes.Buffer
		if err := s.draw(one, &a); err != nil {
			t.Fatal(err)
		}
		if err := again[i].draw(two, &b); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: two renders differ", s.name)
		}
	}
}
