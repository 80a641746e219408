package flatjson

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"
)

// Writer appends to Buf. The names of its methods say what encoding/json calls
// omitempty: those with Opt leave an empty value out.
type Writer struct {
	Buf []byte
	Err error // the first: a time that JSON cannot hold
	// Plain leaves <, > and & as they are, for readers who are no browsers.
	Plain bool
}

// Open begins an object, Close ends it.
func (w *Writer) Open()  { w.Buf = append(w.Buf, '{') }
func (w *Writer) Close() { w.Buf = append(w.Buf, '}') }

// Key begins a field, whose value is written next.
func (w *Writer) Key(k string) {
	if n := len(w.Buf); n > 0 && w.Buf[n-1] != '{' {
		w.Buf = append(w.Buf, ',')
	}
	w.Buf = append(w.Buf, '"')
	w.Buf = append(w.Buf, k...)
	w.Buf = append(w.Buf, '"', ':')
}

// Str writes a string, OptStr only one that is not empty.
func (w *Writer) Str(k, v string) {
	w.Key(k)
	w.text(v)
}

// OptStr: see Str.
func (w *Writer) OptStr(k, v string) {
	if v != "" {
		w.Str(k, v)
	}
}

// Int writes a number, OptInt only one that is not 0.
func (w *Writer) Int(k string, v int64) {
	w.Key(k)
	w.Buf = strconv.AppendInt(w.Buf, v, 10)
}

// OptInt: see Int.
func (w *Writer) OptInt(k string, v int64) {
	if v != 0 {
		w.Int(k, v)
	}
}

// Ints writes a list of numbers; nil is null. OptInts writes one that is not empty.
func (w *Writer) Ints(k string, vs []int) {
	if vs == nil {
		w.Null(k)
		return
	}
	w.list(k, len(vs), func(i int) { w.Buf = strconv.AppendInt(w.Buf, int64(vs[i]), 10) })
}

// OptInts: see Ints.
func (w *Writer) OptInts(k string, vs []int) {
	if len(vs) > 0 {
		w.Ints(k, vs)
	}
}

// IntPtr writes a number, or null.
func (w *Writer) IntPtr(k string, v *int) {
	if v == nil {
		w.Null(k)
		return
	}
	w.Int(k, int64(*v))
}

// Bool writes a truth value, OptBool only a true one.
func (w *Writer) Bool(k string, v bool) {
	w.Key(k)
	w.Buf = strconv.AppendBool(w.Buf, v)
}

// OptBool: see Bool.
func (w *Writer) OptBool(k string, v bool) {
	if v {
		w.Bool(k, v)
	}
}

// Time writes a moment.
func (w *Writer) Time(k string, t time.Time) {
	w.Key(k)
	text, err := t.MarshalJSON()
	if err != nil && w.Err == nil {
		w.Err = err
	}
	w.Buf = append(w.Buf, text...)
}

// Strs writes a list of strings; nil is null.
func (w *Writer) Strs(k string, vs []string) {
	if vs == nil {
		w.Null(k)
		return
	}
	w.list(k, len(vs), func(i int) { w.text(vs[i]) })
}

func (w *Writer) list(k string, n int, item func(i int)) {
	w.Key(k)
	w.Buf = append(w.Buf, '[')
	for i := range n {
		if i > 0 {
			w.Buf = append(w.Buf, ',')
		}
		item(i)
	}
	w.Buf = append(w.Buf, ']')
}

// OptStrMap writes strings by name, if there are any.
func (w *Writer) OptStrMap(k string, m map[string]string) {
	if len(m) == 0 {
		return
	}
	w.Key(k)
	w.Buf = append(w.Buf, '{')
	for i, name := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			w.Buf = append(w.Buf, ',')
		}
		w.text(name)
		w.Buf = append(w.Buf, ':')
		w.text(m[name])
	}
	w.Buf = append(w.Buf, '}')
}

// Null writes null.
func (w *Writer) Null(k string) {
	w.Key(k)
	w.Buf = append(w.Buf, "null"...)
}

// text appends s as a JSON string: what needs no escape as it is.
func (w *Writer) text(s string) {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c > '~', c == '"', c == '\\', !w.Plain && (c == '<' || c == '>' || c == '&'):
			w.escaped(s)
			return
		}
	}
	w.Buf = append(w.Buf, '"')
	w.Buf = append(w.Buf, s...)
	w.Buf = append(w.Buf, '"')
}

func (w *Writer) escaped(s string) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(!w.Plain)
	if err := enc.Encode(s); err != nil && w.Err == nil {
		w.Err = err
	}
	w.Buf = append(w.Buf, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}
