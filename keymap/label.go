package keymap

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Label returns a key as help shows it: "Ctrl+B", "↑", "Shift+Tab", "x".
func Label(k string) string {
	if k == "+" {
		return k
	}
	parts := strings.Split(k, "+")
	for i, p := range parts {
		parts[i] = labelPart(p, len(parts) > 1)
	}
	return strings.Join(parts, "+")
}

func labelPart(p string, chord bool) string {
	switch p {
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	case "pgup":
		return "PgUp"
	case "pgdown":
		return "PgDn"
	}
	// An empty part is half of the key "+" in a chord such as "ctrl++".
	first, size := utf8.DecodeRuneInString(p)
	if size > 0 && (chord || size < len(p)) {
		return string(unicode.ToUpper(first)) + p[size:]
	}
	return p
}

// ASCIILabel is [Label] for terminals without arrows: "Up" for "↑".
func ASCIILabel(k string) string {
	return asciiArrows.Replace(Label(k))
}

var asciiArrows = strings.NewReplacer("↑", "Up", "↓", "Down", "←", "Left", "→", "Right")
