package logfile

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Text returns what a terminal would show of each line of p: it removes escape sequences
// and control characters, and applies carriage returns, backspaces and erased line ends.
// Line feeds are kept. The last line need not have one.
func Text(p []byte) []byte {
	text := make([]byte, 0, len(p))
	r := newRenderer(max(len(p), 1) * utf8.UTFMax) // an invalid byte becomes three
	for len(p) > 0 {
		line, rest, whole := bytes.Cut(p, lf)
		r.reset()
		r.write(line)
		shown, _ := r.end()
		text = append(text, shown...)
		if whole {
			text = append(text, '\n')
		}
		p = rest
	}
	return text
}

// MaxIncomplete is the largest result of IncompleteSuffix.
const MaxIncomplete = 256

// IncompleteSuffix returns the number of bytes at the end of p that are the beginning of an
// incomplete character or escape sequence. A reader that continues before them gets it
// completely. It examines only the last MaxIncomplete bytes, so that binary data cannot
// stop a reader from advancing.
func IncompleteSuffix(p []byte) int {
	tail := p[max(len(p)-MaxIncomplete, 0):]
	var esc escapeParser
	begin := 0
	for i, b := range tail {
		if esc.ground() {
			begin = i
		}
		if b < utf8.RuneSelf {
			esc.next(b)
		} else {
			esc.other()
		}
	}
	if esc.ground() {
		return IncompleteRune(tail)
	}
	return len(tail) - begin
}

// ContinuationPrefix returns the number of bytes at the beginning of p that are the rest
// of a UTF-8 sequence.
func ContinuationPrefix(p []byte) int {
	for i, b := range p {
		if utf8.RuneStart(b) {
			return i
		}
		if i == utf8.UTFMax-1 { // no character is that long
			return 0
		}
	}
	return len(p)
}

// IncompleteRune is [IncompleteSuffix] for characters only.
func IncompleteRune(p []byte) int {
	for n := 1; n <= min(len(p), utf8.UTFMax-1); n++ {
		b := p[len(p)-n]
		if !utf8.RuneStart(b) {
			continue
		}
		if !utf8.FullRune(p[len(p)-n:]) {
			return n
		}
		return 0
	}
	return 0
}

// maxCluster limits the distance from a cut within which the edge of a grapheme cluster is
// searched, in bytes. A longer cluster is cut between its code points.
const maxCluster = 1 << 10

// FirstRunes returns at most the first n code points of s. It does not split a grapheme
// cluster, such as an emoji of several code points or a letter with accents.
func FirstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:clusterEdge(s, i, false)]
		}
		n--
	}
	return s
}

// LastRunes returns at most the last n code points of s. It does not split a grapheme
// cluster.
func LastRunes(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[clusterEdge(s, i, true):]
}

// clusterEdge returns i if that is the edge of a grapheme cluster, else the last edge
// before i or, if after is set, the first one after it. i must be the beginning of a code
// point.
func clusterEdge(s string, i int, after bool) int {
	from := strings.LastIndexByte(s[:i], '\n') + 1
	for from = max(from, i-maxCluster); from < i && !utf8.RuneStart(s[from]); {
		from++
	}
	edge := from
	for g := graphemes.FromString(s[from:min(len(s), i+maxCluster)]); edge < i && g.Next(); {
		next := from + g.End()
		if next > i && !after {
			break
		}
		edge = next
	}
	if max(i-edge, edge-i) >= maxCluster {
		return i
	}
	return edge
}

// BinarySample is the number of bytes of output that [Binary] examines.
const BinarySample = 64 << 10

// Binary reports whether p, a part of some output, is binary data: if it has several NUL
// bytes in a row, or more than 30 % invalid UTF-8 and unusual control characters. UTF-16
// with a byte order mark and lines that end in NUL, as from find -print0, are text.
func Binary(p []byte) bool {
	p = p[:min(len(p), BinarySample)]
	p = p[ContinuationPrefix(p):]
	p = p[:len(p)-IncompleteRune(p)]
	if bytes.HasPrefix(p, []byte("\xff\xfe")) || bytes.HasPrefix(p, []byte("\xfe\xff")) {
		return false
	}
	if bytes.Contains(p, []byte{0, 0, 0}) {
		return true
	}
	bad := 0
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && n == 1 || isRareControl(p[i]) {
			bad++
		}
		i += n
	}
	return 10*bad > 3*len(p)
}

// isRareControl reports whether b is a control character without a function in terminals.
func isRareControl(b byte) bool {
	switch {
	case b >= '\a' && b <= 0x0f, b == 0, b == 0x1b: // bell to SI, the end of records of find -print0, ESC
		return false
	}
	return b < 0x20 || b == 0x7f
}

// magics are the magic numbers of common file types, and their offsets.
var magics = [...]struct {
	at    int
	magic string
	media string
}{
	{0, "\x89PNG\r\n\x1a\n", "image/png"},
	{0, "\xff\xd8\xff", "image/jpeg"},
	{0, "GIF8", "image/gif"},
	{8, "WEBP", "image/webp"},
	{8, "WAVE", "audio/wav"},
	{0, "%PDF-", "application/pdf"},
	{0, "PK\x03\x04", "application/zip"},
	{0, "\x1f\x8b", "application/gzip"},
	{0, "BZh", "application/x-bzip2"},
	{0, "\xfd7zXZ\x00", "application/x-xz"},
	{0, "\x28\xb5\x2f\xfd", "application/zstd"},
	{0, "7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"},
	{257, "ustar", "application/x-tar"},
	{0, "\x7fELF", "application/x-elf"},
	{0, "\xcf\xfa\xed\xfe", "application/x-mach-binary"},
	{0, "MZ", "application/x-msdownload"},
	{0, "\x00asm", "application/wasm"},
	{0, "\xca\xfe\xba\xbe", "application/java-vm"},
	{0, "SQLite format 3\x00", "application/vnd.sqlite3"},
	{0, "OggS", "application/ogg"},
	{0, "ID3", "audio/mpeg"},
	{4, "ftyp", "video/mp4"},
}

// MediaType returns the media type of a file by its first bytes, head:
// application/octet-stream if it is unknown.
func MediaType(head []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(head[min(m.at, len(head)):], []byte(m.magic)) {
			return m.media
		}
	}
	return "application/octet-stream"
}
