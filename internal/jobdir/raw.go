package jobdir

import (
	"slices"
	"unicode/utf8"
)

// RawRequest has those fields of a request that are not UTF-8, byte for byte. JSON strings
// cannot represent them, and with replacement characters they would name other files. The
// records contain the usual fields, too, for readers that only display them.
type RawRequest struct {
	Command [][]byte `json:"command,omitempty"`
	Script  []byte   `json:"script,omitempty"`
	Dir     []byte   `json:"dir,omitempty"`
}

// rawOf returns the fields of m that JSON strings cannot represent, nil if there are none.
func rawOf(m *Meta) *RawRequest {
	var e RawRequest
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

// applyRaw moves the fields of m.Raw to the request.
func (m *Meta) applyRaw() {
	e := m.Raw
	if e == nil {
		return
	}
	m.Raw = nil
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
