package vt

import (
	"bytes"
	"strconv"
	"strings"
)

// answer adds a reply, in which each %d is one of numbers.
func (t *Terminal) answer(format string, numbers ...int) {
	reply := t.scratch[:0]
	for _, n := range numbers {
		before, after, _ := strings.Cut(format, "%d")
		reply = strconv.AppendInt(append(reply, before...), int64(n), 10)
		format = after
	}
	t.scratch = append(reply, format...)
	t.answerText(t.scratch)
}

// answerText adds a reply, if the terminal has a reply function. The replies to one Write are sent
// together. The buffer may be reused.
func (t *Terminal) answerText(reply []byte) {
	switch {
	case len(reply) == 0:
	case t.reply == nil, len(t.out) > maxReplies:
	case len(t.deferred) > 0:
		kept := bytes.Clone(reply)
		t.deferred = append(t.deferred, func() { t.answerText(kept) })
	default:
		t.out = append(t.out, reply...)
	}
}

// maxReplies is the size beyond which further replies to one Write are dropped.
const maxReplies = 1 << 20

// maxDeferred limits the replies that wait for pending facts.
const maxDeferred = 256

// afterFacts calls answer when the facts are known: at once unless they are pending.
func (t *Terminal) afterFacts(answer func()) {
	if t.reply == nil || !t.facts.Pending || len(t.deferred) >= maxDeferred {
		t.sendDeferred()
		answer()
		return
	}
	t.deferred = append(t.deferred, answer)
}

// sendDeferred sends the replies that waited for the facts.
func (t *Terminal) sendDeferred() {
	deferred := t.deferred
	t.deferred = nil
	for _, answer := range deferred {
		answer()
	}
}

func (t *Terminal) flushReplies() {
	if len(t.out) == 0 {
		return
	}
	t.reply(t.out)
	t.out, t.sized = t.out[:0], 0
	if cap(t.out) > keepString {
		t.out = nil
	}
}

// deviceAttributes is DA1: a VT420 with selective erase, color and rectangles.
func (t *Terminal) deviceAttributes() { t.answer("\x1b[?64;1;6;21;22;28c") }

// emulatedVersion is the xterm patch level that is emulated.
const emulatedVersion = 383

// deviceStatus is DSR.
func (t *Terminal) deviceStatus(n int) {
	switch n {
	case 5:
		t.answer("\x1b[0n")
	case 6:
		x, y := t.reportedPosition()
		t.answer("\x1b[%d;%dR", y, x)
	}
}

// reportedPosition returns the position of the cursor, counted from 1, in origin mode
// from the margins.
func (t *Terminal) reportedPosition() (x, y int) {
	x, y = t.cur.x+1, t.cur.y+1
	if t.cur.origin {
		x, y = x-t.left, y-t.top
	}
	return x, y
}

// decStatus is the private form of DSR.
func (t *Terminal) decStatus(n int) {
	switch n {
	case 6:
		x, y := t.reportedPosition()
		t.answer("\x1b[?%d;%d;1R", y, x)
	case 15:
		t.answer("\x1b[?13n") // no printer
	case 25:
		t.answer("\x1b[?20n") // keys are not locked
	case 26:
		t.answer("\x1b[?27;1;0;0n") // a North American keyboard
	case 53, 55:
		t.answer("\x1b[?53n") // no locator
	case 56:
		t.answer("\x1b[?57;0n")
	case 62:
		t.answer("\x1b[0*{")
	case 63:
		t.answer("\x1bP%d!~0000\x1b\\", t.param(1, 0))
	case 75:
		t.answer("\x1b[?70n")
	case 85:
		t.answer("\x1b[?83n")
	case 996:
		t.reportColorScheme()
	}
}

// colorScheme returns 1 for dark, 2 for light.
func (t *Terminal) colorScheme() int {
	r, g, b, _ := t.specialColor(1).RGB()
	if int(r)*299+int(g)*587+int(b)*114 >= 128_000 {
		return 2
	}
	return 1
}

func (t *Terminal) reportColorScheme() {
	t.afterFacts(func() { t.answer("\x1b[?997;%dn", t.colorScheme()) })
}

