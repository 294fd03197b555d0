package pages

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"sync"
)

//go:embed templates/*.tmpl
var templateFiles embed.FS

// Pages draws every page of one site. It is safe for use by many goroutines.
type Pages struct {
	site      Site
	templates map[string]*template.Template
	assets    assets
	buffers   sync.Pool
}

// New parses the templates once.
func New(site Site) (*Pages, error) {
	site, err := site.cleaned()
	if err != nil {
		return nil, err
	}
	p := &Pages{site: site, templates: map[string]*template.Template{}}
	p.buffers.New = func() any { return new(bytes.Buffer) }
	if p.assets, err = loadAssets(); err != nil {
		return nil, err
	}
	shared, err := template.New("layout.tmpl").Funcs(p.funcs()).ParseFS(templateFiles, "templates/layout.tmpl", "templates/parts.tmpl", "templates/tables.tmpl")
	if err != nil {
		return nil, fmt.Errorf("parse shared templates: %w", err)
	}
	for _, name := range pageNames() {
		own, err := shared.Clone()
		if err == nil {
			_, err = own.ParseFS(templateFiles, "templates/"+name+".tmpl")
		}
		if err != nil {
			return nil, fmt.Errorf("parse template %s: %w", name, err)
		}
		p.templates[name] = own
	}
	return p, nil
}

func pageNames() []string {
	return []string{
		"home", "first", "tools", "tool", "category", "matchups", "compare", "matrix",
		"reviewers", "reviewer", "feeds", "event", "rules", "search", "problem",
	}
}

// draw renders a page into a buffer and sends it whole.
func (p *Pages) draw(w io.Writer, name string, f frame) error {
	f.Site = p.site
	buf := p.buffers.Get().(*bytes.Buffer)
	defer p.buffers.Put(buf)
	buf.Reset()
	if err := p.templates[name].Execute(buf, f); err != nil {
		return fmt.Errorf("draw page %s: %w", name, err)
	}
	if _, err := w.Write(buf.Bytes()); err != nil {
		return fmt.Errorf("write page %s: %w", name, err)
	}
	return nil
}
