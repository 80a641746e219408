package keymap

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ParseKey returns the canonical name of a key: "Ctrl-B", "C-b" and "^B" are "ctrl+b", "Return" is
// "enter", " " is "space", "shift+x" is "X".
func ParseKey(s string) (string, error) {
	mods, name, err := splitKey(s)
	if err != nil {
		return "", err
	}
	if utf8.RuneCountInString(name) == 1 {
		return chordOfRune(mods, name), nil
	}
	known, ok := keyName(strings.ToLower(name))
	if !ok {
		return "", fmt.Errorf("unknown key %q; use a character, a name such as enter, space, pgup or f5, or a combination such as ctrl+b", s)
	}
	return join(mods, known), nil
}

// splitKey separates the modifiers from the key. The last character is always the key, so "+", "-",
// "ctrl++" and "ctrl+-" are valid.
func splitKey(s string) (mods []string, name string, err error) {
	if s == " " {
		return nil, "space", nil
	}
	rest := strings.TrimSpace(s)
	if len(rest) == 2 && rest[0] == '^' {
		mods, rest = []string{"ctrl"}, rest[1:]
	}
	for {
		at := strings.IndexAny(rest, "+-")
		if at <= 0 || at == len(rest)-1 {
			break
		}
		mod, ok := modifier(rest[:at])
		if !ok {
			break
		}
		if !slices.Contains(mods, mod) {
			mods = append(mods, mod)
		}
		rest = rest[at+1:]
	}
	if rest == "" {
		return nil, "", fmt.Errorf("empty key")
	}
	for _, r := range rest {
		if !unicode.IsGraphic(r) {
			return nil, "", fmt.Errorf("%q is not a key", s)
		}
	}
	return mods, rest, nil
}

func modifier(s string) (string, bool) {
	switch strings.ToLower(s) {
	case "ctrl", "control", "c":
		return "ctrl", true
	case "alt", "option", "opt", "a", "m":
		return "alt", true
	case "shift", "s":
		return "shift", true
	case "super", "cmd", "win":
		return "super", true
	case "meta":
		return "meta", true
	case "hyper":
		return "hyper", true
	}
	return "", false
}

// chordOfRune returns the name of a character with modifiers. Terminals report Shift with a letter as
// the upper-case letter, and Ctrl with a letter in lower case.
func chordOfRune(mods []string, name string) string {
	if !slices.Contains(mods, "ctrl") && len(mods) <= 1 && slices.Contains(mods, "shift") {
		r, _ := utf8.DecodeRuneInString(name)
		return string(shifted(r))
	}
	if len(mods) > 0 {
		name = strings.ToLower(name)
	}
	return join(mods, name)
}

// join joins modifiers and key in the order of the names of key presses.
func join(mods []string, name string) string {
	var b strings.Builder
	for _, m := range []string{"ctrl", "alt", "shift", "meta", "hyper", "super"} {
		if slices.Contains(mods, m) {
			b.WriteString(m + "+")
		}
	}
	return b.String() + name
}

func keyName(s string) (string, bool) {
	switch s {
	case "return", "cr":
		return "enter", true
	case "escape":
		return "esc", true
	case "spc", "spacebar":
		return "space", true
	case "del":
		return "delete", true
	case "bs":
		return "backspace", true
	case "ins":
		return "insert", true
	case "pageup":
		return "pgup", true
	case "pagedown", "pgdn":
		return "pgdown", true
	case "enter", "esc", "space", "tab", "backspace", "delete", "insert", "up", "down", "left", "right",
		"home", "end", "pgup", "pgdown", "menu", "pause", "printscreen":
		return s, true
	}
	return s, isFunctionKey(s)
}

// isFunctionKey reports whether s is one of f1 to f63.
func isFunctionKey(s string) bool {
	n, _ := strconv.Atoi(strings.TrimPrefix(s, "f"))
	canonical := s == "f"+strconv.Itoa(n) // f1, not f01 or f+1
	return canonical && n >= 1 && n <= 63
}

// printable reports whether a key without modifiers types text.
func printable(k string) bool {
	return k == "space" || utf8.RuneCountInString(k) == 1
}

// Label returns the name of a key for help: "Ctrl+B", "↑", "Shift+Tab", "x".
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
