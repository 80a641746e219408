package ui

import "strings"

// shellWord is the word that a command line ends in, as a shell reads it.
type shellWord struct {
	at    int    // where it begins, quotes and all
	text  string // without quotes and backslashes
	quote rune   // still open; 0: none
}

// apart are characters that end a word where they are not quoted. A value behind
// "=" is completed, too.
const apart = " \t\n=;|&<>()"

// lastWord finds the last word of a line.
func lastWord(line string) shellWord {
	w := shellWord{}
	var text strings.Builder
	escaped := false
	for i, r := range line {
		switch {
		case escaped:
			text.WriteRune(r)
			escaped = false
		case r == '\\' && w.quote != '\'':
			escaped = true
		case w.quote != 0 && r == w.quote:
			w.quote = 0
		case w.quote != 0:
			text.WriteRune(r)
		case r == '\'' || r == '"':
			w.quote = r
		case strings.ContainsRune(apart, r):
			w.at = i + 1
			text.Reset()
		default:
			text.WriteRune(r)
		}
	}
	w.text = text.String()
	return w
}

// spell writes path in the place of the word: in the quotes that are open, else
// with backslashes where a shell would not take a character as it is. What is
// below a directory can be typed on.
func (w shellWord) spell(path string) string {
	special := " \t\"'\\$`!*?[]{}()<>|&;#"
	begin, end := "", ""
	switch w.quote {
	case '\'':
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + closing(path, "'")
	case '"':
		special, begin, end = "\"\\$`", `"`, closing(path, `"`)
	}
	var b strings.Builder
	b.WriteString(begin)
	for _, r := range path {
		if strings.ContainsRune(special, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String() + end
}

// closing is the quote behind a file; behind a directory more may follow.
func closing(path, quote string) string {
	if strings.HasSuffix(path, "/") {
		return ""
	}
	return quote
}
