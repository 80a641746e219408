package ui

import (
	"context"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/vt"
	"github.com/hobjobs/hob/ui/internal/textlog"
)

// headBytes is how much of a log is examined to determine its kind.
const headBytes = 128 << 10

// mostlyDrawn reports whether most of the beginning of a log was written to the alternate screen.
func mostlyDrawn(ctx context.Context, log openLog) bool {
	size, err := log.Size(ctx)
	if err != nil {
		return false
	}
	head := make([]byte, min(size, headBytes))
	n, _ := log.ReadAt(ctx, head, 0) // a partial read is sufficient
	head = head[:n]
	drawn, since := 0, -1
	for _, s := range vt.AltSwitches(head) {
		switch {
		case s.On && since < 0:
			since = s.From
		case !s.On && since >= 0:
			drawn += s.To - since
			since = -1
		}
	}
	if since >= 0 {
		drawn += n - since
	}
	return 2*drawn > n
}

// lastScreen returns the final screen of a full-screen program: the main screen with its
// scrollback, or the alternate screen if the job ended on it.
func lastScreen(ctx context.Context, eng jobEngine, id engine.ID) (openLog, bool) {
	s, err := eng.Screen(ctx, id)
	if err != nil {
		return nil, false
	}
	text := s.Main
	if s.Alternate && blank(text) {
		text = s.ANSI
	}
	if blank(text) {
		text = ""
	}
	return textlog.New(text), true
}

func blank(text string) bool { return strings.TrimSpace(vt.Strip(text)) == "" }
