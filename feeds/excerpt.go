package feeds

import (
	"strings"

	"github.com/rivo/uniseg"
)

// excerpt cuts a text to at most limit bytes, and says whether anything was cut
// off. It never cuts inside what a reader sees as one character: an accent, a
// flag or a family of joined emoji stays whole or goes whole. Between words it
// prefers to cut, where one ends near.
func excerpt(s string, limit int) (head string, cut bool) {
	if len(s) <= limit {
		return s, false
	}
	end := boundary(s, limit)
	if space := strings.LastIndexAny(s[:end], " \n\t"); space > end-end/8 {
		end = space
	}
	head = strings.TrimRight(s[:end], " \n\t")
	return head, true
}

// boundary is the last boundary between two graphemes at or before limit. It is
// 0 where the first grapheme alone is longer: somebody may have piled thousands
// of accents on a letter.
func boundary(s string, limit int) int {
	end, rest, state := 0, s, -1
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if end+len(cluster) > limit {
			break
		}
		end += len(cluster)
	}
	return end
}

// ellipsis marks what was cut.
const ellipsis = "…"

// gist makes a line of plain text out of a body: its first words.
func gist(s string, limit int) string {
	s = strings.Join(strings.Fields(clean(s)), " ")
	head, cut := excerpt(s, limit)
	if cut {
		return head + ellipsis
	}
	return head
}
