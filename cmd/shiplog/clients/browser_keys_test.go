//go:build clients

package clients_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The first press of Tab shows a way past the masthead, and it works.
func TestClientBrowserSkipLink(t *testing.T) {
	n := startDemo(t)
	b := openBrowser(t)
	b.see(t, 360)
	b.visit(t, n.Base+"/tools/cinderbell")
	b.do(t, chromedp.KeyEvent(kb.Tab))
	skip := ask[focus](t, b, focusScript)
	if skip.Text != "Skip to content" || skip.Top < 0 || skip.Bottom > 900 {
		t.Fatalf("Tab leads to %+v, want the skip link within the window", skip)
	}
	b.do(t, chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Tab))
	next := ask[focus](t, b, focusScript)
	if !next.InMain {
		t.Errorf("after the skip link Tab leads to %+v, want something in main", next)
	}
}

// The names that stay at the top of a comparison cover nothing that has the
// focus, on the way down and up again.
func TestClientBrowserStickyHeads(t *testing.T) {
	n := startDemo(t)
	b := openBrowser(t)
	for _, width := range []int64{1280, 768, 320} {
		b.see(t, width)
		b.visit(t, n.Base+"/compare/afterlamp-vs-cinderbell")
		if got := ask[string](t, b, `getComputedStyle(document.querySelector('.heads')).position`); got != "sticky" {
			t.Fatalf("the heads are %s", got)
		}
		covered, count := 0, 0
		for _, shift := range []chromedp.Modifier{0, chromedp.ModifierShift} {
			for {
				b.do(t, chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(shift)))
				f := ask[focus](t, b, focusScript)
				if f.Text == "" {
					break // past the last, or before the first
				}
				if count++; count > 400 {
					t.Fatal("Tab never leaves the page")
				}
				if !f.InHeads && f.Top < f.Heads && f.Bottom > 0 && f.HeadsTop <= 0 {
					covered++
					t.Errorf("%d wide: %q at %v to %v is under the heads, which end at %v", width, f.Text, f.Top, f.Bottom, f.Heads)
				}
			}
		}
		if count < 60 {
			t.Errorf("%d wide: only %d stops", width, count)
		}
	}
}

// A focus is the element that the keyboard is at, and where the sticky heads are.
type focus struct {
	Text        string
	Top, Bottom float64
	InMain      bool
	InHeads     bool
	HeadsTop    float64
	Heads       float64 // where they end
}

const focusScript = `(() => {
  const e = document.activeElement, r = e.getBoundingClientRect();
  const heads = document.querySelector('.heads')?.getBoundingClientRect();
  return {
    text: e === document.body ? '' : e.textContent.trim() || e.name || e.tagName,
    top: r.top, bottom: r.bottom,
    inMain: !!e.closest('main'), inHeads: !!e.closest('.heads'),
    headsTop: heads?.top ?? 0, heads: heads?.bottom ?? 0,
  };
})()`

// A comparison prints: the heads stay where they are, what only a screen needs
// is left out, and the browser makes a document of it.
func TestClientBrowserPrint(t *testing.T) {
	n := startDemo(t)
	b := openBrowser(t)
	b.visit(t, n.Base+"/compare/afterlamp-vs-cinderbell")
	b.media(t, "print", "dark")
	shown := `getComputedStyle(document.querySelector(%q)).%s`
	for selector, want := range map[string]string{".heads": "static", ".top nav": "none", ".acts": "none", ".pager": "none"} {
		property := "display"
		if want == "static" {
			property = "position"
		}
		if got := ask[string](t, b, fmt.Sprintf(shown, selector, property)); got != want {
			t.Errorf("printed, %s of %s is %s, want %s", property, selector, got, want)
		}
	}
	document, err := chromedp.Run(b.ctx, chromedp.PrintToPDF())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(document, []byte("%PDF-")) || len(document) < 10_000 {
		t.Errorf("printed %d bytes that begin %q", len(document), strings.ToValidUTF8(string(document[:min(8, len(document))]), "?"))
	}
}
