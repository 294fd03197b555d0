// Package pictures draws what is shown of a page where its address is shared: a
// PNG with the names, the verdicts and the result, in the look of the pages.
//
// It promises:
//
//   - Drawing is pure: the same view gives the same bytes. It reads no clock, no
//     file and no network; the fonts are part of the binary.
//   - A picture is legible at a quarter of its size, as a thumbnail, and on any
//     ground: it brings its own paper.
//   - Text never leaves its place. A name is wrapped to two lines, then set
//     smaller, then cut between two graphemes, with an ellipsis.
//   - A name that the fonts cannot set as it is read is drawn as its slug: one
//     with a character they lack, with marks that would have to be placed, or
//     written from right to left. See [Painter.Readable].
//
// Fonts are set glyph by glyph, without shaping. That is right for Latin, Greek
// and Cyrillic, and all that the fonts hold of other scripts falls back.
package pictures
