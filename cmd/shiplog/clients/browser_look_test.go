//go:build clients

package clients_test

import "testing"

// leastContrast is what the style sheet keeps to; WCAG AA asks for 4.5.
const leastContrast = 6

// A look is what a browser made of a page.
type look struct {
	Width    int      // what the page takes
	Window   int      // what there is
	Wide     []string // what sticks out
	H1       int
	Main     int
	Title    string
	Lang     string
	IDs      []string // given twice
	Contrast float64  // the least of any text, as WCAG counts it
	Palest   string   // the text that has it
	Paper    string   // the colour of the page
	Spilt    []string // what sticks out of its cell
	Broken   []string // words of names in tables that do not stand on one line, though they are short
	Styles   int      // rules of the style sheet that reached the page
}

const lookScript = `(() => {
  const light = c => { c /= 255; return c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4 };
  const numbers = s => s.match(/[\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => .2126 * light(r) + .7152 * light(g) + .0722 * light(b);
  const clear = s => s === 'transparent' || numbers(s)[3] === 0;
  const grounds = new Map([[null, 'rgb(255, 255, 255)']]);
  const ground = e => {
    if (!grounds.has(e)) {
      const color = getComputedStyle(e).backgroundColor;
      grounds.set(e, clear(color) ? ground(e.parentElement) : color);
    }
    return grounds.get(e);
  };
  const name = e => e.tagName.toLowerCase() + '.' + (e.getAttribute('class') ?? '') + ' "' + e.textContent.trim().slice(0, 30) + '"';
  const all = [...document.body.querySelectorAll('*')];

  let contrast = 21, palest = '';
  for (const e of all) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !e.getClientRects().length) continue;
    const style = getComputedStyle(e);
    const a = luminance(numbers(e.closest('svg') ? style.fill : style.color)), b = luminance(numbers(ground(e)));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < contrast) [contrast, palest] = [ratio, name(e)];
  }
  const cells = document.querySelectorAll('td, th, .heads > *, .row > *');
  const spilt = [...cells].filter(c => [...c.querySelectorAll('*')].some(e =>
    !e.closest('.vh, svg') && getComputedStyle(e).position === 'static' &&
    e.getBoundingClientRect().right > c.getBoundingClientRect().right + 1));
  const broken = [];
  for (const name of document.querySelectorAll('tbody th > a bdi')) {
    for (const text of name.childNodes) for (const word of (text.data ?? '').matchAll(/\p{Script=Latin}{2,10}(?!\p{L})/gu)) {
      if (/\p{L}$/u.test(text.data.slice(0, word.index))) continue; // the end of a long one
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      if (range.getClientRects().length > 1) broken.push(word[0]);
    }
  }
  const width = document.documentElement.scrollWidth;
  const ids = all.map(e => e.id).filter(id => id);
  return {
    width, window: innerWidth,
    wide: width > innerWidth ? all.filter(e => e.getBoundingClientRect().right > innerWidth).map(name).slice(-3) : [],
    h1: document.querySelectorAll('h1').length,
    main: document.querySelectorAll('main').length,
    title: document.title,
    lang: document.documentElement.lang,
    ids: ids.filter((id, i) => ids.indexOf(id) !== i),
    contrast, palest, spilt: spilt.map(name), broken,
    paper: getComputedStyle(document.body).backgroundColor,
    styles: [...document.styleSheets].reduce((n, s) => n + s.cssRules.length, 0),
  };
})()`

// looksWell holds what every page promises at any width and in any colours.
func looksWell(t *testing.T, b *tab, where string) look {
	t.Helper()
	l := ask[look](t, b, lookScript)
	if l.Width > l.Window {
		t.Errorf("%s scrolls sideways: %d in %d pixels; %q", where, l.Width, l.Window, l.Wide)
	}
	if l.H1 != 1 || l.Main != 1 {
		t.Errorf("%s has %d h1 and %d main, want one of each", where, l.H1, l.Main)
	}
	if l.Title == "" || l.Lang == "" || l.Styles == 0 {
		t.Errorf("%s: title %q, language %q, %d rules of style", where, l.Title, l.Lang, l.Styles)
	}
	if len(l.IDs) > 0 {
		t.Errorf("%s gives ids twice: %q", where, l.IDs)
	}
	if len(l.Spilt) > 0 {
		t.Errorf("%s: out of their cells stick %q", where, l.Spilt)
	}
	if len(l.Broken) > 0 {
		t.Errorf("%s: within words break %q", where, l.Broken)
	}
	if l.Contrast < leastContrast {
		t.Errorf("%s: contrast %.2f of %s, want %v", where, l.Contrast, l.Palest, leastContrast)
	}
	return l
}
