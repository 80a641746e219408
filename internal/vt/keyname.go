package vt

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ParseKey parses tmux's name of a key: a character, or a name such as Up, F5, Enter,
// Space, BSpace, DC, PPage, with the prefixes C-, M- and S-; ^c is C-c.
func ParseKey(name string) (Key, error) {
	var k Key
	rest := name
	if n := len(rest); n == 2 && rest[0] == '^' {
		k.Mods, rest = Ctrl, strings.ToLower(rest[1:])
	}
	for len(rest) > 2 && rest[1] == '-' {
		switch rest[0] {
		case 'C', 'c':
			k.Mods |= Ctrl
		case 'M', 'm':
			k.Mods |= Alt
		case 'S', 's':
			k.Mods |= Shift
		default:
			return Key{}, fmt.Errorf("unknown modifier in key %q: use C-, M- or S-", name)
		}
		rest = rest[2:]
	}
	if r, n := utf8.DecodeRuneInString(rest); n > 0 && n == len(rest) && r != utf8.RuneError {
		return characterKey(k.Mods, r), nil
	}
	code, ok := namedKey(rest)
	if !ok {
		return Key{}, fmt.Errorf("unknown key %q: use a character or a name such as Enter, Up, F5, C-c, M-x", name)
	}
	if code == keyBackTab {
		code, k.Mods = KeyTab, k.Mods|Shift
	}
	k.Code = code
	if code == KeySpace && k.Mods&^Shift == 0 {
		k.Text = " "
	}
	return k, nil
}

// ParseKeys parses several names of keys. As in tmux, other words are text. A word
// with a modifier that is not a valid name is an error.
func ParseKeys(words ...string) ([]Key, error) {
	keys := make([]Key, 0, len(words))
	for _, w := range words {
		k, err := ParseKey(w)
		switch {
		case err == nil:
			keys = append(keys, k)
		case isText(w):
			for _, r := range w {
				keys = append(keys, characterKey(0, r))
			}
		default:
			return nil, err
		}
	}
	return keys, nil
}

// isText reports whether a word that is not the name of a key is text: it does not
// begin with a modifier, abbreviated or in full.
func isText(word string) bool {
	if word == "" || !utf8.ValidString(word) {
		return false
	}
	if i := strings.IndexAny(word, "-+"); i > 0 && i < len(word)-1 {
		switch strings.ToLower(word[:i]) {
		case "c", "m", "s":
			return word[i] == '+'
		case "ctrl", "control", "alt", "meta", "shift":
			return false
		}
	}
	return true
}

// characterKey returns the key that types r on a US keyboard. Other characters are
// keys themselves.
func characterKey(mods Mods, r rune) Key {
	k := Key{Code: r, Mods: mods}
	if r >= 'A' && r <= 'Z' && mods&Ctrl == 0 {
		k.Code, k.Shifted, k.Mods = r-'A'+'a', r, mods|Shift
	} else if r >= 'A' && r <= 'Z' {
		k.Code = r - 'A' + 'a'
	}
	if k.Mods&^Shift == 0 {
		k.Text = string(r)
		if k.Mods&Shift != 0 {
			k.Text = string(shifted(k))
		}
	}
	return k
}

const keyBackTab rune = -1

// keyNames are tmux's names of keys besides characters, F1 to F20 and the digits of the keypad.
var keyNames = [...]struct {
	name string
	code rune
}{
	{"up", KeyUp}, {"down", KeyDown}, {"left", KeyLeft}, {"right", KeyRight}, {"home", KeyHome}, {"end", KeyEnd},
	{"ic", KeyInsert}, {"insert", KeyInsert}, {"dc", KeyDelete}, {"delete", KeyDelete},
	{"ppage", KeyPageUp}, {"pageup", KeyPageUp}, {"pgup", KeyPageUp},
	{"npage", KeyPageDown}, {"pagedown", KeyPageDown}, {"pgdn", KeyPageDown},
	{"enter", KeyEnter}, {"return", KeyEnter}, {"escape", KeyEscape}, {"esc", KeyEscape},
	{"tab", KeyTab}, {"btab", keyBackTab}, {"backtab", keyBackTab}, {"space", KeySpace},
	{"bspace", KeyBackspace}, {"backspace", KeyBackspace},
	{"kpenter", KeyKPEnter}, {"kp/", KeyKPDivide}, {"kp*", KeyKPMultiply},
	{"kp-", KeyKPSubtract}, {"kp+", KeyKPAdd}, {"kp.", KeyKPDecimal},
}

func namedKey(name string) (rune, bool) {
	lower := strings.ToLower(name)
	if n, err := strconv.Atoi(strings.TrimPrefix(lower, "f")); err == nil && lower[0] == 'f' && n >= 1 && n <= 20 {
		return KeyF1 + rune(n-1), true
	}
	for _, key := range keyNames {
		if key.name == lower {
			return key.code, true
		}
	}
	if len(lower) == 3 && lower[:2] == "kp" && lower[2]-'0' < 10 {
		return KeyKP0 + rune(lower[2]-'0'), true
	}
	return 0, false
}
