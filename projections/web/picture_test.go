package web_test

import (
	"bytes"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"shiplog/events"
	"shiplog/projections/pages"
	kit "shiplog/projections/projectionstest"
)

func TestPictureAddresses(t *testing.T) {
	s := serve(t, knots(t))
	for _, test := range []struct {
		name   string
		path   string
		status int
		to     string // of a redirect
	}{
		{"tool", "/tools/ferrule.png", 200, ""},
		{"tool of the past", "/tools/ferrule.png?at=9", 200, ""},
		{"alias", "/tools/eyelet.png", 301, "/tools/grommet.png"},
		{"alias in the past", "/tools/eyelet.png?at=9", 301, "/tools/grommet.png?at=9"},
		{"merged", "/tools/washer.png", 301, "/tools/ferrule.png"},
		{"before the merge", "/tools/washer.png?at=15", 200, ""},
		{"retired", "/tools/thimble.png", 200, ""},
		{"capitals", "/tools/Ferrule.png?at=9", 301, "/tools/ferrule.png?at=9"},
		{"unknown", "/tools/ferule.png", 404, ""},
		{"not yet", "/tools/ferrule.png?at=2", 404, ""},
		{"beyond the head", "/tools/ferrule.png?at=999", 400, ""},
		{"no slug", "/tools/a%20b.png", 404, ""},
		{"nothing", "/tools/.png", 404, ""},
		{"no ending", "/tools/ferrule", 404, ""},
		{"another ending", "/tools/ferrule.jpg", 404, ""},
		{"pair for a tool", "/tools/ferrule-vs-grommet.png", 404, ""},
		{"pair", "/compare/ferrule-vs-grommet.png", 200, ""},
		{"other order", "/compare/grommet-vs-ferrule.png?at=16", 301, "/compare/ferrule-vs-grommet.png?at=16"},
		{"alias in a pair", "/compare/ferrule-vs-eyelet.png", 301, "/compare/ferrule-vs-grommet.png"},
		{"capitals in a pair", "/compare/Ferrule-VS-Grommet.png", 301, "/compare/ferrule-vs-grommet.png"},
		{"pair with a duplicate", "/compare/washer-vs-grommet.png", 200, ""},
		{"never opened", "/compare/thimble-vs-ferrule.png", 404, ""},
		{"not opened yet", "/compare/ferrule-vs-grommet.png?at=14", 404, ""},
		{"no pair", "/compare/ferrule.png", 404, ""},
		{"three", "/compare/ferrule-vs-grommet-vs-washer.png", 404, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := s.get("/pictures" + test.path)
			to := strings.TrimPrefix(a.Header.Get("Location"), "/pictures")
			if a.StatusCode != test.status || to != test.to {
				t.Fatalf("got %d %q, want %d %q", a.StatusCode, to, test.status, test.to)
			}
			switch test.status {
			case http.StatusOK:
				checkPicture(t, a)
			default:
				if got := a.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/html") {
					t.Errorf("an answer without a picture is of type %q", got)
				}
			}
		})
	}
}

func checkPicture(t *testing.T, a answer) {
	t.Helper()
	if got := a.Header.Get("Content-Type"); got != "image/png" {
		t.Errorf("Content-Type is %q", got)
	}
	c, err := png.DecodeConfig(bytes.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	if c.Width != pages.PictureWidth || c.Height != pages.PictureHeight {
		t.Errorf("the picture measures %d by %d", c.Width, c.Height)
	}
}

// TestPictureIsKept follows a picture through events that change it and others.
func TestPictureIsKept(t *testing.T) {
	const path = "/pictures/compare/ferrule-vs-grommet.png"
	s := serve(t, knots(t))
	first := s.page(path)
	tag := first.Header.Get("Etag")
	if !strings.HasPrefix(tag, `W/"`) || first.Header.Get("Cache-Control") != "public, max-age=300" || first.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers are %v", first.Header)
	}
	if a := s.get(path, "If-None-Match", tag); a.StatusCode != http.StatusNotModified || len(a.body) > 0 || a.Header.Get("Etag") != tag {
		t.Errorf("got %d with %d bytes and ETag %s, want a 304", a.StatusCode, len(a.body), a.Header.Get("Etag"))
	}
	if a := s.do(http.MethodHead, path); a.StatusCode != http.StatusOK || len(a.body) > 0 || a.Header.Get("Content-Length") != first.Header.Get("Content-Length") {
		t.Errorf("HEAD got %d, %d bytes, headers %v", a.StatusCode, len(a.body), a.Header)
	}
	if a := s.do(http.MethodPost, path); a.StatusCode != http.StatusMethodNotAllowed || a.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST got %d", a.StatusCode)
	}
	if a := s.page(path, "Accept-Encoding", "gzip"); a.Header.Get("Content-Encoding") != "" || !bytes.Equal(a.body, first.body) {
		t.Error("a picture, which is compressed, was compressed")
	}

	s.record(kit.Tool("other", "knots"))
	if a := s.page(path, "Accept-Encoding", "identity"); a.Header.Get("Etag") != tag || a.Header.Get("Shiplog-Seq") == first.Header.Get("Shiplog-Seq") {
		t.Errorf("after an event about another tool: ETag %s at %s", a.Header.Get("Etag"), a.Header.Get("Shiplog-Seq"))
	}
	then := s.page(path + "?at=17")
	for _, change := range []events.Payload{
		kit.Review("grommet", "ann", events.Ship), // the verdict
		&events.ToolRegistered{Tool: "ferrule", Name: "Ferrule & Sons"},
		&events.RulesPublished{Version: 1, Quorum: 9},
	} {
		s.record(change)
		a := s.page(path, "If-None-Match", tag)
		checkPicture(t, a)
		tag = a.Header.Get("Etag")
	}
	if again := s.page(path + "?at=17"); !bytes.Equal(again.body, then.body) {
		t.Error("the past has changed")
	}
}

// TestPictureOfPage looks up the picture that a page names.
func TestPictureOfPage(t *testing.T) {
	s := serve(t, knots(t))
	for _, path := range []string{"/tools/ferrule", "/tools/washer?at=15", "/compare/ferrule-vs-grommet", "/compare/ferrule-vs-grommet?only=differences", "/compare/ferrule-vs-grommet?at=16"} {
		root, err := html.Parse(bytes.NewReader(s.page(path).body))
		if err != nil {
			t.Fatal(err)
		}
		image := ""
		for n := range root.Descendants() {
			if n.Data == "meta" && len(n.Attr) == 2 && n.Attr[0].Val == "og:image" {
				image = n.Attr[1].Val
			}
		}
		found, ok := strings.CutPrefix(image, baseURL)
		if !ok {
			t.Fatalf("%s: og:image is %q, want an absolute address", path, image)
		}
		checkPicture(t, s.page(found))
	}
}
