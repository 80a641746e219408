package keymap

import (
	"strings"
	"unicode"
)

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
