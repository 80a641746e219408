package flatjson

import (
	"encoding/json"
	"strings"
	"time"
)

// Reader reads one JSON text. After something that it does not expect all its
// results are empty and Done says no.
type Reader struct {
	s   string
	i   int
	bad bool
}

// NewReader reads data, which may end with a newline. What is read refers to a copy
// of it.
func NewReader(data []byte) *Reader {
	return &Reader{s: strings.TrimSuffix(string(data), "\n")}
}

// Done reports whether everything was read and understood.
func (r *Reader) Done() bool { return !r.bad && r.i == len(r.s) }

// Unknown says that the caller does not know the field that it was called for.
func (r *Reader) Unknown() { r.bad = true }

// Object calls field for each field of an object, to read its value.
func (r *Reader) Object(field func(key string)) {
	r.expect('{')
	if r.bad || r.take('}') {
		return
	}
	for !r.bad {
		key := r.Str()
		r.expect(':')
		if r.bad {
			return
		}
		field(key)
		if r.take('}') {
			return
		}
		r.expect(',')
	}
}

// Str reads a string.
func (r *Reader) Str() string {
	r.expect('"')
	if r.bad {
		return ""
	}
	start := r.i
	for plain := true; r.i < len(r.s); r.i++ {
		switch c := r.s[r.i]; {
		case c == '"':
			r.i++
			if plain {
				return r.s[start : r.i-1]
			}
			var s string
			r.bad = r.bad || json.Unmarshal([]byte(r.s[start-1:r.i]), &s) != nil
			return s
		case c == '\\':
			plain = false
			r.i++
		case c < ' ', c > '~':
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
	out := []string{}
	if r.bad || r.take(']') {
		return out
	}
	for !r.bad {
		out = append(out, r.Str())
		if r.take(']') {
			return out
		}
		r.expect(',')
	}
	return nil
}

// StrMap reads an object of strings.
func (r *Reader) StrMap() map[string]string {
	out := map[string]string{}
	r.Object(func(key string) { out[key] = r.Str() })
	return out
}

// maxDigits is how many digits every int64 can have: longer ones are left to
// encoding/json.
const maxDigits = 18

// Int reads a whole number.
func (r *Reader) Int() int64 {
	neg := r.take('-')
	start, v := r.i, int64(0)
	for r.i < len(r.s) && '0' <= r.s[r.i] && r.s[r.i] <= '9' && r.i-start <= maxDigits {
		v = v*10 + int64(r.s[r.i]-'0')
		r.i++
	}
	n := r.i - start
	if n == 0 || n > maxDigits || n > 1 && r.s[start] == '0' {
		r.bad = true
		return 0
	}
	if neg {
		return -v
	}
	return v
}

// IntPtr reads a whole number, or null, which is nil.
func (r *Reader) IntPtr() *int {
	if r.word("null") {
		return nil
	}
	n := int(r.Int())
	return &n
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
