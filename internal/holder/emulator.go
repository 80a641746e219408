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

// snapshot returns the sequences that redraw the whole terminal; h.mu is held.
func (h *Holder) snapshot() []byte { return h.term.Snapshot(vt.SnapshotOptions{}) }

// setTerminalFacts sets the facts of the controlling client's terminal, which replies to the job's
// queries are based on. They are kept when that client disconnects. known is false while that terminal
// has not replied yet. h.mu is held.
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

// factsWithin limits how long replies to queries of a job that was started in the foreground are
// deferred until the client reports the facts of its terminal. A client also reports that its terminal
// does not reply, so the limit is reached only if the client exits before that.
const factsWithin = 5 * time.Second

// limitPending replies to pending queries with the facts known so far after factsWithin. It ends with
// the holder.
func (h *Holder) limitPending() {
	select {
	case <-time.After(factsWithin):
	case <-h.ctx.Done():
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	facts := h.term.Facts()
	facts.Pending = false
	h.term.SetFacts(facts)
}

// EncodeKeys returns what the terminal sends for keys given by their tmux names, in the modes that
// the job has set.
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

// EncodePaste returns what the terminal sends for a paste, bracketed if the job enabled that.
func (h *Holder) EncodePaste(text []byte) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.emulator().EncodePaste(text)
}

// Screen returns the job's current screen.
func (h *Holder) Screen() (record.Screen, error) {
	h.mu.Lock()
	if h.term == nil {
		h.mu.Unlock()
		return record.Screen{}, &Failure{CodeUnsupported, "the job has no screen"}
	}
	s, ended, offset := ScreenOf(h.term), h.state.Exit.Known(), h.offset
	if ended {
		s.Main = h.term.MainANSI()
	}
	h.mu.Unlock()
	if ended { // including its scrollback
		if t, err := replay(h.cfg.Dir, offset, replayBytes, s.Size); err == nil {
			s.Main = t.MainANSI()
		}
	}
	return s, nil
}

// ScreenOf returns the screen that t shows.
func ScreenOf(t *vt.Terminal) record.Screen {
	cols, rows := t.Size()
	cur := t.Cursor()
	return record.Screen{
		Text: t.Text(), ANSI: t.ANSI(), Size: record.Size{Cols: cols, Rows: rows},
		CursorX: cur.X, CursorY: cur.Y, CursorOn: cur.Visible,
		Title: t.Title(), Alternate: t.Modes().Alternate,
	}
}

// AtPrompt reports whether the screen looks like a prompt: the main screen, with a visible cursor
// after text.
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

// clip returns untrusted text as one line of plain text of limited length.
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

// cwdOf returns the directory that OSC 7 names, if it is on this machine.
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
