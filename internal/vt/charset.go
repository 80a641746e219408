package vt

import "strings"

// replaced are the ASCII characters that national character sets replace.
const replaced = "#@[\\]^_`{|}~"

// national are the national character sets of VT220 and later, by their final
// byte. Except for the British set, they are ASCII unless mode 42 is set. (A map
// would be initialized at every start.)
var national = [256]string{
	'A': "£@[\\]^_`{|}~", // British
	'4': "£¾ĳ½|^_`¨ƒ¼´",  // Dutch
	'C': "#@ÄÖÅÜ_éäöåü",  // Finnish
	'R': "£à°ç§^_`éùè¨",  // French
	'Q': "#àâçêî_ôéùèû",  // French Canadian
	'K': "#§ÄÖÜ^_`äöüß",  // German
	'Y': "£§°çé^_ùàòèì",  // Italian
	'`': "#ÄÆØÅÜ_äæøåü",  // Norwegian, Danish
	'Z': "£§¡Ñ¿^_`°ñç~",  // Spanish
	'7': "#ÉÄÖÅÜ_éäöåü",  // Swedish
	'=': "ùàéçêîèôäöüû",  // Swiss
}

// technical is the DEC technical set from '!' on. Blanks are unassigned.
const technical = "⎷┌─⌠⌡│⎡⎣⎤⎦⎛⎝⎞⎠⎨⎬           ≤≠≥∫∴∝∞÷Δ∇ΦΓ∼≃Θ×Λ⇔⇒≡ΠΨ Σ  √ΩΞΥ⊂⊃∩∪∧∨¬αβχδεφγηιθκλ ν∂πψρστ ƒωξυζ←↑→↓"

// translate maps a character of the left half to the designated set.
func (t *Terminal) translate(r rune) rune {
	c := &t.cur
	set := c.sets[c.gl]
	if c.single != 0 {
		set = c.sets[c.single]
		c.single = 0
		t.updatePlain()
	}
	switch {
	case set == 'B':
	case set == '0' && r >= 0x5f && r <= 0x7e:
		return []rune(" ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")[r-0x5f]
	case set == '>' && r >= 0x21 && r <= 0x7e:
		if m := []rune(technical)[r-0x21]; m != ' ' {
			return m
		}
	case set == 'A' || t.modes.has(modeNationalSets):
		if i := strings.IndexRune(replaced, r); i >= 0 && i < len(replaced) && national[set] != "" {
			return []rune(national[set])[i]
		}
	}
	return r
}

// designate is SCS, for G0 to G3. Unsupported sets behave like ASCII.
func (t *Terminal) designate(g int, final byte) {
	switch final {
	case '0', '2':
		final = '0'
	case '5':
		final = 'C'
	case 'f':
		final = 'R'
	case '9':
		final = 'Q'
	case 'E', '6':
		final = '`'
	case 'H':
		final = '7'
	case '>':
	default:
		if national[final] == "" {
			final = 'B'
		}
	}
	t.cur.sets[g] = final
	t.updatePlain()
}

func (t *Terminal) shift(gl uint8) {
	t.cur.gl = gl
	t.updatePlain()
}

func (t *Terminal) singleShift(g uint8) {
	t.cur.single = g
	t.updatePlain()
}
