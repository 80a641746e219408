package jobdir

import (
	"slices"
	"unicode/utf8"
)

// Exact is a request byte for byte, where that is not UTF-8: the strings of JSON
// cannot hold it, and replacement characters name other files. In the records the
// usual fields stand beside it, for those who only show them.
type Exact struct {
	Command [][]byte `json:"command,omitempty"`
	Script  []byte   `json:"script,omitempty"`
	Dir     []byte   `json:"dir,omitempty"`
}

// exactOf is what of m JSON would change; nil if nothing.
func exactOf(m *Meta) *Exact {
	var e Exact
	if slices.ContainsFunc(m.Command, func(s string) bool { return !utf8.ValidString(s) }) {
		for _, word := range m.Command {
			e.Command = append(e.Command, []byte(word))
		}
	}
	if !utf8.ValidString(m.Script) {
		e.Script = []byte(m.Script)
	}
	if !utf8.ValidString(m.Dir) {
		e.Dir = []byte(m.Dir)
	}
	if e.Command == nil && e.Script == nil && e.Dir == nil {
		return nil
	}
	return &e
}

// restore sets in m what was asked byte for byte.
func (m *Meta) restore() {
	e := m.Exact
	if e == nil {
		return
	}
	m.Exact = nil
	if e.Command != nil {
		m.Command = make([]string, len(e.Command))
		for i, word := range e.Command {
			m.Command[i] = string(word)
		}
	}
	if e.Script != nil {
		m.Script = string(e.Script)
	}
	if e.Dir != nil {
		m.Dir = string(e.Dir)
	}
}
