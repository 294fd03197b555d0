package events_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shiplog/events"
)

func TestProposeSlug(t *testing.T) {
	tests := []struct{ name, want string }{
		{"smolvm", "smolvm"},
		{"Agency by Mozilla", "agency-by-mozilla"},
		{"Mistral Medium 3.2", "mistral-medium-3-2"},
		{"  --Node.js--  ", "node-js"},
		{"The Founder's Log™", "the-founders-log"},
		{"The Founder’s Log®", "the-founders-log"},
		{"C", "c"},
		{"C++", "c-plus-plus"},
		{"C#", "c-sharp"},
		{"Notepad++ 8", "notepad-plus-plus-8"},
		{"#hashtag", "hashtag"},
		{"Salt & Pepper", "salt-and-pepper"},
		{"Cron @ Home", "cron-at-home"},
		{"AC/DC", "ac-dc"},
		{"a_b.c>d*e", "a-b-c-d-e"},
		{"Ferrule vs Anvil", "ferrule-versus-anvil"},
		{"Anvil VS", "anvil-versus"},
		{"VS Code", "vs-code"},
		{"vs", "vs"},
		{"a-vs-vs-b", "a-versus-versus-b"},
		{"Łódź Größe Æsir", "lodz-grosse-aesir"},
		{"İstanbul", "istanbul"},
		{"ＦＵＬＬ　Ｗｉｄｔｈ １２３", "full-width-123"},
		{"𝓕𝓪𝓷𝓬𝔂", "fancy"},
		{"Яндекс", "iandeks"},
		{"Ελληνικά", "ellenika"},
		{"مرحبا", "mrhb"},
		{"שלום", "shlvm"},
		{"北京大学", "bei-jing-da-xue"},
		{"東京タワー", "dong-jing-tawa"},
		{"Go言語", "go-yan-yu"},
		{"한국어", "hangugeo"},
		{"हिन्दी", "hindii"},
		{"🚀", "rocket"},
		{"🚀🔥", "rocket-fire"},
		{"👩‍🚀", "woman-rocket"},
		{"👍🏽", "thumbs-up-sign"},
		{"🇩🇪", "de"},
		{"Rocket 🚀 Log", "rocket-log"},
		{"!", "exclamation-mark"},
		{"ⵣ", "u2d63"},
		{"\U000F0000", "unnamed"},
		{"", "unnamed"},
		{" \t\u200b", "unnamed"},
		{"\xff\xfeabc", "abc"},
		{strings.Repeat("a", 200), strings.Repeat("a", 80)},
		{strings.Repeat("word ", 30), strings.TrimSuffix(strings.Repeat("word-", 16), "-")},
		{strings.Repeat("x", 75) + " " + strings.Repeat("y", 20), strings.Repeat("x", 75)},
		{"ab " + strings.Repeat("y", 90), "ab-" + strings.Repeat("y", 77)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := events.ProposeSlug(test.name); got != test.want {
				t.Errorf("ProposeSlug(%q) = %q, want %q", test.name, got, test.want)
			}
			if why := events.SlugProblem(test.want); why != "" {
				t.Errorf("%q %s", test.want, why)
			}
		})
	}
}

func TestProposeSlugIsValid(t *testing.T) {
	names := rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`[a-c]{0,3}([ -]vs[ -]?[a-c]{0,60}){0,4}`),
		rapid.StringOfN(rapid.RuneFrom([]rune("vs -+#&@%Ωя京한🚀\u200d\u0301")), 0, 120, -1),
		rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) }),
	)
	rapid.Check(t, func(t *rapid.T) {
		name := names.Draw(t, "name")
		slug := events.ProposeSlug(name)
		if why := events.SlugProblem(slug); why != "" {
			t.Fatalf("ProposeSlug(%q) = %q, which %s", name, slug, why)
		}
		if again := events.ProposeSlug(slug); again != slug {
			t.Fatalf("a slug is not its own proposal: %q became %q", slug, again)
		}
	})
}

func TestSlugProblem(t *testing.T) {
	valid := []string{"a", "9", "a-b", "vs", "vs-code", "a-vsx-b", "node-js", strings.Repeat("a", 80)}
	for _, slug := range valid {
		if why := events.SlugProblem(slug); why != "" {
			t.Errorf("%q %s", slug, why)
		}
	}
	invalid := []string{
		"", "-", "-a", "a-", "a--b", "A", "a.b", "a b", "a*", "a>b", "a_b", "a/b", "ä", "a\n", "a\x00",
		"a-vs-b", "a-vs", "-vs-", "a-vs-vs-b", strings.Repeat("a", 81),
	}
	for _, slug := range invalid {
		if events.IsSlug(slug) {
			t.Errorf("%q passes as a slug", slug)
		}
	}
}
