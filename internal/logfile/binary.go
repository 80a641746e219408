package logfile

import (
	"bytes"
	"unicode/utf8"
)

// BinarySample is how many bytes of output [Binary] looks at.
const BinarySample = 64 << 10

// Binary reports whether p, a part of some output, is data that is not meant to be
// read as text: mostly bytes that are no UTF-8 or control characters that no program
// prints, or NUL bytes in a row. UTF-16 with its mark is text, and so are lines that
// end in NUL, as find -print0 prints them.
func Binary(p []byte) bool {
	p = p[:min(len(p), BinarySample)]
	p = p[Torn(p):]
	p = p[:len(p)-UnfinishedRune(p)]
	if bytes.HasPrefix(p, []byte("\xff\xfe")) || bytes.HasPrefix(p, []byte("\xfe\xff")) {
		return false
	}
	if bytes.Contains(p, []byte{0, 0, 0}) {
		return true
	}
	bad := 0
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && n == 1 || isUnprinted(p[i]) {
			bad++
		}
		i += n
	}
	return 10*bad > 3*len(p)
}

// isUnprinted reports whether b is a control character that means nothing to a
// terminal.
func isUnprinted(b byte) bool {
	return b > 0 && b < '\a' || b > 0x0f && b < 0x20 && b != 0x1b || b == 0x7f
}

// magics are the first bytes of common kinds of files, at an offset.
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

// MediaType is the type of the file that begins with head, as its first bytes show it;
// application/octet-stream for one that is not known.
func MediaType(head []byte) string {
	for _, m := range magics {
		if len(head) > m.at && bytes.HasPrefix(head[m.at:], []byte(m.magic)) {
			return m.media
		}
	}
	return "application/octet-stream"
}
