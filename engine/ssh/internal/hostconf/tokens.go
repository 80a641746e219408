package hostconf

import (
	"crypto/sha1" //nolint:gosec // it names a socket as ssh does
	"encoding/hex"
	"path/filepath"
	"strings"
)

// tokens expands what ssh_config(5) calls TOKENS.
type tokens struct {
	place
	c    *Config
	jump string
}

func (t *tokens) expand(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		b.WriteString(t.token(s[i]))
	}
	return b.String()
}

func (t *tokens) token(c byte) string {
	switch c {
	case '%':
		return "%"
	case 'h':
		return t.c.HostName
	case 'n':
		return t.c.Alias
	case 'p':
		return t.c.Port
	case 'r':
		return t.c.User
	case 'u':
		return t.user
	case 'i':
		return t.uid
	case 'd':
		return t.home
	case 'l':
		return t.name
	case 'L':
		short, _, _ := strings.Cut(t.name, ".")
		return short
	case 'j':
		return t.jump
	case 'k':
		if t.c.HostKeyAlias != "" {
			return t.c.HostKeyAlias
		}
		return t.c.Alias
	case 'C':
		sum := sha1.Sum([]byte(t.name + t.c.HostName + t.c.Port + t.c.User + t.jump)) //nolint:gosec // see above
		return hex.EncodeToString(sum[:])
	}
	return "%" + string(c)
}

// file is a file name: tokens, ${VARIABLES} and ~ expanded, absolute.
func (t *tokens) file(s string) string {
	s = strings.Trim(s, `"`)
	s = t.variables(t.expand(s))
	switch rest, ok := strings.CutPrefix(s, "~/"); {
	case s == "~":
		return t.home
	case ok:
		return t.inHome(rest)
	case !filepath.IsAbs(s):
		return t.inHome(".ssh", s)
	}
	return s
}

// files are the files of names, without "none".
func (t *tokens) files(names []string) []string {
	var files []string
	for _, name := range names {
		if !strings.EqualFold(name, "none") {
			files = append(files, t.file(name))
		}
	}
	return files
}

func (t *tokens) variables(s string) string {
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			return s
		}
		j := strings.IndexByte(s[i:], '}')
		if j < 0 {
			return s
		}
		s = s[:i] + t.env(s[i+2:i+j]) + s[i+j+1:]
	}
}
