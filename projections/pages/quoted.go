package pages

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
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

func openLink(destination []byte) string {
	return `<a rel="nofollow ugc" href="` + string(util.EscapeHTML(util.URLEscape(destination, true))) + `">`
}

func tag(w util.BufWriter, entering bool, open, end string) (ast.WalkStatus, error) {
	text := end
	if entering {
		text = open
	}
	_, err := w.WriteString(text)
	return ast.WalkContinue, err
}
