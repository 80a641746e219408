package keymap

import (
	"slices"
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
