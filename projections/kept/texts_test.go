package kept_test

import (
	"errors"
	"html/template"
	"strings"
	"testing"

	"shiplog/projections/kept"
)

func TestTexts(t *testing.T) {
	made := 0
	render := kept.Texts(func(source string) (template.HTML, error) {
		made++
		if source == "bad" {
			return "", errors.New("bad")
		}
		return template.HTML("<p>" + source + "</p>"), nil
	}, 8<<10)
	for _, source := range []string{"a", "b", "a", "a", "b"} {
		if html, err := render(source); err != nil || html != template.HTML("<p>"+source+"</p>") {
			t.Errorf("%q became %q, %v", source, html, err)
		}
	}
	if made != 2 {
		t.Errorf("two texts were made %d times", made)
	}
	for range 2 {
		if _, err := render("bad"); err == nil {
			t.Error("the error is gone")
		}
	}
	if made != 4 {
		t.Errorf("an error was kept: made %d times", made)
	}
	long := strings.Repeat("x", 5<<10)
	for _, source := range []string{long + "1", long + "2", long + "1"} {
		if _, err := render(source); err != nil {
			t.Fatal(err)
		}
	}
	if made != 7 {
		t.Errorf("more is kept than there is room for: made %d times", made)
	}
}
