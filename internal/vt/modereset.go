package vt

// ModeReset returns the sequences that leave a person's terminal sane after what
// passed the filter: main screen, whole margins, default style, visible cursor, no
// mouse, no bracketed paste, plain keyboard.
func (f *Filter) ModeReset() []byte {
	if f.alternate {
		return modeReset("\x1b[?1049l")
	}
	return modeReset("")
}

func modeReset(toMain string) []byte {
	const keyboard = "\x1b[<99u\x1b[=0u" // of the screen shown
	reset := "\x1b[?2026l" + keyboard
	if toMain != "" {
		reset += toMain + keyboard
	}
	return []byte(reset +
		"\x1b7\x1b[?69l\x1b[r\x1b[?6l\x1b8" + // margins move the cursor
		"\x1b[!p\x1b[?7h\x1b[?5l\x1b[?45l\x1b[4l\x1b[20l" +
		"\x1b[?1l\x1b>\x1b[>4m" + // cursor keys, keypad, other keys
		"\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l" +
		"\x1b[?2004l\x1b[?2027l\x1b[?2031l\x1b[?2048l" +
		"\x1b(B\x1b)B\x0f" + // character sets
		"\x1b]8;;\x1b\\\x1b[m\x1b[?25h\x1b[ q" + // link, style, cursor
		"\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\")
}
