package vt

import (
	"fmt"
	"strings"
	"testing"
)

// The maximum number of rows is as large as that of columns.
func TestTallestScreen(t *testing.T) {
	term := New(10, 4096)
	for i := range 4096 {
		fmt.Fprintf(term, "\x1b[%d;1H%d", i+1, i+1)
	}
	again := New(10, 4096)
	again.Write(term.Snapshot(0))
	for name, tall := range map[string]*Terminal{"as made": term, "from its snapshot": again} {
		if cols, rows := tall.Size(); cols != 10 || rows != 4096 {
			t.Errorf("%s: %dx%d", name, cols, rows)
		}
		lines := strings.Split(strings.TrimRight(tall.Text(), "\n"), "\n")
		if len(lines) != 4096 || lines[0] != "1" || lines[4095] != "4096" {
			t.Errorf("%s: %d lines, from %q to %q", name, len(lines), lines[0], lines[len(lines)-1])
		}
	}
	if cols, rows := New(5000, 5000).Size(); cols != 4096 || rows != 4096 {
		t.Errorf("beyond the largest: %dx%d", cols, rows)
	}
}
