package vt

import (
	"bytes"
	"slices"
)

// changesTitle handles sequences that set, push and pop titles, and reports whether s is
// to be replaced by the current title. The application's stack is not kept on the
// terminal's stack, because an application that is killed would not pop its titles.
func (f *Filter) changesTitle(s []byte) bool {
	switch {
	case bytes.HasPrefix(s, []byte("\x1b]")):
		key, text, _ := bytes.Cut(s[2:], []byte{';'})
		if string(key) != "0" && string(key) != "2" {
			return false
		}
		text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\x1b\\")), []byte("\a"))
		f.title = string(text[:min(len(text), maxKeptTitle)])
		return f.TitleKept && f.title == ""
	case slices.Contains([]string{"\x1b[22t", "\x1b[22;0t", "\x1b[22;2t"}, string(s)):
		if len(f.titles) == maxTitles {
			f.titles = f.titles[1:]
		}
		f.titles = append(f.titles, f.title)
	case slices.Contains([]string{"\x1b[23t", "\x1b[23;0t", "\x1b[23;2t"}, string(s)):
		n := len(f.titles)
		if n == 0 {
			return false
		}
		f.title, f.titles = f.titles[n-1], f.titles[:n-1]
		return true
	}
	return false
}

// maxKeptTitle limits the titles on the application's stack, in bytes.
const maxKeptTitle = 1 << 10

// appendTitle appends the sequence that shows the application's title.
func (f *Filter) appendTitle(dst []byte) []byte {
	if f.title == "" && f.TitleKept {
		return append(dst, "\x1b[23;0t\x1b[22;0t"...)
	}
	return append(append(append(dst, "\x1b]2;"...), f.title...), "\x1b\\"...)
}
