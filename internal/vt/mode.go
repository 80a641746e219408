package vt

// mode is a mode that the application sets or resets.
type mode uint8

const (
	modeNone mode = iota
	modeInsert
	modeNewLine
	modeSendReceive
	modeAppCursor
	modeColumns132
	modeSmoothScroll
	modeReverseScreen
	modeAutoWrap
	modeAutoRepeat
	modeCursorBlink
	modeCursor
	modeAllow132
	modeReverseWrap
	modeAppKeypad
	modeBackspaceSendsBS
	modeMargins
	modeTabWraps
	modeReverseWrapOn
	modeFocus
	modeAltScroll
	modeMetaEscape
	modeAltEscape
	modeBracketedPaste
	modeSynchronized
	modeGraphemes
	modeColorReports
	modeResizeReports
	modeKeyboardLock // only reported; keys are never locked
	modePrintFormFeed
	modePrintExtent
	modeNationalSets
	modeVT52
)

type modeSet uint64

const defaultModes = modeSet(1<<modeAutoWrap | 1<<modeCursor | 1<<modeAutoRepeat | 1<<modeSendReceive |
	1<<modeAltScroll | 1<<modeMetaEscape | 1<<modeAltEscape)

func (s modeSet) has(m mode) bool { return s>>m&1 == 1 }

func (s *modeSet) set(m mode, on bool) {
	*s &^= 1 << m
	if on {
		*s |= 1 << m
	}
}

// numbered is a mode with its number in the sequences that set and reset it.
type numbered struct {
	number int
	mode   mode
}

// ansiModes are the modes of CSI h, and privateModes those of CSI ? h, by number. (Maps would be
// initialized at every start.)
var (
	ansiModes = [...]numbered{
		{2, modeKeyboardLock}, {4, modeInsert}, {12, modeSendReceive}, {20, modeNewLine},
	}
	privateModes = [...]numbered{
		{1, modeAppCursor}, {3, modeColumns132}, {4, modeSmoothScroll}, {5, modeReverseScreen},
		{7, modeAutoWrap}, {8, modeAutoRepeat}, {12, modeCursorBlink}, {18, modePrintFormFeed},
		{19, modePrintExtent}, {25, modeCursor}, {40, modeAllow132}, {41, modeTabWraps},
		{42, modeNationalSets}, {45, modeReverseWrap}, {66, modeAppKeypad}, {67, modeBackspaceSendsBS},
		{69, modeMargins}, {1004, modeFocus}, {1007, modeAltScroll}, {1036, modeMetaEscape},
		{1039, modeAltEscape}, {1045, modeReverseWrapOn}, {2004, modeBracketedPaste}, {2026, modeSynchronized},
		{2027, modeGraphemes}, {2031, modeColorReports}, {2048, modeResizeReports},
	}
)

func ansiMode(n int) mode    { return modeOf(ansiModes[:], n) }
func privateMode(n int) mode { return modeOf(privateModes[:], n) }

// modeOf returns the mode with the number n, or modeNone.
func modeOf(modes []numbered, n int) mode {
	for _, m := range modes {
		if m.number == n {
			return m.mode
		}
	}
	return modeNone
}

func (t *Terminal) setMode(n int, on bool) {
	m := ansiMode(n)
	if m == modeNone {
		return
	}
	t.modes.set(m, on)
	t.updatePlain()
}

func (t *Terminal) setPrivateMode(n int, on bool) {
	if m := privateMode(n); m != modeNone {
		if m == modeMargins && t.conformance < 4 {
			return
		}
		t.modes.set(m, on)
		t.modeChanged(m)
		return
	}
	switch n {
	case 2:
		if !on {
			t.enterVT52()
		}
	case 6:
		t.cur.origin = on
		t.moveTo(0, 0)
	case 9, 1000, 1002, 1003:
		t.setMouse(n, on)
	case 1001:
		t.setMouse(1000, on)
	case 1005, 1006, 1015, 1016:
		t.setMouseEncoding(n, on)
	case 47:
		t.switchScreen(on)
	case 1047:
		t.switchScreen(on)
		if !on {
			t.discardAlternate()
		}
	case 1048:
		if on {
			t.saveCursor()
		} else {
			t.restoreCursor()
		}
	case 1049:
		t.alternate(on)
	case snapOneCell:
		t.oneCell = 0
		if on {
			t.oneCell = 1
		}
		t.updatePlain()
	case snapPending:
		t.cur.pending = on
	}
}

