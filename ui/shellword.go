package ui

import (
	"errors"
	"strings"
)

// shellWord is a word of a command line, as a shell reads it.
type shellWord struct {
	at      int    // where it begins, quotes and all
	text    string // without quotes and backslashes
	given   bool   // there is one, be it empty quotes
	quote   rune   // still open; 0: none
	escaped bool   // it ends in a backslash
}

// apart are characters that end a word where they are not quoted. A value behind
// "=" is completed, too.
const apart = " \t\n=;|&<>()"

// shellWords splits a line at those characters. The last word is the one that the
// line ends in.
func shellWords(line, apart string) []shellWord {
	words := []shellWord{{}}
	for i, r := range line {
		w := &words[len(words)-1]
		switch {
		case w.escaped:
			w.text += string(r)
			w.escaped = false
		case r == '\\' && w.quote != '\'':
			w.escaped, w.given = true, true
		case w.quote != 0 && r == w.quote:
			w.quote = 0
		case w.quote != 0:
			w.text += string(r)
		case r == '\'' || r == '"':
			w.quote, w.given = r, true
		case strings.ContainsRune(apart, r):
			words = append(words, shellWord{at: i + 1})
		default:
			w.text += string(r)
			w.given = true
		}
	}
	return words
}

// lastWord finds the last word of a line.
func lastWord(line string) shellWord {
	words := shellWords(line, apart)
	return words[len(words)-1]
}

// splitWords splits a line at blanks.
func splitWords(line string) ([]string, error) {
	var words []string
	for _, w := range shellWords(line, " \t") {
		if w.quote != 0 || w.escaped {
			return nil, errors.New("a quote is not closed")
		}
		if w.given {
			words = append(words, w.text)
		}
	}
	return words, nil
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
