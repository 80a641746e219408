package keymap

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Match reports whether a key press belongs to one of the bindings. The text
// that was typed counts first. Only if that is not of the Latin alphabet
// (Cyrillic, Greek …) does the key's place on a US keyboard count, as the
// terminal reports it or by the usual layout of the alphabet; so a Dvorak or
// AZERTY typist never triggers what a key would mean elsewhere.
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

// Rows returns how many rows a key moves in a window of that many; ok is false if
// it is none of these keys. The top and the bottom are further away than any list
// is long.
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

// Names returns the two names under which a key press is looked up: what was
// typed ("ж", "x", "ctrl+b") and, for other alphabets, the key of a US keyboard
// in the same place (";"), else "".
func Names(msg tea.KeyPressMsg) (typed, base string) {
	k := msg.Key()
	// The library names a chord by the US place whenever it is known; the
	// letter on the key is what its owner means by Ctrl+B.
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

// The letter rows of the usual layouts, each beside the US keys in the same
// places. Terminals without the Kitty protocol send only the letter.
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

// usualPlace returns the US key in the place of a lower-case letter, or 0.
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

// counterpart returns the rune of to that stands where r stands in from.
func counterpart(r rune, from, to string) rune {
	at := strings.IndexRune(from, r)
	if at < 0 {
		return 0
	}
	n := len([]rune(from[:at]))
	return []rune(to)[n]
}
