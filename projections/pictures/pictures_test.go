package pictures_test

import (
	"bytes"
	"image"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"shiplog/projections/pages"
	"shiplog/projections/pictures"
)

// TestPure draws everything by two painters, in another order and at once.
func TestPure(t *testing.T) {
	one, two := newPainter(t, "The Panel"), newPainter(t, "The Panel")
	list := samples()
	want := make([][]byte, len(list))
	for i, s := range list {
		want[i] = bytesOf(t, one, s)
	}
	var all sync.WaitGroup
	for i, s := range slices.Backward(list) {
		all.Go(func() {
			var got bytes.Buffer
			if err := s.draw(two, &got); err != nil || !bytes.Equal(got.Bytes(), want[i]) {
				t.Errorf("%s: two pictures differ, error %v", s.name, err)
			}
		})
	}
	all.Wait()
}

func TestReadable(t *testing.T) {
	p := newPainter(t, "")
	for _, test := range []struct{ text, want string }{
		{"Ferrule", "Ferrule"},
		{"  two\t\nwords ", "two words"},
		{"Cafe\u0301", "Café"},
		{"Ωmega Журнал Łódź", "Ωmega Журнал Łódź"},
		{"soft\u00adhyphen\u200b\u202e", "softhyphen"},
		{"C++ <T> & “x” €", "C++ <T> & “x” €"},
		{"", ""},
		{" \u200b\u00a0\u2060", ""},
		{"x\u0335", ""},
		{"שלום", ""},
		{"Rocket 🚀", ""},
		{"名前", ""},
		{"\ufffd\ue000", ""},
		{strings.Repeat("x", 1000), strings.Repeat("x", 400)},
	} {
		got, ok := p.Readable(test.text)
		if ok != (test.want != "") || (ok && got != test.want) {
			t.Errorf("%+q: got %q %v, want %q", test.text, got, ok, test.want)
		}
	}
}

// TestMargins draws names of any text: nothing stands outside the margins, and
// nothing fails.
func TestMargins(t *testing.T) {
	p := newPainter(t, strings.Repeat("A title that is too long. ", 9))
	for _, s := range samples() {
		checkMargins(t, s.name, decode(t, bytesOf(t, p, s)))
	}
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune("WMwj -./ÅЩŒ")), 1, 120, -1)).Draw(rt, "name")
		c := contender("a", name, verdict("Pending", 1, 2))
		s := compare("any", pictures.Compare{
			Left: c, Right: c, Result: pages.Result{Kind: "leans", Leader: c.Ref, Shared: 1}, At: &pages.Event{Seq: 1 << 60},
		})
		checkMargins(t, name, decode(t, bytesOf(t, p, s)))
	})
}

// checkMargins looks at the outermost pixels, which no letter may reach, not by
// its overhang either.
func checkMargins(t *testing.T, name string, i *image.Paletted) {
	t.Helper()
	inner := i.Rect.Inset(28)
	for y := range i.Rect.Dy() {
		for x := range i.Rect.Dx() {
			if i.ColorIndexAt(x, y) != 0 && !image.Pt(x, y).In(inner) {
				t.Errorf("%q: ink at %d,%d", name, x, y)
				return
			}
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWriteFails(t *testing.T) {
	p := newPainter(t, "")
	if err := p.Tool(broken{}, pictures.Tool{Tool: pages.Ref{Slug: "a"}}); err == nil {
		t.Error("a failed write went unnoticed")
	}
}

func BenchmarkCompare(b *testing.B) { benchmark(b, "compare-too-close") }

func BenchmarkTool(b *testing.B) { benchmark(b, "tool-ship") }

func BenchmarkHostile(b *testing.B) { benchmark(b, "tool-hostile-unbroken") }

func benchmark(b *testing.B, name string) {
	p := newPainter(b, "The Panel")
	for _, s := range samples() {
		if s.name != name {
			continue
		}
		b.ReportAllocs()
		for b.Loop() {
			if err := s.draw(p, io.Discard); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(bytesOf(b, p, s))), "bytes/picture")
	}
}
