package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escape makes s harmless on a terminal and keeps it on one line: control
// characters, bytes that are not UTF-8, and what reorders text become visible
// escapes.
func escape(s string) string {
	clean := true
	for _, r := range s {
		if r >= ' ' && r < 0x7f {
			continue
		}
		if unsafeRune(r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unsafeRune(r):
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// unsafeRune reports whether r could act on a terminal or reorder the text
// around it.
func unsafeRune(r rune) bool {
	switch {
	case r == utf8.RuneError, unicode.IsControl(r):
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x2028, r == 0x2029, r == 0x200e, r == 0x200f:
		return true
	}
	return false
}

// plural counts things in words.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// quoteWords joins an argument vector so that a POSIX shell would split it into
// the same words.
func quoteWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quoteWord(w)
	}
	return strings.Join(quoted, " ")
}

func quoteWord(w string) string {
	if w == "" {
		return "''"
	}
	plain := strings.IndexFunc(w, func(r rune) bool {
		return r >= utf8.RuneSelf && unsafeRune(r) ||
			r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("%+,-./:=@_^", r)
	}) < 0
	if plain {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// encodeJSON writes v on one line as JSON that is safe to look at: what
// encoding/json leaves as it is and a terminal may obey is escaped.
func encodeJSON(w io.Writer, v any) error {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(safeJSON(buf.Bytes()))
	return err
}

// safeJSON escapes DEL, the controls of eight bits and the marks that turn the
// reading direction. All that is not ASCII is inside the strings of a JSON text,
// so that its meaning stays the same. It may return p itself.
func safeJSON(p []byte) []byte {
	if bytes.IndexByte(p, 0x7f) < 0 && bytes.IndexByte(p, 0xc2) < 0 && bytes.IndexByte(p, 0xe2) < 0 {
		return p // no lead byte of any of them
	}
	out := make([]byte, 0, len(p)+64)
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		if obeyed(r) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = append(out, p[:n]...)
		}
		p = p[n:]
	}
	return out
}

func obeyed(r rune) bool {
	return r >= 0x7f && r <= 0x9f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
