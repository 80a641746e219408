// Package shellword reads and writes words of a POSIX shell.
package shellword

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	digits  = "0123456789"
)

// IsName reports whether a shell can have a variable of that name.
func IsName(name string) bool {
	if name == "" || strings.IndexAny(name, digits) == 0 {
		return false
	}
	return strings.TrimLeft(name, letters+digits+"_") == ""
}

// Join joins an argument vector so that a shell would split it into the same arguments.
func Join(args []string) string {
	quoted := make([]string, len(args))
	for i, word := range args {
		quoted[i] = Quote(word)
	}
	return strings.Join(quoted, " ")
}

// Quote returns a word as a user would type it: in quotes only if it needs them.
func Quote(word string) string {
	if word != "" && strings.IndexFunc(word, special) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// special reports whether a shell interprets r, or r is not visible as it is.
func special(r rune) bool {
	if r >= utf8.RuneSelf {
		return !unicode.IsGraphic(r)
	}
	return !strings.ContainsRune(letters+digits+"%+,-./:=@_^", r)
}

// Operators are the characters with which a shell ends words, besides blanks.
const Operators = "&|;<>()\n\r"

// Word is a word or an operator of a command line.
type Word struct {
	Text       string // as a shell would pass it, without quotes and backslashes
	Start, End int    // offsets in the line
	Operator   bool
	Expands    bool // it has a command substitution
	Open       byte // what is not complete: a quote, or a backslash at the end; 0: nothing
}

// Split splits a line at blanks and at the characters in operators, which become words of their own.
// Quotes and backslashes work as in a POSIX shell; nothing is expanded.
func Split(line, operators string) []Word {
	var words []Word
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == ' ', c == '\t':
			i++
		case strings.HasPrefix(line[i:], "\\\n"):
			i += 2
		case strings.IndexByte(operators, c) >= 0:
			end := i + operatorLength(line[i:])
			words = append(words, Word{Text: line[i:end], Start: i, End: end, Operator: true})
			i = end
		default:
			w := first(line[i:], operators)
			w.Start, w.End = i, i+w.End
			words = append(words, w)
			i = w.End
		}
	}
	return words
}

// Fields splits a line into its words, without operators. ok is false if a quote is not closed, or the
// line ends with a backslash.
func Fields(line string) (words []string, ok bool) {
	for _, w := range Split(line, "") {
		if w.Open != 0 {
			return nil, false
		}
		words = append(words, w.Text)
	}
	return words, true
}

func operatorLength(s string) int {
	for _, op := range []string{"&>>", "&&", "||", ";;", "<<", ">>", "&>", ">&", "<&", "|&"} {
		if strings.HasPrefix(s, op) {
			return len(op)
		}
	}
	return 1
}

// first returns the word at the beginning of a line.
func first(line, operators string) (w Word) {
	var text []byte
	for ; w.End < len(line); w.End++ {
		c, rest := line[w.End], line[w.End+1:]
		switch {
		case w.Open != 0 && c == w.Open:
			w.Open = 0
			continue
		case w.Open == '\'':
		case c == '\\':
			if rest == "" {
				w.Open = c
				continue
			}
			if w.Open == '"' && strings.IndexByte("\\\"$`\n", rest[0]) < 0 {
				break // a character like others
			}
			w.End++
			if c = rest[0]; c == '\n' {
				continue
			}
		case c == '`', strings.HasPrefix(line[w.End:], "$("):
			w.Expands = true
		case w.Open != 0:
		case c == '\'', c == '"':
			w.Open = c
			continue
		case c == ' ', c == '\t', strings.IndexByte(operators, c) >= 0:
			w.Text = string(text)
			return w
		}
		text = append(text, c)
	}
	w.Text = string(text)
	return w
}
