package vt

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxTitle  = 1024 // bytes
	maxLink   = 2083
	maxTitles = 10 // on the stack of titles
)

// osc handles an operating system command. end is what ended it.
func (t *Terminal) osc(s []byte, end string) {
	key, rest, _ := bytes.Cut(s, []byte{';'})
	n, err := strconv.Atoi(string(key))
	if err != nil {
		return
	}
	switch n {
	case 0:
		t.icon = PlainLine(rest, maxTitle)
		t.setTitle(t.icon)
	case 1:
		t.icon = PlainLine(rest, maxTitle)
	case 2:
		t.setTitle(PlainLine(rest, maxTitle))
	case 4, 5, 10, 11, 12, 104, 105, 110, 111, 112:
		t.oscColor(n, string(rest))
	case 7:
		if t.handler.Cwd != nil {
			t.handler.Cwd(PlainLine(rest, maxLink))
		}
	case 8:
		t.oscLink(string(rest))
	case 9:
		t.oscNotify(string(rest))
	case 52:
		t.oscClipboard(rest)
	case 777:
		f := strings.SplitN(string(rest), ";", 3)
		if len(f) == 3 && f[0] == "notify" {
			t.notify(Notification{Title: f[1], Body: f[2]})
		}
	case 99:
		n, reply := t.note.add(string(rest))
		if t.answerText(reply); n.Title+n.Body != "" {
			t.notify(n)
		}
	case 133, 633:
		t.shellMark(string(rest))
	case 7501:
		t.oscStatus(string(rest), end)
	}
}

// shellMark is OSC 133 or 633: a shell says where its prompt and its commands begin and end.
func (t *Terminal) shellMark(s string) {
	mark, args, _ := strings.Cut(s, ";")
	switch mark {
	case "A":
		if t.handler.Prompt != nil {
			t.handler.Prompt()
		}
	case "D":
		code, _, _ := strings.Cut(args, ";")
		n, err := strconv.ParseUint(code, 10, 8)
		if err == nil && t.handler.CommandEnded != nil {
			t.handler.CommandEnded(int(n))
		}
	}
}

// oscStatus is OSC 7501: a program reports what it does, or asks whether anyone listens. The answer ends as the
// query does.
func (t *Terminal) oscStatus(body, end string) {
	switch {
	case body == "?":
		t.answer("\x1b]7501;?" + end)
	case t.handler.Status != nil:
		t.handler.Status(body)
	}
}

// PlainLine makes untrusted text safe to show on one line: at most limit bytes of
// valid UTF-8 without control characters.
func PlainLine[T string | []byte](text T, limit int) string {
	s := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, string(text[:min(len(text), limit+utf8.UTFMax)]))
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") // without a part of a character
}

func (t *Terminal) setTitle(s string) {
	if t.title == s {
		return
	}
	t.title = s
	if t.handler.Title != nil {
		t.handler.Title(s)
	}
}

func (t *Terminal) pushTitle() {
	if len(t.titles) == maxTitles {
		t.titles = t.titles[1:]
	}
	t.titles = append(t.titles, titles{t.title, t.icon})
}

// popTitle pops the titles from the stack and restores both of them, or only that of
// the icon (1) or of the window (2).
func (t *Terminal) popTitle(which int) {
	n := len(t.titles)
	if n == 0 {
		return
	}
	kept := t.titles[n-1]
	t.titles = t.titles[:n-1]
	if which != 1 {
		t.setTitle(kept.title)
	}
	if which != 2 {
		t.icon = kept.icon
	}
}

// oscLink is OSC 8: params;uri begins a hyperlink, an empty uri ends it.
func (t *Terminal) oscLink(s string) {
	params, uri, ok := strings.Cut(s, ";")
	if !ok || PlainLine(uri, maxLink) != uri {
		return
	}
	e := t.extras.at(t.cur.pen.ext)
	e.uri, e.id = uri, ""
	for p := range strings.SplitSeq(params, ":") {
		if id, ok := strings.CutPrefix(p, "id="); ok && uri != "" {
			e.id = PlainLine(id, 250)
		}
	}
	t.cur.pen.ext = t.internExtra(e)
}

// oscClipboard is OSC 52. Reads get no reply.
func (t *Terminal) oscClipboard(s []byte) {
	selection, data, ok := bytes.Cut(s, []byte{';'})
	if !ok || t.handler.Clipboard == nil || bytes.Equal(data, []byte{'?'}) {
		return
	}
	text, err := base64.StdEncoding.DecodeString(string(data))
	if err != nil {
		text = nil
	}
	t.handler.Clipboard(PlainLine(selection, 16), text)
}

// dcs handles a device control string.
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

// requestStatus is DECRQSS: it reports the setting of the sequence with the given
// ending.
func (t *Terminal) requestStatus(what string) {
	s, ok := t.status(what)
	if !ok {
		t.answer("\x1bP0$r\x1b\\")
		return
	}
	reply := append(append(t.scratch[:0], "\x1bP1$r"...), s...)
	t.scratch = append(append(reply, what...), "\x1b\\"...)
	t.answerText(t.scratch)
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

// requestTermcap is XTGETTCAP: it reports a capability by its hexadecimal name.
func (t *Terminal) requestTermcap(name string) {
	var raw [64]byte
	n := -1
	if hex.DecodedLen(len(name)) <= len(raw) {
		if decoded, err := hex.Decode(raw[:], []byte(name)); err == nil {
			n = decoded
		}
	}
	if n < 0 {
		t.answer("\x1bP0+r\x1b\\")
		return
	}
	value, ok := termcap(raw[:n])
	known := byte('1')
	if !ok {
		known = '0'
	}
	reply := append(t.scratch[:0], "\x1bP"...)
	reply = append(append(append(reply, known), "+r"...), name...)
	if value != "" {
		reply = append(reply, '=')
		for i := range len(value) {
			reply = append(reply, upperHex[value[i]>>4], upperHex[value[i]&0xf])
		}
	}
	t.scratch = append(reply, "\x1b\\"...)
	t.answerText(t.scratch)
}

const upperHex = "0123456789ABCDEF"

// termcaps are capabilities that the terminfo entry xterm-256color lacks, and some of its own that
// applications query.
var termcaps = [...]struct{ name, value string }{
	{"TN", "xterm-256color"}, {"name", "xterm-256color"}, {"Co", "256"}, {"colors", "256"}, {"RGB", "8/8/8"},
	{"Tc", ""}, {"Su", ""}, {"XT", ""}, {"fullkbd", ""},
	{"Smulx", "\x1b[4:%p1%dm"},
	{"Setulc", "\x1b[58:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m"},
	{"setrgbf", "\x1b[38:2:%p1%d:%p2%d:%p3%dm"},
	{"setrgbb", "\x1b[48:2:%p1%d:%p2%d:%p3%dm"},
	{"Ss", "\x1b[%p1%d q"}, {"Se", "\x1b[2 q"}, {"Ms", "\x1b]52;%p1%s;%p2%s\x07"}, {"indn", "\x1b[%p1%dS"},
}

func termcap(name []byte) (value string, ok bool) {
	for i := range termcaps {
		if c := &termcaps[i]; c.name == string(name) {
			return c.value, true
		}
	}
	return "", false
}
