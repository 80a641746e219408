package project

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Other programs have more ways to continue a value on the next line than hob reads: a shell continues
// after a backslash, in a here-document, between brackets, and between quotation marks inside a value. A
// value that may be meant so is not read, because its other lines may look like variables.

// uncertainEnd is the note for such a value.
const uncertainEnd = "it is not certain on which line the value ends; enclose it in quotes"

var (
	// hereDocument has the word that ends it.
	hereDocument = compiledLater(`<<[-~]?\s*['"\\]?(=?[A-Za-z_]\w*)`)
	keyBegins    = compiledLater(`-----BEGIN [^-]*-----$`)
	oddBackslash = compiledLater(`(^|[^\\])(\\\\)*\\$`)
	// closingMark is a quotation mark, if it is the first one of its kind, that closes: no = precedes it,
	// and a space or the end of the line follows it.
	closingMark = map[byte]func() *regexp.Regexp{
		'"':  compiledLater(`^([^"]*[^="])?"(\s|[;#]|$)`),
		'\'': compiledLater(`^([^']*[^='])?'(\s|[;#]|$)`),
		'`':  compiledLater("^([^`]*[^=`])?`(\\s|[;#]|$)"),
	}
	closingBracket = map[byte]string{'(': ")", '{': "}", '[': "]"}
	// typographic has quotation marks that editors and chats put in the place of others.
	typographic = map[rune]string{'“': "”", '„': "“", '‘': "’", '«': "»"}
)

// compiledLater returns a regular expression that is compiled when it is first used: most starts of hob do
// not use it.
func compiledLater(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// maxValue is the length in bytes up to which the end of a value is looked for.
const maxValue = 64 << 10

// mayContinue reports whether a value without quotes at its beginning may extend over the following lines.
func mayContinue(value, following string) bool {
	following = following[:min(len(following), maxValue)]
	first, _ := utf8.DecodeRuneInString(value)
	mark, isQuoted := typographic[first]
	switch {
	case keyBegins().MatchString(value):
		return true
	case oddBackslash().MatchString(value):
		next, _, _ := strings.Cut(following, "\n")
		return strings.TrimSpace(next) != ""
	case beginsHereDocument(value, following):
		return true
	case isQuoted:
		return !strings.Contains(value, mark)
	}
	return lacksEnd(value, following)
}

func beginsHereDocument(value, following string) bool {
	for _, m := range hereDocument().FindAllStringSubmatch(value, -1) {
		if strings.Contains(following, m[1]) {
			return true
		}
	}
	return false
}

// lacksEnd reports whether a quotation mark or a bracket is open at the end of the value, and closed in
// the following lines. A quotation mark after a letter or a digit may be an apostrophe or a part of a
// password. A bracket inside the value has no meaning, except after a $.
func lacksEnd(value, following string) bool {
	opened := ""
	before := byte('$') // the byte before i; at the beginning a bracket has a meaning, too
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch c {
		case '\\':
			i++
		case '"', '\'', '`':
			if _, behind, closed := unquote(value[i:], true); closed {
				i = len(value) - len(behind) - 1
			} else if mayClose(following, c, isWord(rune(before))) {
				return true
			}
		case '(', '{', '[':
			if before == '$' || opened != "" {
				opened += closingBracket[c]
			}
		case ')', '}', ']':
			opened = strings.TrimSuffix(opened, string(rune(c)))
		}
		before = c
	}
	if opened == "" {
		return false
	}
	return strings.Contains(following, opened[len(opened)-1:])
}

// mayClose reports whether the text has the mark that closes a value; if the opening one is inside a word,
// whether the first one looks so.
func mayClose(text string, mark byte, inWord bool) bool {
	if inWord {
		return closingMark[mark]().MatchString(text)
	}
	return strings.IndexByte(text, mark) >= 0
}

func isWord(c rune) bool { return unicode.In(c, unicode.Letter, unicode.Nd, unicode.Pc) }

// nameLike matches what precedes the = if it has only characters that names have in some program, or is
// several words. Other text may be in the middle of a value.
var nameLike = compiledLater(`^[\pL\p{Nd}_.\- \t]*$`)

var (
	base64Line = compiledLater(`^[A-Za-z0-9+/]{40,}$`)
	lastLine   = compiledLater(`^[A-Za-z0-9+/]*([a-z][A-Za-z0-9+/]*[A-Z]|[A-Z][A-Za-z0-9+/]*[a-z])[A-Za-z0-9+/]*=$`)
)

// isLastOfBase64 reports whether a line is the end of the value in the line before it, which was wrapped.
// It looks like a variable without a value.
func isLastOfBase64(value, line string) bool {
	return base64Line().MatchString(value) && lastLine().MatchString(line)
}
