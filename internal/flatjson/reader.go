package flatjson

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"
)

// Reader reads JSON texts, one at a time. After something that it does not expect
// all its results are empty and Done says no.
type Reader struct {
	s   string
	i   int
	bad bool

	many bool // texts: lists and numbers are cut from what follows
	strs []string
	ints []int
}

// NewReader reads data, which may end with a newline. What is read refers to a copy
// of it.
func NewReader(data []byte) *Reader {
	return &Reader{s: strings.TrimSuffix(string(data), "\n")}
}

// Reset begins with another text, to which what is read refers. It is for many
// short texts: lists, and numbers behind pointers, are cut from larger pieces of
// memory, which stay as long as anything of them is used.
func (r *Reader) Reset(text string) {
	r.s, r.i, r.bad, r.many = text, 0, false, true
}

// Done reports whether everything was read and understood.
func (r *Reader) Done() bool { return !r.bad && r.i == len(r.s) }

// Unknown says that the caller does not know the field that it was called for.
func (r *Reader) Unknown() { r.bad = true }

// Object calls field for each field of an object, to read its value. A key with an
// escape in it may be cut: it is none that a caller knows.
func (r *Reader) Object(field func(key string)) {
	r.expect('{')
	if r.bad || r.take('}') {
		return
	}
	for {
		key := r.key()
		if r.bad {
			return
		}
		field(key)
		if r.over() {
			return
		}
	}
}

// key reads the key of a field, with the colon behind it.
func (r *Reader) key() string {
	if rest := r.s[r.i:]; len(rest) > 0 && rest[0] == '"' {
		if n := 1 + strings.IndexByte(rest[1:], '"'); n > 0 && n+1 < len(rest) && rest[n+1] == ':' {
			r.i += n + 2
			return rest[1:n]
		}
	}
	r.bad = true
	return ""
}

// over reads what stands behind the value of a field: the end of the object, or a
// comma.
func (r *Reader) over() bool {
	if r.take('}') {
		return true
	}
	r.expect(',')
	return r.bad
}

// Str reads a string.
func (r *Reader) Str() string {
	text, start := r.s, r.i+1
	if r.bad || start > len(text) || text[start-1] != '"' {
		r.bad = true
		return ""
	}
	for i := start; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			r.i = i + 1
			return text[start:i]
		case c == '\\', c < ' ', c >= utf8.RuneSelf:
			return r.odd(start, i)
		}
	}
	r.i, r.bad = len(text), true
	return ""
}

// odd is Str of a string that begins at start and is not all ASCII as it is: what
// stands before i is.
func (r *Reader) odd(start, i int) string {
	for plain := true; i < len(r.s); i++ {
		switch c := r.s[i]; {
		case c == '"':
			r.i = i + 1
			if text := r.s[start:i]; plain && utf8.ValidString(text) {
				return text
			}
			var s string
			r.bad = json.Unmarshal([]byte(r.s[start-1:r.i]), &s) != nil
			return s
		case c == '\\':
			plain = false
			i++
		case c < ' ':
			plain = false
		}
	}
	r.i, r.bad = len(r.s), true
	return ""
}

// Strs reads a list of strings; null is nil.
func (r *Reader) Strs() []string {
	if r.word("null") {
		return nil
	}
	r.expect('[')
	if r.bad || r.take(']') {
		return []string{}
	}
	out := r.room()
	for n := len(out); !r.bad; {
		out = append(out, r.Str())
		if r.take(']') {
			if r.many {
				r.strs = out
			}
			return out[n:len(out):len(out)]
		}
		r.expect(',')
	}
	return nil
}

const (
	// piece is how many strings, or numbers, a piece of memory has room for.
	piece = 512
	// fewStrings is how many a list may have that is not to make its piece grow.
	fewStrings = 16
)

// room is where the strings of a list are appended.
func (r *Reader) room() []string {
	if !r.many {
		return nil
	}
	if cap(r.strs)-len(r.strs) < fewStrings {
		r.strs = make([]string, 0, piece)
	}
	return r.strs
}

// StrMap reads an object of strings.
func (r *Reader) StrMap() map[string]string {
	out := map[string]string{}
	r.expect('{')
	if r.bad || r.take('}') {
		return out
	}
	for {
		key := r.Str()
		r.expect(':')
		out[key] = r.Str()
		if r.over() {
			return out
		}
	}
}

// maxDigits is how many digits the largest int64 has.
const maxDigits = 19

// Int reads a whole number.
func (r *Reader) Int() int64 {
	neg := r.take('-')
	start, v := r.i, int64(0)
	for r.i < len(r.s) && '0' <= r.s[r.i] && r.s[r.i] <= '9' && r.i-start <= maxDigits {
		v = v*10 + int64(r.s[r.i]-'0')
		r.i++
	}
	n := r.i - start
	// A number of that many digits that is too large has become negative.
	if n == 0 || n > maxDigits || v < 0 || n > 1 && r.s[start] == '0' {
		r.bad = true
		return 0
	}
	if neg {
		return -v
	}
	return v
}

// Ints reads a list of whole numbers; null is nil.
func (r *Reader) Ints() []int {
	if r.word("null") {
		return nil
	}
	r.expect('[')
	if r.bad || r.take(']') {
		return []int{}
	}
	for out := []int(nil); !r.bad; {
		out = append(out, int(r.Int()))
		if r.take(']') {
			return out
		}
		r.expect(',')
	}
	return nil
}

// IntPtr reads a whole number, or null, which is nil.
func (r *Reader) IntPtr() *int {
	if r.word("null") {
		return nil
	}
	v, room := int(r.Int()), 1
	if r.many {
		room = piece
	}
	if len(r.ints) == cap(r.ints) {
		r.ints = make([]int, 0, room)
	}
	r.ints = append(r.ints, v)
	return &r.ints[len(r.ints)-1]
}

// Bool reads a truth value.
func (r *Reader) Bool() bool {
	if r.word("true") {
		return true
	}
	if !r.word("false") {
		r.bad = true
	}
	return false
}

// Time reads a moment.
func (r *Reader) Time() (t time.Time) {
	start := r.i
	r.Str()
	if !r.bad && t.UnmarshalJSON([]byte(r.s[start:r.i])) != nil {
		r.bad = true
	}
	return t
}

func (r *Reader) take(c byte) bool {
	if r.i < len(r.s) && r.s[r.i] == c {
		r.i++
		return true
	}
	return false
}

func (r *Reader) expect(c byte) {
	if !r.take(c) {
		r.bad = true
	}
}

func (r *Reader) word(w string) bool {
	if strings.HasPrefix(r.s[r.i:], w) {
		r.i += len(w)
		return true
	}
	return false
}
