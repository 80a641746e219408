package holder

import (
	"net/url"
	"os"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clip makes one bounded line of plain text of what a job said.
func clip(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
	if len(s) <= maxText {
		return s
	}
	cut := maxText
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut]
}

// cwdOf is the directory that OSC 7 names, if it is one of this machine.
func cwdOf(uri string) (dir string, ok bool) {
	u, err := url.Parse(uri)
	if err != nil || (u.Scheme != "file" && u.Scheme != "kitty-shell-cwd") || !path.IsAbs(u.Path) {
		return "", false
	}
	if u.Host != "" && u.Host != "localhost" {
		if name, err := os.Hostname(); err != nil || name != u.Host {
			return "", false
		}
	}
	return clip(path.Clean(u.Path)), true
}
