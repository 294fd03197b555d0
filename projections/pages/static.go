package pages

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"path"
	"strings"
)

//go:embed static/style.css static/icon.svg
var staticFiles embed.FS

// assets are the files the pages refer to. Each lies under a path that holds a
// hash of its bytes, so it may be kept for ever.
type assets struct{ style, icon Asset }

// An Asset is a file that pages refer to by its path.
type Asset struct {
	Path, MediaType string
	Body            []byte
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

func loadAsset(name, mediaType string) (Asset, error) {
	body, err := staticFiles.ReadFile("static/" + name)
	if err != nil {
		return Asset{}, fmt.Errorf("read asset %s: %w", name, err)
	}
	sum := sha256.Sum256(body)
	ext := path.Ext(name)
	hashed := "/static/" + strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext
	return Asset{Path: hashed, MediaType: mediaType, Body: body}, nil
}

// Assets are the files to serve, each at its path.
func (p *Pages) Assets() []Asset { return []Asset{p.assets.style, p.assets.icon} }
