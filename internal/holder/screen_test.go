//go:build linux || darwin

package holder

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/vt"
)

func TestHistoryAndSnapshotDrawTheWholeText(t *testing.T) {
	t.Parallel()
	size := record.Size{Cols: 40, Rows: 5}
	h := newHeld(t, Config{Terminal: true, Meta: jobdir.Meta{Request: record.Request{InitialSize: size}}})
	n := 0
	print := func(lines int) {
		for range lines {
			h.Output(fmt.Appendf(nil, "line %d\r\n", n))
			n++
		}
	}
	shows := func(from int) {
		t.Helper()
		h.mu.Lock()
		data := append(h.history(1<<20), h.snapshot()...)
		size := h.state.Size
		h.mu.Unlock()
		var want strings.Builder
		for i := from; i < n; i++ {
			fmt.Fprintf(&want, "line %d\n", i)
		}
		term := newTerminal(size, 1<<20)
		term.Write(data)
		if got := strings.TrimLeft(vt.Strip(term.MainANSI()), "\n"); strings.TrimRight(got, "\n") != strings.TrimRight(want.String(), "\n") {
			t.Errorf("shows %q, want %q", got, want.String())
		}
	}
	print(57)
	shows(0)

	h.Output([]byte("\x1b[H\x1b[2J\x1b[3J")) // the job clears its history
	from := n
	print(12)
	shows(from)

	h.cfg.Hooks.Resize = func(record.Size) error { return nil }
	if err := h.Resize(t.Context(), record.Size{Cols: 30, Rows: 8}); err != nil {
		t.Fatal(err)
	}
	print(4)
	shows(from)
}
