package pages

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"strings"
)

//go:embed static/style.css static/icon.svg
var staticFiles embed.FS

// assets are the files the pages refer to. Each lies under a path that holds a
// hash of its bytes, so it may be kept for ever.
type assets struct{ style, icon asset }

type asset struct {
	path      string
	mediaType string
	body      []byte
}

func loadAssets() (assets, error) {
	style, err := loadAsset("style.css", "text/css; charset=utf-8")
	if err != nil {
		return assets{}, err
	}
	icon, err := loadAsset("icon.svg", "image/svg+xml")
	if err != nil {
		return assets{}, err
	}
	return assets{style: style, icon: icon}, nil
}

func loadAsset(name, mediaType string) (asset, error) {
	body, err := staticFiles.ReadFile("static/" + name)
	if err != nil {
		return asset{}, fmt.Errorf("read asset %s: %w", name, err)
	}
	sum := sha256.Sum256(body)
	ext := path.Ext(name)
	hashed := "/static/" + strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext
	return asset{path: hashed, mediaType: mediaType, body: body}, nil
}

// StylePath is where the stylesheet is served.
func (p *Pages) StylePath() string { return p.assets.style.path }

// IconPath is where the site's icon is served. Feeds name it too.
func (p *Pages) IconPath() string { return p.assets.icon.path }

// Static serves the files under /static/. An address whose hash is not that of
// the present bytes is not found.
func (p *Pages) Static() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, a := range []asset{p.assets.style, p.assets.icon} {
			if r.URL.Path != a.path {
				continue
			}
			h := w.Header()
			h.Set("Content-Type", a.mediaType)
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Content-Length", fmt.Sprint(len(a.body)))
			if r.Method == http.MethodHead {
				return
			}
			w.Write(a.body) //nolint:errcheck // the reader went away; nobody is left to tell
			return
		}
		http.NotFound(w, r)
	})
}
