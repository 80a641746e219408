package units

import (
	"fmt"
	"strconv"
	"strings"
)

// Count returns a number with its noun: "1 job", "2 jobs".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// maxCells is the largest width or height that the kernel's window size can hold.
const maxCells = 1<<16 - 1

// ParseSize parses a terminal size such as "120x40".
func ParseSize(s string) (cols, rows int, err error) {
	c, r, ok := strings.Cut(strings.ToLower(s), "x")
	cols, err1 := strconv.Atoi(strings.TrimSpace(c))
	rows, err2 := strconv.Atoi(strings.TrimSpace(r))
	if !ok || err1 != nil || err2 != nil || min(cols, rows) < 1 || max(cols, rows) > maxCells {
		return 0, 0, fmt.Errorf("invalid size %q; use COLSxROWS, for example 120x40", s)
	}
	return cols, rows, nil
}
