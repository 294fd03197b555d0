package pages_test

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shiplog/projections/pages"
)

func TestMarkdown(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"paragraphs", "One *two*\n**three**\n\nfour `five`", "<p>One <em>two</em>\n<strong>three</strong></p>\n<p>four <code>five</code></p>"},
		{"heading", "# Title <b>", "<p><strong>Title &lt;b&gt;</strong></p>"},
		{"quotation", "> said", "<div class=\"cited\">\n<p>said</p>\n</div>"},
		{"list", "3. a\n4. b", "<ol start=\"3\">\n<li>a</li>\n<li>b</li>\n</ol>"},
		{"code block", "```go\na < b\n```", "<pre><code>a &lt; b\n</code></pre>"},
		{"link", "[a](https://x.example/?a=1&b=2 \"t\")", `<p><a rel="nofollow ugc" href="https://x.example/?a=1&amp;b=2">a</a></p>`},
		{"bare address", "see https://x.example.", `<p>see <a rel="nofollow ugc" href="https://x.example">https://x.example</a>.</p>`},
		{"mail", "<a@x.example>", `<p><a rel="nofollow ugc" href="mailto:a@x.example">a@x.example</a></p>`},
		{"image", "![plan](https://x.example/p.png)", `<p><a rel="nofollow ugc" href="https://x.example/p.png">plan</a></p>`},
		{"image in link", "[![plan](p.png)](https://x.example)", `<p><a rel="nofollow ugc" href="https://x.example">plan</a></p>`},
		{"raw html", "a <script>alert(1)</script> b\n\n<div onclick=x>\n\nc", "<p>a &lt;script&gt;alert(1)&lt;/script&gt; b</p>\n<p>&lt;div onclick=x&gt;\n</p>\n<p>c</p>"},
		{"types", "Use Vec<T>, `Map<K>` and I <3 <head>.", "<p>Use Vec&lt;T&gt;, <code>Map&lt;K&gt;</code> and I &lt;3 &lt;head&gt;.</p>"},
		{"script", "<script>\nx\n</script>\nafter", "<p>&lt;script&gt;\nx\n&lt;/script&gt;\n</p>\n<p>after</p>"},
		{"comment", "a <!-- b --> c", "<p>a &lt;!-- b --&gt; c</p>"},
		{"empty", "", ""},
		{"nothing but a rule", "---", ""},
		{"nothing but a fence", "```\n```", ""},
		{"nothing but a picture", "![](https://x.example/p.png)", ""},
		{"nothing but marks", "# \n\n> \n\n- ", ""},
		{"nothing but spaces", "&nbsp;&#8203;", ""},
		{"a rule and a word", "---\n\na", "<hr>\n<p>a</p>"},
	}
	m := pages.NewMarkdown()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := m.Render(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("markup (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMarkdownRefuses holds that no address runs anything or leads elsewhere
// than the web and mail.
func TestMarkdownRefuses(t *testing.T) {
	m := pages.NewMarkdown()
	for _, in := range []string{
		"[a](javascript:alert(1))", "[a](JaVaScRiPt:alert(1))", "[a](data:text/html;base64,x)", "[a](vbscript:x)", "[a](file:///etc/passwd)",
		"[a](/relative)", "[a](//other.example)", "<javascript:alert(1)>", "![a](javascript:alert(1))", "[a](java\tscript:alert(1))",
		"[a](&#106;avascript:alert(1))", "[a](https://x.example\"onmouseover=alert(1))", "<a href=https://x.example style=color:red>a</a>",
	} {
		got, err := m.Render(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{`href="j`, `href="J`, `href="d`, `href="v`, `href="f`, `href="/`, " style=", " onmouseover=", "<img"} {
			if strings.Contains(strings.Join(tags.FindAllString(string(got), -1), ""), bad) {
				t.Errorf("%q rendered as %s, which holds %s", in, got, bad)
			}
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add("# a\n> b\n[c](javascript:d)\n<script>e</script>")
	f.Add(hostileBody)
	for _, seed := range []string{"Vec<T> <3 <!-- c -->", "---", "```\n```", "![](https://x.example/p.png)", "<div>\n<b>\n\n</div>", "<![CDATA[x]]>", "<?x?>\n<!D>", "&nbsp;&#8203;"} {
		f.Add(seed)
	}
	m := pages.NewMarkdown()
	f.Fuzz(func(t *testing.T, in string) {
		got, err := m.Render(in)
		if err != nil {
			t.Fatal(err)
		}
		if s := strings.ToLower(string(got)); strings.Contains(s, "<script") || strings.Contains(s, `href="javascript`) || strings.Contains(s, "<blockquote") {
			t.Errorf("%q rendered as %s", in, got)
		}
		if got != "" && strings.TrimSpace(words(string(got))) == "" {
			t.Errorf("%q rendered as %s, in which nothing is to be read", in, got)
		}
	})
}

// words is the text of markup that was made here: each < in it begins a tag.
func words(markup string) string { return html.UnescapeString(tags.ReplaceAllString(markup, "")) }

var tags = regexp.MustCompile(`<[^>]*>`)

// A text that names one long link a thousand times stays as long as it is.
func TestMarkdownStaysInProportion(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"references": "[a]: http://x/" + strings.Repeat("y", 30_000) + "\n\n" + strings.Repeat("[a] ", 8000),
		"titles":     "[a]: http://x \"" + strings.Repeat("t", 60) + "\"\n\n" + strings.Repeat("[a] ", 9000),
		"emphasis":   strings.Repeat("*a* ", 15_000),
		"list":       strings.Repeat("- a\n", 15_000),
		"links":      strings.Repeat("[a](http://b) ", 4000),
	} {
		markup, err := pages.NewMarkdown().Render(source)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(markup) > 20*len(source) {
			t.Errorf("%s: %d bytes became %d", name, len(source), len(markup))
		}
		if !strings.Contains(string(markup), "a") {
			t.Errorf("%s: nothing is left of the text", name)
		}
	}
}

// A text that would keep the parser busy for seconds is shown as it was written;
// one with as many marks as people make is not.
func TestMarkdownIsNotKeptBusy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		source string
		plain  bool
	}{
		"quotations":      {strings.Repeat(">", 20_000) + " a", true},
		"lists":           {strings.Repeat("- ", 20_000) + "a", true},
		"emphasis":        {strings.Repeat("*a_", 20_000), true},
		"links":           {strings.Repeat("[a](", 15_000), true},
		"over lines":      {strings.Repeat("*a_\n", 15_000), true},
		"a deep thread":   {strings.Repeat("> ", 20) + "a", false},
		"a rule":          {strings.Repeat("-", 500), false},
		"much emphasis":   {strings.Repeat("*a* ", 400), false},
		"many paragraphs": {strings.Repeat(strings.Repeat("*a* ", 100)+"\n\n", 50), false},
	} {
		markup, err := pages.NewMarkdown().Render(test.source)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := "<pre>" + html.EscapeString(test.source) + "</pre>"
		if got := string(markup) == want; got != test.plain {
			t.Errorf("%s: shown as written %v, want %v: %.200s", name, got, test.plain, markup)
		}
	}
}
