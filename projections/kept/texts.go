package kept

import (
	"crypto/sha256"
	"html/template"
)

// TextsLimit bounds the memory for what was made of texts unless told otherwise.
const TextsLimit = 16 << 20

// Texts is render with a memory of so many bytes: a text stands on many pages
// and in many feeds, and what is made of it depends on nothing else. Errors are
// not kept. It is safe for use by many goroutines if render is.
func Texts(render func(source string) (template.HTML, error), limit int64) func(source string) (template.HTML, error) {
	cache := NewCache[[sha256.Size]byte, template.HTML](limit)
	return func(source string) (template.HTML, error) {
		key := sha256.Sum256([]byte(source))
		if html, ok := cache.Get(key); ok {
			return html, nil
		}
		html, err := render(source)
		if err == nil {
			cache.Put(key, html, int64(len(html)))
		}
		return html, err
	}
}
