package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"
)

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
