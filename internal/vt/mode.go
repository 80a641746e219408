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

// ansiMode returns the mode for the number n of CSI h.
func ansiMode(n int) mode {
	switch n {
	case 2:
		return modeKeyboardLock
	case 4:
		return modeInsert
	case 12:
		return modeSendReceive
	case 20:
		return modeNewLine
	}
	return modeNone
}

// privateMode returns the mode for the number n of CSI ? h.
func privateMode(n int) mode {
	switch n {
	case 1:
		return modeAppCursor
	case 3:
		return modeColumns132
	case 4:
		return modeSmoothScroll
	case 5:
		return modeReverseScreen
	case 7:
		return modeAutoWrap
	case 8:
		return modeAutoRepeat
	case 12:
		return modeCursorBlink
	case 18:
		return modePrintFormFeed
	case 19:
		return modePrintExtent
	case 25:
		return modeCursor
	case 40:
		return modeAllow132
	case 41:
		return modeTabWraps
	case 42:
		return modeNationalSets
	case 45:
		return modeReverseWrap
	case 66:
		return modeAppKeypad
	case 67:
		return modeBackspaceSendsBS
	case 69:
		return modeMargins
	case 1045:
		return modeReverseWrapOn
	case 1004:
		return modeFocus
	case 1007:
		return modeAltScroll
	case 1036:
		return modeMetaEscape
	case 1039:
		return modeAltEscape
	case 2004:
		return modeBracketedPaste
	case 2026:
		return modeSynchronized
	case 2027:
		return modeGraphemes
	case 2031:
		return modeColorReports
	case 2048:
		return modeResizeReports
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
	case 9, 1000, 1001, 1002, 1003:
		t.setMouse(n, on)
	case 1005, 1006, 1015, 1016:
		t.setMouseEncoding(n, on)
	case 47:
		t.switchScreen(on)
	case 1047:
		t.switchScreen(on)
		if !on {
			t.screens[1].rows = nil
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
		t.screens[1].rows = nil
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

// Modes returns the current modes.
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
