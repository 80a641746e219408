package logfile

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// required is a literal that every line has that can match, so that most lines
// are ruled out by looking for bytes in whole blocks.
type required struct {
	lit  []byte // in lower case if fold; empty: nothing is known
	fold bool   // ASCII letters of any case count
	rare []byte // the bytes of lit that lines have least often
}

func newRequired(lit []byte, fold bool) required {
	r := required{lit: lit, fold: fold}
	for _, b := range lit {
		// Spaces can come from moving the cursor, U+FFFD from invalid bytes.
		if b > ' ' && b < utf8.RuneSelf && !slices.Contains(r.rare, b) {
			r.rare = append(r.rare, b)
		}
	}
	const common = "zqxjkvbpygfwmucldrhsnioate" // the most common last
	slices.SortStableFunc(r.rare, func(a, b byte) int {
		return strings.IndexByte(common, a) - strings.IndexByte(common, b)
	})
	r.rare = r.rare[:min(len(r.rare), 3)]
	return r
}

// requiredBy finds the longest literal that a regular expression cannot match
// without.
func requiredBy(expr string) required {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return required{}
	}
	return longestRequired(re.Simplify())
}

// wholeLiteral is the text that a regular expression stands for if it is nothing
// but ASCII text, in lower case if fold. Such text is decided without the
// expression in lines of ASCII.
func wholeLiteral(expr string) (lit []byte, fold, ok bool) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, false, false
	}
	re = re.Simplify()
	if re.Op != syntax.OpLiteral {
		return nil, false, false
	}
	fold = re.Flags&syntax.FoldCase != 0
	for _, c := range re.Rune {
		if c >= utf8.RuneSelf {
			return nil, false, false
		}
		lit = append(lit, byte(c))
	}
	if fold {
		lit = lowerASCII(nil, lit)
	}
	return lit, fold, true
}

func longestRequired(re *syntax.Regexp) required {
	switch re.Op {
	case syntax.OpLiteral:
		return literalRequired(re.Rune, re.Flags&syntax.FoldCase != 0)
	case syntax.OpCapture, syntax.OpPlus:
		return longestRequired(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return longestRequired(re.Sub[0])
		}
	case syntax.OpConcat:
		var best required
		for _, sub := range re.Sub {
			if r := longestRequired(sub); len(r.lit) > len(best.lit) {
				best = r
			}
		}
		return best
	}
	return required{}
}

// literalRequired is the longest part of a literal that stands in a matching
// line byte for byte, but for the case of ASCII letters if fold. K and s match
// letters outside ASCII when case is ignored, and U+FFFD matches invalid bytes.
func literalRequired(runes []rune, fold bool) required {
	parts := strings.FieldsFunc(string(runes), func(c rune) bool {
		if fold {
			return c >= utf8.RuneSelf || strings.ContainsRune("kKsS\n", c)
		}
		return c == utf8.RuneError || c == '\n'
	})
	longest := ""
	for _, p := range parts {
		if len(p) > len(longest) {
			longest = p
		}
	}
	if fold {
		longest = strings.ToLower(longest)
	}
	return newRequired([]byte(longest), fold)
}
