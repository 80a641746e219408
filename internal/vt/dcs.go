package vt

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
)

// dcs acts on a device control string.
func (t *Terminal) dcs(s []byte) {
	switch {
	case bytes.HasPrefix(s, []byte("$q")):
		t.requestStatus(string(s[2:]))
	case bytes.HasPrefix(s, []byte("+q")):
		for name := range strings.SplitSeq(string(s[2:]), ";") {
			t.requestTermcap(name)
		}
	}
}

// requestStatus is DECRQSS: what the sequence with this ending is set to.
func (t *Terminal) requestStatus(what string) {
	s, ok := t.status(what)
	if !ok {
		t.answer("\x1bP0$r\x1b\\")
		return
	}
	t.answer("\x1bP1$r%s%s\x1b\\", s, what)
}

func (t *Terminal) status(what string) (string, bool) {
	switch what {
	case "m":
		sgr := string(t.Style(t.cur.pen).AppendSGR(nil))
		sgr = strings.TrimSuffix(strings.TrimPrefix(sgr, "\x1b["), "m")
		if sgr == "" {
			return "0", true
		}
		return "0;" + sgr, true
	case "r":
		return fmt.Sprintf("%d;%d", t.top+1, t.bot+1), true
	case "s":
		return fmt.Sprintf("%d;%d", t.left+1, t.rgt+1), t.modes.has(modeMargins)
	case " q":
		return fmt.Sprint(t.shape), true
	case "\"q":
		if t.cur.pen.attr&protectedBit != 0 {
			return "1", true
		}
		return "0", true
	case "\"p":
		return fmt.Sprintf("%d;1", 60+t.conformance), true
	case "*x":
		return fmt.Sprint(t.rectExtent), true
	case "t", "*|":
		return fmt.Sprint(t.rows), true
	case "$|":
		return fmt.Sprint(t.cols), true
	case "$}", "$~":
		return "0", true
	}
	return "", false
}

// requestTermcap is XTGETTCAP: a capability by its hexadecimal name.
func (t *Terminal) requestTermcap(name string) {
	raw, err := hex.DecodeString(name)
	if err != nil || len(raw) > 64 {
		t.answer("\x1bP0+r\x1b\\")
		return
	}
	value, ok := termcap(string(raw))
	switch {
	case !ok:
		t.answer("\x1bP0+r%s\x1b\\", name)
	case value == "":
		t.answer("\x1bP1+r%s\x1b\\", name)
	default:
		t.answer("\x1bP1+r%s=%X\x1b\\", name, value)
	}
}

// termcap returns what TERM=xterm-256color does not say, or says of names that
// applications ask for.
func termcap(name string) (value string, ok bool) {
	switch name {
	case "TN", "name":
		return "xterm-256color", true
	case "Co", "colors":
		return "256", true
	case "RGB":
		return "8/8/8", true
	case "Tc", "Su", "XT", "fullkbd":
		return "", true
	case "Smulx":
		return "\x1b[4:%p1%dm", true
	case "Setulc":
		return "\x1b[58:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m", true
	case "setrgbf":
		return "\x1b[38:2:%p1%d:%p2%d:%p3%dm", true
	case "setrgbb":
		return "\x1b[48:2:%p1%d:%p2%d:%p3%dm", true
	case "Ss":
		return "\x1b[%p1%d q", true
	case "Se":
		return "\x1b[2 q", true
	case "Ms":
		return "\x1b]52;%p1%s;%p2%s\x07", true
	case "indn":
		return "\x1b[%p1%dS", true
	}
	return "", false
}
