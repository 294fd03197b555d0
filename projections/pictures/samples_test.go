package pictures_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"shiplog/projections/pages"
	"shiplog/projections/pictures"
)

// A sample is a picture with a golden file.
type sample struct {
	name string
	draw func(*pictures.Painter, io.Writer) error
}

func newPainter(tb testing.TB, title string) *pictures.Painter {
	tb.Helper()
	p, err := pictures.New(pictures.Options{Title: title})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func bytesOf(tb testing.TB, p *pictures.Painter, s sample) []byte {
	tb.Helper()
	var out bytes.Buffer
	if err := s.draw(p, &out); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func verdict(label string, ships, n int) pages.Verdict {
	return pages.Verdict{Label: label, Ships: ships, N: n, Quorum: 3}
}

func contender(slug, name string, v pages.Verdict) pictures.Contender {
	return pictures.Contender{Ref: pages.Ref{Slug: slug, Name: name}, Verdict: v}
}

func compare(name string, v pictures.Compare) sample {
	return sample{"compare-" + name, func(p *pictures.Painter, w io.Writer) error { return p.Compare(w, v) }}
}

func tool(name string, v pictures.Tool) sample {
	return sample{"tool-" + name, func(p *pictures.Painter, w io.Writer) error { return p.Tool(w, v) }}
}

func samples() []sample {
	ferrule := contender("ferrule", "Ferrule", verdict("Ship", 3, 4))
	smolvm := contender("smolvm", "smolvm", verdict("Split", 2, 4))
	return append([]sample{
		compare("leans", pictures.Compare{
			Left: smolvm, Right: ferrule, Result: pages.Result{Kind: "leans", Leader: ferrule.Ref, Edge: -1, Shared: 4},
		}),
		compare("too-close", pictures.Compare{
			Left: contender("quill", "Quill", verdict("Skip", 1, 5)), Right: contender("copy-desk", "The Copy Desk for Teams", verdict("Ship", 3, 5)),
			Result: pages.Result{Kind: "too_close", Edge: 1, Shared: 3},
		}),
		compare("pending", pictures.Compare{
			Left: contender("a", "A", verdict("Pending", 0, 0)), Right: ferrule,
			Result: pages.Result{Kind: "not_comparable"},
			At:     &pages.Event{Seq: 1234},
		}),
		tool("ship", pictures.Tool{
			Tool: ferrule.Ref, Tagline: "Sandboxes for code that nobody has read, started in the time of a function call", Verdict: ferrule.Verdict,
		}),
		tool("bare", pictures.Tool{Tool: smolvm.Ref, Verdict: verdict("Split", 2, 4)}),
		tool("pending", pictures.Tool{
			Tool: pages.Ref{Slug: "paper-trail", Name: "Paper Trail"}, Tagline: "Ведёт журнал решений", Verdict: verdict("Pending", 1, 2),
			At: &pages.Event{Seq: 41},
		}),
		tool("many", pictures.Tool{Tool: pages.Ref{Slug: "git", Name: "Git"}, Tagline: "Version control", Verdict: verdict("Skip", 7, 23)}),
	}, hostile()...)
}

// hostile are the names that do not fit.
func hostile() []sample {
	against := contender("plain", "Plain", verdict("Skip", 1, 3))
	var out []sample
	for _, h := range []struct{ name, slug, text string }{
		{"unbroken", "unbroken", strings.Repeat("Unbroken", 25)},
		{"slug", strings.Repeat("long-slug-", 7) + "end", "名前"},
		{"sentence", "sentence", "The tool whose name is a sentence of many words, which nobody would call a name if its makers had not"},
		{"emoji", "rocket", "Rocket \U0001F468\u200d\U0001F469\u200d\U0001F467 \U0001F680"},
		{"cjk", "deepseek-wenben", "深度求索文本"},
		{"rtl", "al-qalam", "القلم"},
		{"zalgo", "zalgo", "Z\u0351\u0343\u0302a\u0334\u0335\u0336l\u0321\u0322g\u0327\u0328o\u0301\u0302"},
		{"composed", "cafe", "Cafe\u0301 du\u00adMonde\ufe0f"},
		{"empty", "empty-ish", " \u200b\u2060 "},
		{"markup", "markup", "Vec<T> & \"<3\" ]]> A/B"},
	} {
		c := contender(h.slug, h.text, verdict("Ship", 2, 3))
		out = append(out,
			compare("hostile-"+h.name, pictures.Compare{Left: c, Right: against, Result: pages.Result{Kind: "favours", Leader: c.Ref, Edge: 2, Shared: 1}}),
			tool("hostile-"+h.name, pictures.Tool{Tool: c.Ref, Tagline: h.text, Verdict: c.Verdict}))
	}
	return out
}
