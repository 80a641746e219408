package holder

import (
	"net/url"
	"os"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/vt"
)

// snapshot is what redraws the whole terminal; h.mu is held.
func (h *Holder) snapshot() []byte { return h.term.Snapshot(vt.SnapshotOptions{}) }

// setTerminalFacts answers the job's queries from now on as the terminal of the
// one who types would. They stay when it goes. known is false while that terminal has
// not answered yet. h.mu is held; h.sendReplies is to be called without it.
func (h *Holder) setTerminalFacts(f TerminalFacts, known bool) {
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
	facts.Pending = facts.Pending && !known
	h.term.SetFacts(facts)
}

// factsWithin is how long a job that was started in the foreground waits for the answer to
// a query that depends on the terminal it is about to be shown on. A client reports the
// facts much sooner; the limit is for one whose terminal answers nothing.
const factsWithin = 500 * time.Millisecond

// limitPending answers what the job asked with what is known once factsWithin is over. It
// ends with the holder.
func (h *Holder) limitPending() {
	select {
	case <-time.After(factsWithin):
	case <-h.ctx.Done():
		return
	}
	h.mu.Lock()
	facts := h.term.Facts()
	facts.Pending = false
	h.term.SetFacts(facts)
	h.mu.Unlock()
	h.sendReplies()
}

// EncodeKeys is what the terminal sends for keys named as tmux names them, in the
// modes that the job has set.
func (h *Holder) EncodeKeys(names []string) ([]byte, error) {
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

// EncodePaste is what the terminal sends for a paste, bracketed if the job asked
// for that.
func (h *Holder) EncodePaste(text []byte) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.emulator().EncodePaste(text)
}

// Screen is the job's screen now.
func (h *Holder) Screen() (record.Screen, error) {
	h.mu.Lock()
	if h.term == nil {
		h.mu.Unlock()
		return record.Screen{}, &Failure{CodeUnsupported, "the job has no screen"}
	}
	s, ended, offset := screenOf(h.term), h.state.Exit.Known(), h.offset
	if ended {
		s.Main = h.term.MainANSI()
	}
	h.mu.Unlock()
	if ended { // with what is above it
		if t, err := replay(h.cfg.Dir, offset, replayBytes, s.Size); err == nil {
			s.Main = t.MainANSI()
		}
	}
	return s, nil
}

func screenOf(t *vt.Terminal) record.Screen {
	cols, rows := t.Size()
	cur := t.Cursor()
	return record.Screen{
		Text: t.Text(), ANSI: t.ANSI(), Size: record.Size{Cols: cols, Rows: rows},
		CursorX: cur.X, CursorY: cur.Y, CursorOn: cur.Visible,
		Title: t.Title(), Alternate: t.Modes().Alternate,
	}
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

// clip makes one bounded line of plain text of what a job said.
func clip(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
	if len(s) <= maxText {
		return s
	}
	cut := maxText
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut]
}

// cwdOf is the directory that OSC 7 names, if it is one of this machine.
func cwdOf(uri string) (dir string, ok bool) {
	u, err := url.Parse(uri)
	if err != nil || (u.Scheme != "file" && u.Scheme != "kitty-shell-cwd") || !path.IsAbs(u.Path) {
		return "", false
	}
	if u.Host != "" && u.Host != "localhost" {
		if name, err := os.Hostname(); err != nil || name != u.Host {
			return "", false
		}
	}
	return clip(path.Clean(u.Path)), true
}
