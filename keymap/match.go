package keymap

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Match reports whether a key press matches one of the bindings. It compares the typed text. If that
// is not in the Latin alphabet (Cyrillic, Greek …), it compares the key at the same position of a US
// keyboard, as reported by the terminal or according to the common layout of the alphabet. Latin
// layouts such as Dvorak and AZERTY are therefore matched by text only.
func Match(msg tea.KeyPressMsg, bindings ...key.Binding) bool {
	typed, base := Names(msg)
	for _, b := range bindings {
		if !b.Enabled() {
			continue
		}
		keys := b.Keys()
		if slices.Contains(keys, typed) || base != "" && slices.Contains(keys, base) {
			return true
		}
	}
	return false
}

// Rows returns the number of rows that a key moves in a window of the given height. ok is false for
// other keys. For the top and the bottom, the number is larger than any list.
func (m Move) Rows(msg tea.KeyPressMsg, window int) (n int, ok bool) {
	const all = 1 << 30
	half, page := max(1, window/2), max(1, window-1)
	for _, k := range []struct {
		key.Binding
		rows int
	}{
		{m.Up, -1}, {m.Down, 1}, {m.HalfPageUp, -half}, {m.HalfPageDown, half},
		{m.PageUp, -page}, {m.PageDown, page}, {m.Top, -all}, {m.Bottom, all},
	} {
		if Match(msg, k.Binding) {
			return k.rows, true
		}
	}
	return 0, false
}

// Names returns the two names of a key press that bindings are compared with: the typed text ("ж",
// "x", "ctrl+b"), and for non-Latin alphabets the key at the same position of a US keyboard (";"),
// else "".
func Names(msg tea.KeyPressMsg) (typed, base string) {
	k := msg.Key()
	// The library names a key combination by the US position if that is known. But the
	// user means the letter on the key.
	own := k
	own.BaseCode = 0
	typed = own.String()

	r := k.Code
	if k.Text != "" {
		r, _ = utf8.DecodeRuneInString(k.Text)
	}
	if r <= unicode.MaxASCII || !unicode.IsLetter(r) || unicode.Is(unicode.Latin, r) {
		return typed, ""
	}
	place := k.BaseCode
	if place == 0 {
		place = usualPlace(unicode.ToLower(r))
	}
	if place == 0 {
		return typed, ""
	}
	if k.Text != "" && (k.Mod.Contains(tea.ModShift) || unicode.IsUpper(r)) {
		return typed, string(shifted(place))
	}
	return typed, tea.Key{Code: place, Mod: k.Mod}.Keystroke()
}

// The letters of common layouts and the US keys at the same positions. Terminals without the kitty
// protocol send only the letter.
const (
	russian   = "йцукенгшщзхъфывапролджэячсмитьбюё"
	russianUS = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"
	ukraine   = "іїє" // where they differ from Russian
	ukraineUS = "s]'"
	greek     = "ςερτυθιοπασδφγηξκλζχψωβνμ"
	greekUS   = "wertyuiopasdfghjklzxcvbnm"

	plainUS = "`1234567890-=[]\\;',./"
	shiftUS = "~!@#$%^&*()_+{}|:\"<>?"
)

// usualPlace returns the US key at the position of a lower-case letter, or 0.
func usualPlace(r rune) rune {
	for _, l := range [][2]string{{russian, russianUS}, {ukraine, ukraineUS}, {greek, greekUS}} {
		if at := counterpart(r, l[0], l[1]); at != 0 {
			return at
		}
	}
	return 0
}

// shifted returns what a US key types with Shift.
func shifted(r rune) rune {
	if s := counterpart(r, plainUS, shiftUS); s != 0 {
		return s
	}
	return unicode.ToUpper(r)
}

// counterpart returns the rune of to at the index of r in from.
func counterpart(r rune, from, to string) rune {
	at := strings.IndexRune(from, r)
	if at < 0 {
		return 0
	}
	n := len([]rune(from[:at]))
	return []rune(to)[n]
}
