package holder

import (
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/vt"
)

// bytesPerRow is what a row of history is taken to cost a client that says how
// many bytes it wants.
const bytesPerRow = 80

// snapshot is what redraws the whole terminal, with about that many bytes of
// history; h.mu is held.
func (h *Holder) snapshot(history int) []byte {
	return h.term.Snapshot(vt.SnapshotOptions{Scrollback: history / bytesPerRow})
}

// setTerminalFacts answers the job's queries from now on as the terminal of the
// one who types would. They stay when it goes; h.mu is held.
func (h *Holder) setTerminalFacts(f TerminalFacts) {
	facts := h.term.Facts()
	if f.Foreground != nil {
		facts.Foreground = vt.RGB(f.Foreground[0], f.Foreground[1], f.Foreground[2])
	}
	if f.Background != nil {
		facts.Background = vt.RGB(f.Background[0], f.Background[1], f.Background[2])
	}
	if f.CellWidth > 0 && f.CellHeight > 0 {
		facts.CellWidth, facts.CellHeight = f.CellWidth, f.CellHeight
	}
	facts.KittyKeyboard = f.KittyKeyboard
	h.term.SetFacts(facts)
}

// encodeKeys is what the terminal sends for keys named as tmux names them, in the
// modes that the job has set.
func (h *Holder) encodeKeys(names []string) ([]byte, error) {
	keys, err := vt.ParseKeys(names...)
	if err != nil {
		return nil, &Failure{CodeInvalid, err.Error()}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.emulator()
	var p []byte
	for _, k := range keys {
		p = append(p, t.EncodeKey(k)...)
	}
	return p, nil
}

func (h *Holder) encodePaste(text []byte) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.emulator().EncodePaste(text)
}

// Screen is the job's screen now.
func (h *Holder) Screen() (Screen, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.term == nil {
		return Screen{}, &Failure{CodeUnsupported, "the job has no screen"}
	}
	return screenOf(h.term, h.state.End != nil), nil
}

func screenOf(t *vt.Terminal, ended bool) Screen {
	cols, rows := t.Size()
	cur := t.Cursor()
	s := Screen{
		Text: t.Text(), ANSI: t.ANSI(), Size: jobdir.Size{Cols: cols, Rows: rows},
		CursorX: cur.X, CursorY: cur.Y, CursorOn: cur.Visible,
		Title: t.Title(), Alternate: t.Modes().Alternate,
	}
	if ended {
		s.Main = t.MainANSI()
	}
	return s
}

// AtPrompt reports whether the screen looks as if the job asked something: the
// main screen, with the cursor shown behind text.
func (h *Holder) AtPrompt() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.term == nil || h.term.Modes().Alternate {
		return false
	}
	cur := h.term.Cursor()
	if !cur.Visible || cur.X == 0 {
		return false
	}
	row := h.term.Row(cur.Y)
	for _, c := range row[:min(cur.X, len(row))] {
		if text := h.term.CellText(c); text != "" && text != " " {
			return true
		}
	}
	return false
}