// modeChanged performs the side effects of setting or resetting m.
func (t *Terminal) modeChanged(m mode) {
	on := t.modes.has(m)
	switch m {
	case modeAutoWrap:
		t.cur.pending = t.cur.pending && on
	case modeColumns132:
		// The size is that of the user's terminal. Only the other effects of the mode
		// are performed.
		t.eraseScreen()
		t.modes.set(modeMargins, false)
		t.resetMargins()
		t.updatePlain()
		t.cur.origin = false
		t.moveTo(0, 0)
	case modeMargins:
		t.left, t.rgt = 0, t.cols-1
		t.cur.pending = t.cur.pending && t.cur.x == t.rgt
		t.updatePlain()
	case modeResizeReports:
		if on {
			t.reportSize()
		}
	}
}

// alternate is mode 1049. It saves the cursor of the main screen, and shows the
// alternate screen, erased without a background. When it is reset, the alternate
// screen is discarded, and the cursor is restored even if the main screen was shown
// already.
func (t *Terminal) alternate(on bool) {
	switch {
	case on && !t.onAlt():
		t.saveCursor()
		t.switchScreen(true)
		bg := t.cur.pen.bg
		t.cur.pen.bg = 0
		t.eraseScreen()
		t.cur.pen.bg = bg
	case !on:
		t.switchScreen(false)
		t.discardAlternate()
		t.restoreCursor()
	}
}

// keepMode is XTSAVE and XTRESTORE of one mode.
func (t *Terminal) keepMode(n int, save bool) {
	m := privateMode(n)
	switch {
	case m == modeNone, m == modeColumns132:
	case save:
		t.savedModes.set(m, t.modes.has(m))
	default:
		t.setPrivateMode(n, t.savedModes.has(m))
	}
}

// Modes are the modes that are relevant for drawing the screen and for typing.
type Modes struct {
	Alternate      bool // the alternate screen is shown
	AppCursor      bool
	AppKeypad      bool
	BracketedPaste bool
	FocusEvents    bool
	AltScroll      bool // the wheel sends cursor keys on the alternate screen
	AutoWrap       bool
	Insert         bool
	Origin         bool
	ReverseScreen  bool
	Synchronized   bool // during an update: keep showing the previous screen
	Graphemes      bool
	ColorReports   bool // reports when the colors become dark or light
	Mouse          MouseMode
	MouseEncoding  MouseEncoding
	ModifyKeys     int        // XTMODKEYS resource 4: 0, 1 or 2
	Kitty          KittyFlags // current flags of the kitty keyboard protocol
}

func (t *Terminal) Modes() Modes {
	return Modes{
		Alternate:      t.onAlt(),
		AppCursor:      t.modes.has(modeAppCursor),
		AppKeypad:      t.modes.has(modeAppKeypad),
		BracketedPaste: t.modes.has(modeBracketedPaste),
		FocusEvents:    t.modes.has(modeFocus),
		AltScroll:      t.modes.has(modeAltScroll),
		AutoWrap:       t.modes.has(modeAutoWrap),
		Insert:         t.modes.has(modeInsert),
		Origin:         t.cur.origin,
		ReverseScreen:  t.modes.has(modeReverseScreen),
		Synchronized:   t.modes.has(modeSynchronized),
		Graphemes:      t.modes.has(modeGraphemes),
		ColorReports:   t.modes.has(modeColorReports),
		Mouse:          t.mouse,
		MouseEncoding:  t.mouseEnc,
		ModifyKeys:     t.modifyKeys,
		Kitty:          t.scr.kitty.top(),
	}
}
