// Package sample makes streams to measure an emulator with.
package sample

import (
	"bytes"
	"fmt"
	"math/rand/v2"
)

// Kinds are the kinds of streams that there are.
func Kinds() []string { return []string{"ascii", "sgr", "unicode", "redraw"} }

// Stream makes about a mebibyte of what an application of a kind prints on a
// screen of that size, the same each time: lines of ASCII, lines with styles, lines
// of Unicode text, or a full-screen program that draws itself again and again.
func Stream(kind string, cols, rows int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	word := func() string { return "abcdefghijklmnop"[:2+r.IntN(10)] }
	for b.Len() < 1<<20 {
		switch kind {
		case "ascii":
			for n := 0; n < cols-12; n = n + 8 {
				b.WriteString(word() + " ")
			}
			b.WriteString("\r\n")
		case "sgr":
			for range 6 {
				fmt.Fprintf(&b, "\x1b[%d;38;5;%dm%s\x1b[0m \x1b[48;2;%d;%d;%dm%s\x1b[m ", r.IntN(2), r.IntN(256), word(), r.IntN(256), r.IntN(256), r.IntN(256), word())
			}
			b.WriteString("\r\n")
		case "unicode":
			for range 6 {
				b.WriteString([]string{"größe naïve ", "漢字カタカナ ", "привет мир ", "─│┌┐└┘█▒ ", "한국어 ", "✔ done → "}[r.IntN(6)])
			}
			b.WriteString("\r\n")
		case "redraw":
			b.WriteString("\x1b[H")
			for y := range rows {
				fmt.Fprintf(&b, "\x1b[%d;1H\x1b[%dm", y+1, 30+r.IntN(8))
				for n := 0; n < cols-12; n = n + 8 {
					b.WriteString((word() + "          ")[:8])
				}
				b.WriteString("\x1b[m\x1b[K")
			}
		}
	}
	return b.Bytes()
}