// reportSize sends the report of mode 2048.
func (t *Terminal) reportSize() {
	deferred := len(t.deferred) > 0
	if !deferred && t.sized > 0 && t.sized == len(t.out) {
		return // the one before says the same
	}
	w, h := t.cellPixels()
	t.answer("\x1b[48;%d;%d;%d;%dt", t.rows, t.cols, t.rows*h, t.cols*w)
	if !deferred {
		t.sized = len(t.out)
	}
}

func (t *Terminal) cellPixels() (w, h int) {
	if w, h = t.facts.CellWidth, t.facts.CellHeight; min(w, h) > 0 {
		return w, h
	}
	return 8, 16
}

// windowOp is XTWINOPS. Only reports of sizes and the stack of titles are supported.
func (t *Terminal) windowOp() {
	w, h := t.cellPixels()
	switch t.param(0, 0) {
	case 11:
		t.answer("\x1b[1t") // not iconified
	case 13:
		t.answer("\x1b[3;0;0t")
	case 14:
		t.answer("\x1b[4;%d;%dt", t.rows*h, t.cols*w)
	case 15:
		t.answer("\x1b[5;%d;%dt", t.rows*h, t.cols*w)
	case 16:
		t.answer("\x1b[6;%d;%dt", h, w)
	case 18:
		t.answer("\x1b[8;%d;%dt", t.rows, t.cols)
	case 19:
		t.answer("\x1b[9;%d;%dt", t.rows, t.cols)
	case 20:
		t.answer("\x1b]L\x1b\\")
	case 21: // no reply with the title, which could contain a command
		t.answer("\x1b]l\x1b\\")
	case 22:
		t.pushTitle()
	case 23:
		t.popTitle(t.param(1, 0))
	}
}

// terminalParameters is DECREQTPARM.
func (t *Terminal) terminalParameters() {
	switch t.param(0, 0) {
	case 0:
		t.answer("\x1b[2;1;1;128;128;1;0x")
	case 1:
		t.answer("\x1b[3;1;1;128;128;1;0x")
	}
}

// reportMode is DECRQM: 0 unknown, 1 set, 2 reset, 3 permanently set, 4 permanently
// reset.
func (t *Terminal) reportMode(n int, private bool) {
	if t.conformance < 3 {
		return
	}
	if !private {
		t.answer("\x1b[%d;%d$y", n, t.ansiModeState(n))
		return
	}
	t.answer("\x1b[?%d;%d$y", n, t.privateModeState(n))
}

func (t *Terminal) ansiModeState(n int) int {
	if m := ansiMode(n); m != modeNone {
		return onOff(t.modes.has(m))
	}
	switch n {
	case 1, 3, 5, 7, 10, 11, 13, 14, 15, 16, 17, 18, 19:
		return 4
	}
	return 0
}

func (t *Terminal) privateModeState(n int) int {
	if m := privateMode(n); m != modeNone {
		return onOff(t.modes.has(m))
	}
	switch n {
	case 2:
		return onOff(!t.modes.has(modeVT52))
	case 6:
		return onOff(t.cur.origin)
	case 9, 1000, 1002, 1003:
		return onOff(n == mouseModes[t.mouse])
	case 1005, 1006, 1015, 1016:
		return onOff(n == mouseEncodings[t.mouseEnc])
	case 47, 1047, 1049:
		return onOff(t.onAlt())
	case 1048:
		return 1
	case 60, 61, 68, 73, 81: // printers, national sets, coupling and the like
		return 4
	}
	return 0
}

func onOff(on bool) int {
	if on {
		return 1
	}
	return 2
}

// setModifyKeys is XTMODKEYS. Only resource 4 (modifyOtherKeys) is supported.
func (t *Terminal) setModifyKeys() {
	switch {
	case !t.parser.given:
		t.modifyKeys = 0
	case t.param(0, 0) == 4:
		t.modifyKeys = min(t.param(1, 0), 2)
	}
}

func (t *Terminal) reportModifyKeys() {
	if t.param(0, 0) == 4 {
		t.answer("\x1b[>4;%dm", t.modifyKeys)
	}
}
