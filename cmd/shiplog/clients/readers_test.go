//go:build clients

package clients_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shiplog/cmd/shiplog/process"
)

// Real readers read the feeds of the example panel.
func TestClientReaders(t *testing.T) {
	n := start(t, t.TempDir(), "--demo")
	feeds := []string{
		"matchups", "verdicts", "reviews", "tools/cinderbell", "reviewers/skeptic",
	}
	t.Run("xmllint", func(t *testing.T) {
		for _, feed := range feeds {
			for _, format := range []string{"atom", "rss"} {
				file := filepath.Join(t.TempDir(), "feed.xml")
				if err := os.WriteFile(file, get(t, n.Base+"/feeds/"+feed+"."+format), 0o600); err != nil {
					t.Fatal(err)
				}
				run(t, 0, "xmllint", "--noout", file)
			}
		}
	})
	t.Run("newsboat", func(t *testing.T) { newsboat(t, n) })
}

// newsboat counts unread items: a reload brings none twice, a new review brings
// one.
func newsboat(t *testing.T, n *process.Node) {
	dir := t.TempDir()
	urls, cache := filepath.Join(dir, "urls"), filepath.Join(dir, "cache.db")
	if err := os.WriteFile(urls, []byte(n.Base+"/feeds/reviews.atom\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	unread := func() string {
		out, _ := run(t, 0, "newsboat", "-u", urls, "-c", cache, "-C", "/dev/null", "-x", "reload", "print-unread")
		return strings.TrimSpace(out)
	}
	first := unread()
	if strings.HasPrefix(first, "0 ") {
		t.Fatalf("newsboat finds nothing: %s", first)
	}
	if again := unread(); again != first {
		t.Errorf("after a second load %q unread, want %q", again, first)
	}
	shiplog(t, 0, "review", "--to", n.Base, "--tool", "newly", "--tool-name", "Newly", "--reviewer", "skeptic",
		"--verdict", "ship", "--body", "One more for the reader.")
	settle(t, n)
	if after := unread(); after == first {
		t.Errorf("a new review shows nowhere: %q unread", after)
	}
}
