package logview

import (
	"regexp"
	"strings"
	"sync"
)

// schemes are those of links that a terminal may open: others could start a
// program.
var schemes = [...]string{"https://", "http://", "file://"}

// maxLink bounds the target of a link.
const maxLink = 2048

// safeLink returns the target of a job's link if a person may follow it, else "".
func safeLink(uri string) string {
	if uri == "" || len(uri) > maxLink {
		return ""
	}
	for _, s := range schemes {
		if len(uri) > len(s) && strings.EqualFold(uri[:len(s)], s) && strings.IndexFunc(uri, notInLink) < 0 {
			return uri
		}
	}
	return ""
}

func notInLink(r rune) bool { return r <= ' ' || r >= 0x7f && r < 0xa0 || r > 0x2000 && r < 0x2070 }

// link is what looks like one of those in plain text, behind what is no letter. It is
// compiled when it is first needed: every start would pay for it.
var link = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^a-zA-Z0-9])((?:https?|file)://[^\x00-\x20\x7f-\x{9f}\x{2001}-\x{206f}<>"'` + "`" + `{}|\\^]+)`)
})

// urls finds the links in plain text, as ranges of its bytes.
func urls(text string) [][2]int {
	if !strings.Contains(text, "://") {
		return nil
	}
	var found [][2]int
	for _, at := range link().FindAllStringSubmatchIndex(text, -1) {
		start := at[2]
		if url := trimLink(text[start:at[3]]); safeLink(url) != "" {
			found = append(found, [2]int{start, start + len(url)})
		}
	}
	return found
}

// trimLink takes off what ends the sentence, not the link.
func trimLink(s string) string {
	for s != "" {
		last := s[len(s)-1]
		switch last {
		case '.', ',', ';', ':', '!', '?', '*':
		case ')', ']':
			open := byte('(')
			if last == ']' {
				open = '['
			}
			if strings.Count(s, string(open)) >= strings.Count(s, string(last)) {
				return s
			}
		default:
			return s
		}
		s = s[:len(s)-1]
	}
	return s
}
