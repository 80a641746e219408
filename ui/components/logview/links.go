package logview

import "strings"

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

// urls finds the links in plain text, as ranges of its bytes.
func urls(text string) [][2]int {
	var found [][2]int
	for at := 0; ; {
		i := strings.Index(text[at:], "://")
		if i < 0 {
			return found
		}
		i += at
		at = i + len("://")
		start := -1
		for _, s := range schemes {
			name := s[:len(s)-len("://")]
			if i >= len(name) && text[i-len(name):i] == name && (i == len(name) || !isLetter(text[i-len(name)-1])) {
				start = i - len(name)
				break
			}
		}
		if start < 0 {
			continue
		}
		end := at + len(text[at:])
		if n := strings.IndexFunc(text[at:], func(r rune) bool { return notInLink(r) || strings.ContainsRune("<>\"'`{}|\\^", r) }); n >= 0 {
			end = at + n
		}
		end = start + len(trimLink(text[start:end]))
		if end > at && safeLink(text[start:end]) != "" {
			found = append(found, [2]int{start, end})
		}
		at = max(at, end)
	}
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

func isLetter(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}
