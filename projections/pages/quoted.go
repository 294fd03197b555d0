package pages

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// quoted draws the nodes of a Markdown review that must look otherwise inside a
// quote than on a page of their own.
type quoted struct{}

// RegisterFuncs tells the renderer which nodes are drawn here.
func (q quoted) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindHeading, q.heading)
	reg.Register(ast.KindBlockquote, q.citation)
	reg.Register(ast.KindLink, q.link)
	reg.Register(ast.KindAutoLink, q.autoLink)
	reg.Register(ast.KindImage, q.image)
	reg.Register(ast.KindRawHTML, q.rawHTML)
	reg.Register(ast.KindHTMLBlock, q.htmlBlock)
}

func (quoted) heading(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	return tag(w, entering, "<p><strong>", "</strong></p>\n")
}

func (quoted) citation(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	return tag(w, entering, "<div class=\"cited\">\n", "</div>\n")
}

func (quoted) link(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	return tag(w, entering, openLink(node.(*ast.Link).Destination), "</a>")
}

// image becomes a link to the picture, or only its description where it stands
// inside a link already.
func (quoted) image(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	for p := node.Parent(); p != nil; p = p.Parent() {
		if p.Kind() == ast.KindLink {
			return ast.WalkContinue, nil
		}
	}
	return tag(w, entering, openLink(node.(*ast.Image).Destination), "</a>")
}

func (quoted) autoLink(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.AutoLink)
	address := n.URL(source)
	if n.AutoLinkType == ast.AutoLinkEmail {
		address = append([]byte("mailto:"), address...)
	}
	_, err := w.WriteString(openLink(address) + string(util.EscapeHTML(n.Label(source))) + "</a>")
	return ast.WalkContinue, err
}

// rawHTML shows what looks like markup as the text it is: most of it is a type
// such as Vec<T>, of which something would be missing.
func (quoted) rawHTML(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkSkipChildren, nil
	}
	return ast.WalkSkipChildren, writeLines(w, source, node.(*ast.RawHTML).Segments)
}

func (quoted) htmlBlock(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		_, err := w.WriteString("</p>\n")
		return ast.WalkContinue, err
	}
	if _, err := w.WriteString("<p>"); err != nil {
		return ast.WalkStop, err
	}
	n := node.(*ast.HTMLBlock)
	if err := writeLines(w, source, n.Lines()); err != nil || !n.HasClosure() {
		return ast.WalkContinue, err
	}
	_, err := w.Write(util.EscapeHTML(n.ClosureLine.Value(source)))
	return ast.WalkContinue, err
}

// writeLines writes a part of the source as text.
func writeLines(w util.BufWriter, source []byte, lines *text.Segments) error {
	for i := range lines.Len() {
		line := lines.At(i)
		if _, err := w.Write(util.EscapeHTML(line.Value(source))); err != nil {
			return err
		}
	}
	return nil
}

func openLink(destination []byte) string {
	return `<a rel="nofollow ugc" href="` + string(util.EscapeHTML(util.URLEscape(destination, true))) + `">`
}

func tag(w util.BufWriter, entering bool, open, end string) (ast.WalkStatus, error) {
	part := end
	if entering {
		part = open
	}
	_, err := w.WriteString(part)
	return ast.WalkContinue, err
}
