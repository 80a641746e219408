// Command lines writes numbered lines of 64 bytes as fast as its reader allows, so
// that the output can be timed and counted.
//
//	lines BYTES [STAY]
//
// With STAY (a duration such as 60s) it stays that long after the last line, so
// that the process that supervises it can be looked at.
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

const (
	width = 64
	batch = 1024 // lines in one write

	digits = 12
	filler = "the quick brown fox jumps over the lazy dog 012345"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: lines BYTES [STAY]")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "lines:", err)
		os.Exit(1)
	}
}

func run(size string, stay []string) error {
	n, err := strconv.ParseInt(size, 10, 64)
	if err != nil {
		return err
	}
	var rest time.Duration
	if len(stay) > 0 {
		if rest, err = time.ParseDuration(stay[0]); err != nil {
			return err
		}
	}
	if err := write(os.Stdout, n/width); err != nil {
		return err
	}
	time.Sleep(rest)
	return nil
}

// write writes n lines. The text stands in the buffer from the start; only the
// numbers change.
func write(w io.Writer, n int64) error {
	buf := make([]byte, 0, width*batch)
	for i := range batch {
		buf = fmt.Appendf(buf, "%0*d %s\n", digits, i, filler)
	}
	for first := int64(0); first < n; first += batch {
		some := buf[:width*min(batch, n-first)]
		for at := 0; at < len(some); at += width {
			number(some[at:at+digits], first+int64(at/width))
		}
		if _, err := w.Write(some); err != nil {
			return err
		}
	}
	return nil
}

// number writes i with leading zeros.
func number(p []byte, i int64) {
	for at := len(p) - 1; at >= 0; at-- {
		p[at] = byte('0' + i%10)
		i /= 10
	}
}
