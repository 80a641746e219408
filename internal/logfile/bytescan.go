package logfile

import "encoding/binary"

// The functions in this file examine eight bytes at a time. hi is the top bit of each
// byte; (w - lo*n) &^ w & hi is not zero if a byte of w is less than n.
const (
	lo = 0x0101010101010101
	hi = 0x8080808080808080
)

// plainWord reports whether all eight bytes are printable ASCII: none is below space, and
// adding 1 to none sets the top bit.
func plainWord(w uint64) bool { return ((w-lo*0x20)|(w+lo)|w)&hi == 0 }

// asciiLen returns the number of bytes at the beginning of p that are printable ASCII or
// tab.
func asciiLen(p []byte) int {
	i := 0
	for {
		for i+8 <= len(p) && plainWord(binary.LittleEndian.Uint64(p[i:])) {
			i += 8
		}
		for end := min(i+8, len(p)); i < end; i++ {
			if b := p[i]; (b < ' ' || b >= 0x7F) && b != '\t' {
				return i
			}
		}
		if i >= len(p) {
			return len(p)
		}
	}
}

// sgrLen returns the length of the complete SGR sequence at the beginning of p, 0 if it
// has none. Most escape sequences in logs are SGR, which does not change the text.
func sgrLen(p []byte) int {
	if len(p) < 3 || p[0] != 0x1B || p[1] != '[' {
		return 0
	}
	for i, b := range p[2:] {
		if b == 'm' {
			return i + 3
		}
		if b < '0' || b > ';' {
			return 0
		}
	}
	return 0
}

// firstSpecialByte returns the index of the first byte of p that makes a line's text
// differ from its bytes, or -1: DEL, the lead byte of C1, and control characters except
// tab, LF and CRs before an LF. It does not detect invalid UTF-8.
func firstSpecialByte(p []byte) int {
	i := 0
	for {
		for i+8 <= len(p) && plainWord(binary.LittleEndian.Uint64(p[i:])) {
			i += 8
		}
		if i >= len(p) {
			return -1
		}
		for end := min(i+8, len(p)); i < end; i++ {
			switch b := p[i]; {
			case b >= ' ' && b < 0x7F, b == '\n', b == '\t', b > 0x7F && b != 0xC2:
			case b == '\r' && (i+1 == len(p) || p[i+1] == '\n' || p[i+1] == '\r'):
			default:
				return i
			}
		}
	}
}

// lowerASCII appends p to dst with ASCII letters in lower case.
func lowerASCII(dst, p []byte) []byte {
	n := len(dst)
	dst = append(dst, p...)
	out := dst[n:]
	i := 0
	for ; i+8 <= len(out); i += 8 {
		w := binary.LittleEndian.Uint64(out[i:])
		low := w &^ hi
		upper := (low + lo*(0x80-'A')) &^ (low + lo*(0x7F-'Z')) &^ w & hi
		binary.LittleEndian.PutUint64(out[i:], w|upper>>2)
	}
	for ; i < len(out); i++ {
		if c := out[i]; c >= 'A' && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return dst
}
