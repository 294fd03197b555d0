package pages

import (
	"net/url"
	"strings"
)

// The size of every picture, which those who show them ask for.
const (
	PictureWidth  = 1200
	PictureHeight = 630
)

// Picture is what is shown of a page where its address is shared.
type Picture struct {
	Path string
	Alt  string
}

// PictureType is the media type of every picture.
const PictureType = "image/png"

// Type, Width and Height are those of every picture.
func (Picture) Type() string { return PictureType }

// Width is in pixels.
func (Picture) Width() int { return PictureWidth }

// Height is in pixels.
func (Picture) Height() int { return PictureHeight }

// PictureURL is the absolute address of a matchup's picture.
func PictureURL(base, left, right string) string {
	return strings.TrimSuffix(base, "/") + picturePath(comparePath(left, right))
}

// ToolPictureURL is the absolute address of a tool's picture as of an event.
func ToolPictureURL(base, tool string, at uint64) string {
	return strings.TrimSuffix(base, "/") + picturePath(toolPath(tool)) + "?at=" + seqText(at)
}

// picturePath is where the picture of a page lies.
func picturePath(page string) string { return "/pictures" + page + ".png" }

// picture is the picture in the head of a tool's page.
func (v ToolView) picture() *Picture {
	return &Picture{
		Path: v.pictured(picturePath(toolPath(v.Tool.Slug))),
		Alt:  v.Tool.display() + ": " + v.Verdict.String() + ".",
	}
}

// picture is the picture in the head of a comparison.
func (v CompareView) picture() *Picture {
	return &Picture{
		Path: v.pictured(picturePath(comparePath(v.Left.Slug, v.Right.Slug))),
		Alt: v.Left.display() + " vs " + v.Right.display() + ": " + ResultLabel(v.Result).String() + ". " +
			v.Left.display() + ": " + v.Left.Verdict.String() + ". " + v.Right.display() + ": " + v.Right.Verdict.String() + ".",
	}
}

// pictured makes the picture show what the page shows: the past, if it does.
func (p Page) pictured(path string) string {
	if p.At == nil {
		return path
	}
	return path + "?" + url.Values{"at": {seqText(p.At.Seq)}}.Encode()
}

// Site is what all pages share.
func (p *Pages) Site() Site { return p.site }
