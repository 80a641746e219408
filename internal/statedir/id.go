package statedir

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// idAlphabet is a-z and 2-9 without l and o, which look like 1 and 0. It has exactly 32
// characters, so that five random bits choose one without bias.
const idAlphabet = "abcdefghijkmnpqrstuvwxyz23456789"

const (
	suffixLen  = 5
	maxSlugLen = 32
)

// NewID returns a new id: the slug of name and five random characters.
func NewID(name string) string {
	var b [suffixLen]byte
	rand.Read(b[:]) // never fails
	for i := range b {
		b[i] = idAlphabet[b[i]&31]
	}
	return Slug(name) + "-" + string(b[:])
}

// Slug returns name reduced to at most 32 lower-case ASCII letters, digits and single
// hyphens, or "job" if name has no ASCII letter.
func Slug(name string) string {
	b := make([]byte, 0, maxSlugLen)
	letters := false
	for i := 0; i < len(name) && len(b) < maxSlugLen; i++ {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		switch {
		case 'a' <= c && c <= 'z':
			letters = true
			b = append(b, c)
		case '0' <= c && c <= '9':
			b = append(b, c)
		case len(b) > 0 && b[len(b)-1] != '-':
			b = append(b, '-')
		}
	}
	if !letters {
		return "job"
	}
	return strings.TrimRight(string(b), "-")
}

// NewToken returns a random 128-bit idempotency key.
func NewToken() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
