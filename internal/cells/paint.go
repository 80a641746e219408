package cells

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Paint is a style boiled down to what stands before and behind a text. It is
// for text that is drawn often and has neither line breaks nor styles of its
// own; it costs a concatenation.
type Paint struct{ before, behind string }

// NewPaint boils a style down.
func NewPaint(s lipgloss.Style) Paint {
	const mark = "x"
	before, behind, _ := strings.Cut(s.Render(mark), mark)
	return Paint{before, behind}
}

// Add draws text into b.
func (p Paint) Add(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	b.WriteString(p.before)
	b.WriteString(text)
	b.WriteString(p.behind)
}
