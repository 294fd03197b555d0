package pages

import (
	"html/template"
	"strings"
)

// funcs is the vocabulary of the templates.
func (p *Pages) funcs() template.FuncMap {
	return template.FuncMap{
		"bdi": bdi, "bdiText": bdiText, "verbatim": verbatim, "versus": versus,
		"toolLink": toolLink, "reviewerLink": reviewerLink, "compareLink": compareLink,
		"toolPath": toolPath, "reviewerPath": reviewerPath, "categoryPath": categoryPath,
		"comparePath": comparePath, "matrixPath": matrixPath, "sides": sides,
		"event": eventLink, "bare": bareEvent, "numbered": numbered, "stamp": stamp, "eventCell": eventCell,
		"day": dayHTML, "clock": clockHTML, "full": fullHTML, "leaf": shortLeaf, "outside": outside,
		"mark": mark, "narrowMark": narrowMark, "shape": shape, "label": reviewLabel, "arrow": func() template.HTML { return arrowHTML },
		"tally": tally, "tallyText": tallyText,
		"number": number, "plural": plural, "words": words, "capital": capital, "share": share, "percent": percent, "lower": strings.ToLower,
		"kind": kindName, "price": priceName, "category": CategoryName, "inner": func(r Reviewer) string { return r.inner().Text }, "deed": deed,
		"result": ResultLabel, "separators": Separators, "step": stepCause, "headline": EventHeadline, "rules": rulesInWords,
		"reviewsSummary": reviewsSummary, "waitsFor": waitsFor, "sharedSummary": sharedSummary, "differing": differing,
		"trail": revisionTrail, "newest": newestRevisions, "latest": latestSentence,
		"chart": newChart, "publisher": foreign, "from": fromPublisher,
		"quoteOf":     func(r Review, place string) quote { return newQuote(&r, place) },
		"defaultLead": func() string { return defaultLead }, "builtin": builtinRules, "minus": func(a, b int) int { return b - a },
		"pluralWords": pluralWords, "times": times, "newestFirst": newestFirst,
		"tableOf": tableOf, "pageLinks": pageLinks, "quote": newQuote, "section": newSection,
		"feed":     func(f Feed, between string, named bool) template.HTML { return feedLinks(p.site, f, between, named) },
		"toolFeed": ToolFeed, "reviewerFeed": ReviewerFeed, "categoryFeed": CategoryFeed,
		"address":      func(f Feed) template.HTML { return breakable(f.URL(p.site.BaseURL, FeedFormats()[0])) },
		"subscribe":    func(f Feed) template.HTML { return subscribeLink(p.site, f) },
		"opml":         func() string { return OPMLURL(p.site.BaseURL) },
		"categoryOPML": func(slug string) string { return CategoryOPMLURL(p.site.BaseURL, slug) },
		"style":        func() string { return p.assets.style.Path },
		"icon":         func() string { return p.assets.icon.Path },
	}
}
