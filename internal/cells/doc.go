// Package cells cuts, pads and stacks text to exact numbers of terminal cells.
//
// Every component of the UI promises a block of exactly w by h cells; these are
// the functions with which it keeps the promise. Widths are those of the
// renderer (grapheme clusters, wide characters), styled text is never cut inside
// an escape sequence, and what a job printed or was named passes [Clean] before
// it is drawn.
package cells
