package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"shiplog/events"
	"shiplog/projections"
	"shiplog/projections/kept"
	"shiplog/projections/pages"
	"shiplog/projections/pictures"
	"shiplog/projections/readhttp"
)

// pictureDir is where the pictures of pages lie: each at its page's path behind
// it, with pictureEnd at the end.
const (
	pictureDir = "/pictures"
	pictureEnd = ".png"
)

// pictureFresh is how long a picture is shown without asking again. Those who
// show it to many people ask once for all of them.
const pictureFresh = "public, max-age=300"

func pictureRoutes() []route {
	return []route{
		{pictureDir + "/tools/{picture}", (*Handler).toolPicture},
		{pictureDir + "/compare/{picture}", (*Handler).comparePicture},
	}
}

// toolPicture is the picture of a tool's page.
func (h *Handler) toolPicture(req *http.Request, _ query) (target, error) {
	slug, err := pictured(req, "/tools/")
	if err != nil {
		return target{}, err
	}
	if !events.IsSlug(slug) {
		return target{}, &missing{detail: "There is no tool “" + short(slug) + "”.", like: slug}
	}
	return target{
		path: picturePath("/tools/" + slug),
		find: func(ctx context.Context, r *reading) (draw, error) {
			t, err := r.known(ctx, slug)
			if err != nil {
				return nil, pictureOf(err)
			}
			r.watches(projections.ScopeTool, slug)
			r.watches(projections.ScopeRules, "")
			v := pictures.Tool{Tool: refOf(t.Ref), Tagline: t.Tagline, Verdict: verdictOf(t.Verdict), At: r.pictureTime()}
			return func(w io.Writer) error { return h.painter.Tool(w, v) }, nil
		},
	}, nil
}

// comparePicture is the picture of a matchup's page.
func (h *Handler) comparePicture(req *http.Request, _ query) (target, error) {
	pair, err := pictured(req, "/compare/")
	if err != nil {
		return target{}, err
	}
	left, right, _ := strings.Cut(pair, between)
	if !events.IsSlug(left) || !events.IsSlug(right) {
		return target{}, &missing{detail: "A matchup's picture has the name of two tools with “-vs-” between them; “" + short(pair) + "” is none.", like: left}
	}
	return target{
		path: picturePath("/compare/" + pair),
		find: func(ctx context.Context, r *reading) (draw, error) {
			m, err := r.Matchup(ctx, left, right)
			switch {
			case errors.Is(err, projections.ErrNotFound):
				// The page sends to a table of the two, which has no picture.
				return nil, &missing{detail: "No matchup of “" + left + "” and “" + right + "” was opened.", like: left}
			case err != nil:
				return nil, err
			case m.Left.Slug != left || m.Right.Slug != right:
				return nil, pictureOf(&moved{status: http.StatusMovedPermanently, to: "/compare/" + m.Left.Slug + between + m.Right.Slug})
			}
			for _, slug := range []string{left, right} {
				r.watches(projections.ScopeTool, slug)
			}
			r.watches(projections.ScopeRules, "")
			v := pictures.Compare{
				Left: pictureSide(&m.Left), Right: pictureSide(&m.Right),
				Result: resultOf(m.Result, m.Left.Ref, m.Right.Ref), At: r.pictureTime(),
			}
			return func(w io.Writer) error { return h.painter.Compare(w, v) }, nil
		},
	}, nil
}

func pictureSide(t *projections.Tool) pictures.Contender {
	return pictures.Contender{Ref: refOf(t.Ref), Verdict: verdictOf(t.Verdict)}
}

// pictureTime is the event a picture is shown as of, unless that is the newest.
func (r *reading) pictureTime() *pages.Event {
	if !r.past {
		return nil
	}
	return &pages.Event{Seq: r.Seq()}
}

// pictured reads what a picture is of out of its path. Capital letters are
// redirected to small ones, as those of pages.
func pictured(req *http.Request, dir string) (string, error) {
	name, isPicture := strings.CutSuffix(req.PathValue("picture"), pictureEnd)
	if !isPicture {
		return "", &missing{detail: "Pictures end in “" + pictureEnd + "”; “" + short(req.PathValue("picture")) + "” does not.", like: name}
	}
	small := strings.ToLower(name)
	noSlug := func(part string) bool { return !events.IsSlug(part) }
	if small == name || slices.ContainsFunc(strings.Split(small, between), noSlug) {
		return name, nil
	}
	return "", &moved{status: http.StatusMovedPermanently, to: withQuery(picturePath(dir+small), req)}
}

func picturePath(page string) string { return pictureDir + page + pictureEnd }

// pictureOf turns what sends to another page into what sends to its picture.
func pictureOf(err error) error {
	if m, ok := errors.AsType[*moved](err); ok {
		return &moved{status: m.status, to: picturePath(m.to)}
	}
	return err
}

// sendPicture answers with a picture, or with the word that the client has it.
func (h *Handler) sendPicture(w http.ResponseWriter, r *http.Request, e *entry) {
	d, header := e.document, w.Header()
	header["Etag"] = d.ETag
	header["Cache-Control"] = kept.One(pictureFresh)
	header["Shiplog-Seq"] = e.At().Header
	h.guard(header)
	if readhttp.Matches(r, d.Tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header["Content-Type"] = kept.One(pages.PictureType)
	d.Send(w, r, false)
}
