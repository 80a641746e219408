package vt

import "github.com/clipperhouse/displaywidth"

// RuneWidth returns the number of columns of a rune by itself: 0, 1 or 2.
func RuneWidth(r rune) int {
	switch {
	case r < 0x7f:
		if r < 0x20 {
			return 0
		}
		return 1
	case r >= 0xa1 && r < 0x300 && r != 0xad:
		return 1
	case r >= 0x2500 && r < 0x25fd: // boxes and blocks
		return 1
	case r >= 0x3041 && r < 0x3097, r >= 0x30a1 && r < 0x30fb, // kana
		r >= 0x4e00 && r < 0xa000, // CJK ideographs
		r >= 0xac00 && r < 0xd7a4: // Hangul
		return 2
	case r >= 0x391 && r < 0x3ca && r != 0x3a2, r >= 0x400 && r < 0x483: // Greek, Cyrillic
		return 1
	}
	return displaywidth.Rune(r)
}

// cellWidth returns the number of columns that the screen gives a rune by itself:
// RuneWidth, but the second and third parts of a Hangul syllable have none, since
// they go into the cell of the first.
func cellWidth(r rune) int {
	if r >= 0x1160 && r < 0x1200 || r >= 0xd7b0 && r < 0xd7fc {
		return 0
	}
	return RuneWidth(r)
}
