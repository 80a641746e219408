//go:build unix

package pictures

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"time"
)

// A frame is a screen of an animation, with a caption above it.
type frame struct {
	image
	caption string
	hold    time.Duration // how long it is shown
}

// captionHeight is the room above the screen of an animation, in pixels.
const captionHeight = 30

// animate makes one SVG of all frames. It needs no script, so that it plays in an
// <img>: the frames are side by side behind a window of the size of one, and CSS
// moves them on. Where motion is unwanted, or CSS animations are not supported, it
// shows the frame with index still.
//
// Most rows are the same in many frames. They are defined once and referenced.
func animate(frames []frame, still int) []byte {
	first := frames[0]
	height := first.height() + captionHeight
	step := first.width() + 2*margin // from a frame to the next: no frame shows a part of its neighbor
	var b bytes.Buffer
	openSVG(&b, first.width(), height)
	writeStyle(&b, frames, step)

	ids := map[string]string{}
	b.WriteString("<defs>\n")
	for _, f := range frames {
		for _, row := range append([]string{caption(f.caption)}, f.rows...) {
			if _, ok := ids[row]; row != "" && !ok {
				ids[row] = fmt.Sprintf("r%d", len(ids))
				fmt.Fprintf(&b, `<g id="%s">%s</g>`+"\n", ids[row], row)
			}
		}
	}
	b.WriteString("</defs>\n")

	fmt.Fprintf(&b, `<svg x="%d" y="%d" width="%g" height="%d">`, margin, margin, first.width(), height)
	fmt.Fprintf(&b, `<g class="film" transform="translate(-%.1f 0)">`+"\n", float64(still)*step)
	for i, f := range frames {
		fmt.Fprintf(&b, `<g transform="translate(%.1f 0)">`, float64(i)*step)
		if f.caption != "" {
			fmt.Fprintf(&b, `<use href="#%s"/>`, ids[caption(f.caption)])
		}
		for y, row := range f.rows {
			if row != "" {
				fmt.Fprintf(&b, `<use href="#%s" y="%d"/>`, ids[row], captionHeight+y*cellHeight)
			}
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</g></svg>\n</svg>\n")
	return b.Bytes()
}

// writeStyle writes the CSS that shows each frame as long as it holds, in a loop.
func writeStyle(b *bytes.Buffer, frames []frame, step float64) {
	var total, at time.Duration
	for _, f := range frames {
		total += f.hold
	}
	b.WriteString("<style>\n@keyframes film{")
	for i, f := range frames {
		fmt.Fprintf(b, "%.3f%%{transform:translateX(-%.1fpx)}", 100*at.Seconds()/total.Seconds(), float64(i)*step)
		at += f.hold
	}
	b.WriteString("}\n")
	fmt.Fprintf(b, "@media (prefers-reduced-motion:no-preference){.film{animation:film %gs step-end infinite}}\n</style>\n", total.Seconds())
}

// caption draws the line above the screen. Text before a colon is drawn as a key.
func caption(text string) string {
	if text == "" {
		return ""
	}
	key, does, ok := strings.Cut(text, ": ")
	if !ok {
		return fmt.Sprintf(`<text y="15" fill="%s">%s</text>`, basic[8], html.EscapeString(text))
	}
	width := float64(len([]rune(key)))*cellWidth + 12
	return fmt.Sprintf(`<rect y="0.5" width="%.1f" height="21" rx="4" fill="%s"/><text x="6" y="15" font-weight="bold">%s</text><text x="%.1f" y="15" fill="%s">%s</text>`,
		width, basic[0], html.EscapeString(key), width+10, basic[8], html.EscapeString(does))
}
