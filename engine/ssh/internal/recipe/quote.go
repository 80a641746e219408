package recipe

import "strings"

// Quote is s as one word of a shell command.
func Quote(s string) string {
	if s != "" && strings.IndexFunc(s, unsafe) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func unsafe(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("_-./,:@", r)
}

// octal appends p as a format for printf, in single quotes: plain ASCII.
func octal(b *strings.Builder, p []byte) {
	b.WriteByte('\'')
	for i, c := range p {
		if c >= ' ' && c < 0x7f && c != '\\' && c != '%' && c != '\'' && (c != '-' || i > 0) {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('\\')
		b.WriteByte('0' + c>>6)
		b.WriteByte('0' + c>>3&7)
		b.WriteByte('0' + c&7)
	}
	b.WriteByte('\'')
}

// chunk is the most bytes for one printf: where that is a program, one argument
// may not exceed 128 KiB.
const chunk = 4 << 10

// printfs is commands that print content.
func printfs(b *strings.Builder, content []byte) {
	for len(content) > 0 {
		n := min(chunk, len(content))
		b.WriteString("printf ")
		octal(b, content[:n])
		b.WriteByte('\n')
		content = content[n:]
	}
}
