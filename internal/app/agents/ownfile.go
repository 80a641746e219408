package agents

import (
	"bytes"
	"crypto/sha256"
	"fmt"
)

// ownFile is a file that hob writes as a whole. Its last line has a checksum of the others, so
// that a file of an earlier hob can be replaced, and one that the user has edited is kept.
type ownFile struct {
	file    string
	what    string
	text    string
	comment [2]string // around the last line
}

func (p ownFile) path() string { return p.file }
func (p ownFile) name() string { return p.what }

func (p ownFile) add(old []byte) ([]byte, outcome, error) {
	text := p.signed([]byte(p.text))
	switch {
	case old == nil:
		return text, added, nil
	case bytes.Equal(old, text):
		return old, present, nil
	case p.ours(old):
		return text, updated, nil
	}
	return old, kept, nil
}

func (p ownFile) remove(old []byte) ([]byte, outcome, error) {
	switch {
	case old == nil:
		return nil, absent, nil
	case p.ours(old):
		return nil, removed, nil
	}
	return old, kept, nil
}

// signed returns text with the last line.
func (p ownFile) signed(text []byte) []byte {
	line := fmt.Sprintf("%sWritten by hob setup, which leaves an edited copy alone. Checksum: %.8x%s\n",
		p.comment[0], sha256.Sum256(text), p.comment[1])
	return append(bytes.Clone(text), line...)
}

// ours reports whether file is unchanged since a hob wrote it.
func (p ownFile) ours(file []byte) bool {
	end := bytes.LastIndexByte(bytes.TrimSuffix(file, []byte("\n")), '\n')
	return bytes.Equal(p.signed(file[:end+1]), file)
}
