package vt

import (
	"bytes"
	"encoding/base64"
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

// osc acts on an operating system command.
func (t *Terminal) osc(s []byte) {
	key, rest, _ := bytes.Cut(s, []byte{';'})
	n, err := strconv.Atoi(string(key))
	if err != nil {
		return
	}
	switch n {
	case 0:
		t.icon = cleanText(rest, maxTitle)
		t.setTitle(t.icon)
	case 1:
		t.icon = cleanText(rest, maxTitle)
	case 2:
		t.setTitle(cleanText(rest, maxTitle))
	case 4, 5, 10, 11, 12, 104, 105, 110, 111, 112:
		t.oscColor(n, string(rest))
	case 7:
		if t.handler.Cwd != nil {
			t.handler.Cwd(cleanText(rest, maxLink))
		}
	case 8:
		t.oscLink(string(rest))
	case 9:
		t.oscNotify(string(rest))
	case 52:
		t.oscClipboard(rest)
	case 133:
		t.oscPrompt(string(rest))
	case 777:
		f := strings.SplitN(string(rest), ";", 3)
		if len(f) == 3 && f[0] == "notify" && t.handler.Notify != nil {
			t.handler.Notify(cleanText([]byte(f[1]), maxTitle), cleanText([]byte(f[2]), maxTitle))
		}
	}
}

// cleanText makes text of an application safe to show in one line: at most limit
// bytes of valid UTF-8 without control characters.
func cleanText(b []byte, limit int) string {
	s := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, string(b[:min(len(b), limit+utf8.UTFMax)]))
	if len(s) <= limit {
		return s
	}
	for !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
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

// popTitle takes the newest titles from the stack and restores both, or of which
// only one: the icon's (1) or the window's (2).
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
	if !ok || len(uri) > maxLink || cleanText([]byte(uri), maxLink) != uri {
		return
	}
	e := t.extras.at(t.cur.pen.ext)
	e.uri, e.id = uri, ""
	for p := range strings.SplitSeq(params, ":") {
		if id, ok := strings.CutPrefix(p, "id="); ok && uri != "" {
			e.id = cleanText([]byte(id), 250)
		}
	}
	t.cur.pen.ext = t.internExtra(e)
}

// oscNotify is OSC 9: a notification, or with 9;4 a progress report.
func (t *Terminal) oscNotify(s string) {
	f := strings.Split(s, ";")
	if f[0] != "4" || len(f) < 2 {
		if n, err := strconv.Atoi(f[0]); err == nil && n > 0 && n < 13 && len(f) > 1 {
			return // other commands of the same number
		}
		if t.handler.Notify != nil {
			t.handler.Notify("", cleanText([]byte(s), maxTitle))
		}
		return
	}
	state, err := strconv.Atoi(f[1])
	if err != nil || state < 0 || state > int(ProgressPaused) || t.handler.Progress == nil {
		return
	}
	percent := 0
	if len(f) > 2 {
		percent, _ = strconv.Atoi(f[2])
	}
	t.handler.Progress(Progress(state), clamp(percent, 0, 100))
}

// oscClipboard is OSC 52. Reading is never answered.
func (t *Terminal) oscClipboard(s []byte) {
	selection, data, ok := bytes.Cut(s, []byte{';'})
	if !ok || t.handler.Clipboard == nil || bytes.Equal(data, []byte{'?'}) {
		return
	}
	text, err := base64.StdEncoding.DecodeString(string(data))
	if err != nil {
		text = nil
	}
	t.handler.Clipboard(cleanText(selection, 16), text)
}

func (t *Terminal) oscPrompt(s string) {
	if s == "" || t.handler.PromptMark == nil {
		return
	}
	code := -1
	f := strings.Split(s, ";")
	if f[0] == "D" && len(f) > 1 {
		if n, err := strconv.Atoi(f[1]); err == nil {
			code = n
		}
	}
	if len(f[0]) == 1 && f[0][0] >= 'A' && f[0][0] <= 'Z' {
		t.handler.PromptMark(f[0][0], code)
	}
}
