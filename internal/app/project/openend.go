package project

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Other programs have more ways to continue a value on the next line than hob reads: a shell continues
// after a backslash, in a here-document, between brackets, and between quotation marks inside a value; Ruby has
// %q(…). For some programs a line ends at a CR, too. hob does not read a value that may continue or end like that,
// because what follows could look like variables.

// uncertainEnd is the note for such a value.
const uncertainEnd = "it is not certain on which line the value ends; enclose it in quotes"

var (
	// hereDocument matches the beginning of a here-document. Its group is the word that ends the document.
	hereDocument = compiledLater(`<<[-~]?\s*['"\\]?(=?[A-Za-z_]\w*)`)
	keyBegins    = compiledLater(`-----BEGIN [^-]*-----$`)
	oddBackslash = compiledLater(`(^|[^\\])(\\\\)*\\$`)
	// closingMark matches a text whose first quotation mark of the kind looks like a closing one: no = precedes
	// it, and a space or the end of the line follows it.
	closingMark = map[byte]func() *regexp.Regexp{
		'"':  compiledLater(`^([^"]*[^="])?"(\s|[;#]|$)`),
		'\'': compiledLater(`^([^']*[^='])?'(\s|[;#]|$)`),
		'`':  compiledLater("^([^`]*[^=`])?`(\\s|[;#]|$)"),
	}
	closingBracket = map[byte]string{'(': ")", '{': "}", '[': "]", '<': ">"}
	// typographic maps opening quotation marks, which editors and chats insert in the place of ASCII ones, to
	// closing ones.
	typographic = map[rune]string{'“': "”", '„': "“", '‘': "’", '«': "»"}
)

// compiledLater returns a function that compiles a regular expression at its first call, because most runs of hob
// do not need it.
func compiledLater(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// maxValue is the number of bytes in which the end of a value is searched for.
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
	return literalLacksEnd(value, following) || lacksEnd(value, following)
}

// endsInLine reports whether a program for which CR ends a line reads only the beginning of text.
func endsInLine(text string) bool { return strings.Contains(strings.TrimSpace(text), "\r") }

// rubyLiteral matches the beginning of a literal of Ruby such as %q(. Its group is the mark that begins the text.
var rubyLiteral = compiledLater(`^%(?:[qQwWiIrsx]([^\w\s])|([({\[<]))`)

// literalLacksEnd reports whether the value begins with a literal of Ruby that is closed only in the following
// lines.
func literalLacksEnd(value, following string) bool {
	m := rubyLiteral().FindStringSubmatch(value)
	if m == nil {
		return false
	}
	begin := m[1] + m[2]
	end := cmp.Or(closingBracket[begin[0]], begin)
	inside := value[len(m[0]):]
	isOpen := strings.Count(inside, end) <= strings.Count(inside, begin)
	if begin == end {
		isOpen = !strings.Contains(inside, end)
	}
	return isOpen && strings.Contains(following, end)
}

func beginsHereDocument(value, following string) bool {
	for _, m := range hereDocument().FindAllStringSubmatch(value, -1) {
		if strings.Contains(following, m[1]) {
			return true
		}
	}
	return false
}

// lacksEnd reports whether a quotation mark or a bracket that the value opens is closed only in the following
// lines. A quotation mark after a letter or a digit may be an apostrophe or a part of a
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

// mayClose reports whether the text has a mark that may close a value. If the opening mark is inside a word, the
// first mark in the text must look like a closing one.
func mayClose(text string, mark byte, inWord bool) bool {
	if inWord {
		return closingMark[mark]().MatchString(text)
	}
	return strings.IndexByte(text, mark) >= 0
}

func isWord(c rune) bool { return unicode.In(c, unicode.Letter, unicode.Nd, unicode.Pc) }

// nameLike matches a text before a = that consists of characters that names have in some program, or of several
// such words. Other text may be in the middle of a value.
var nameLike = compiledLater(`^[\pL\p{Nd}_.\- \t]*$`)

var (
	base64Line = compiledLater(`^[A-Za-z0-9+/]{40,}$`)
	lastLine   = compiledLater(`^[A-Za-z0-9+/]*([a-z][A-Za-z0-9+/]*[A-Z]|[A-Z][A-Za-z0-9+/]*[a-z])[A-Za-z0-9+/]*=$`)
)

// isLastOfBase64 reports whether a line is the last line of a wrapped Base64 text whose previous line is value.
// Such a line looks like a variable without a value.
func isLastOfBase64(value, line string) bool {
	return base64Line().MatchString(value) && lastLine().MatchString(line)
}
