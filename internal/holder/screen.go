package holder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/vt"
)

// snapshot returns the sequences that redraw the whole terminal; h.mu is held.
func (h *Holder) snapshot() []byte { return h.term.Snapshot(0) }

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
	if known {
		facts.Pending = false
	}
	h.term.SetFacts(facts)
}

// factsWithin limits how long replies to queries of a job that was started in the foreground are
// deferred until the client reports the facts of its terminal. A client also reports that its terminal
// does not reply, so the limit is reached only if the client exits before that.
const factsWithin = 5 * time.Second

// limitPending replies to pending queries with the facts known so far after factsWithin. It ends with
// the holder.
func (h *Holder) limitPending() {
	if !sleep(h.ctx, factsWithin) {
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
		return nil, &Failure{Code: CodeInvalid, Message: err.Error()}
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
		return record.Screen{}, &Failure{Code: CodeUnsupported, Message: "the job has no screen"}
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
		Text:      t.Text(),
		ANSI:      t.ANSI(),
		Size:      record.Size{Cols: cols, Rows: rows},
		CursorX:   cur.X,
		CursorY:   cur.Y,
		CursorOn:  cur.Visible,
		Title:     t.Title(),
		Alternate: t.Modes().Alternate,
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
		if strings.Trim(h.term.CellText(c), " ") != "" {
			return true
		}
	}
	return false
}

func urgencyOf(u vt.Urgency) record.Urgency {
	switch u {
	case vt.Low:
		return record.UrgencyLow
	case vt.Critical:
		return record.UrgencyCritical
	case vt.Normal:
	}
	return ""
}

// clip returns untrusted text as one line of plain text of limited length.
func clip(s string) string { return vt.PlainLine(s, maxText) }

// cwdOf returns the directory that OSC 7 names, if it is on this machine.
func cwdOf(uri string) (dir string, ok bool) {
	u, err := url.Parse(uri)
	if err != nil || !path.IsAbs(u.Path) {
		return "", false
	}
	switch u.Scheme {
	case "file", "kitty-shell-cwd":
	default:
		return "", false
	}
	switch u.Host {
	case "", "localhost":
	default:
		if name, err := os.Hostname(); err != nil || name != u.Host {
			return "", false
		}
	}
	return clip(path.Clean(u.Path)), true
}

// ScreenFile contains the last screen of a job that ended: one line of JSON (see lastScreen) and
// the escape sequences that draw it. Without it, for a lost job or one with a short log, the screen
// is reconstructed from the end of the log.
const ScreenFile = "screen"

const (
	// replayBytes is how much of the log is replayed then.
	replayBytes = 1 << 20
	// shortLog is the size up to which replaying a log, if the size of the screen never changed, is
	// as fast as reading the screen from its file.
	shortLog = 64 << 10
	// maxScreenFile is the largest screen file that is read.
	maxScreenFile = 16 << 20
)

type lastScreen struct {
	Size   record.Size `json:"size"`
	Offset int64       `json:"offset"` // of the stream
}

// saveScreen writes the last screen. It is optional: on a full disk the log is used instead.
func (h *Holder) saveScreen() {
	h.mu.Lock()
	whole := h.offset <= shortLog && !h.resized && h.state.Dropped == 0
	if h.term == nil || !h.state.Exit.Known() || whole {
		h.mu.Unlock()
		return
	}
	data := append(encodeJSON(lastScreen{Size: h.state.Size, Offset: h.offset}), '\n')
	data = append(data, h.snapshot()...)
	h.mu.Unlock()
	_ = atomicfile.Write(filepath.Join(h.cfg.Dir, ScreenFile), data) // without it the log is replayed
}

// hasScreen reports whether the job has a terminal: a virtual execution does if it was given a size.
func hasScreen(meta jobdir.Meta) bool {
	switch meta.Kind {
	case "pty":
		return true
	case "virtual":
		return meta.InitialSize != record.Size{}
	default:
		return false
	}
}

// LastScreen returns the last screen of a job without a holder.
func LastScreen(dir string) (record.Screen, error) {
	meta, err := jobdir.ReadMeta(dir)
	if err != nil {
		return record.Screen{}, err
	}
	if !hasScreen(meta) {
		return record.Screen{}, &Failure{Code: CodeUnsupported, Message: "the job has no screen"}
	}
	size := meta.InitialSize
	if st, err := jobdir.ReadState(dir); err == nil && st.Size.Cols > 0 {
		size = st.Size
	}
	again, err := replay(dir, -1, replayBytes, size)
	if err != nil {
		return record.Screen{}, err
	}
	t := again
	if _, size, data, err := SavedScreen(dir); err == nil {
		t = vt.New(size.Cols, size.Rows)
		t.Write(data)
	}
	s := ScreenOf(t)
	s.Main = again.MainANSI()
	return s, nil
}

// SavedScreen returns what ScreenFile has: the snapshot of the terminal when the log had the size
// offset.
func SavedScreen(dir string) (offset int64, size record.Size, snapshot []byte, err error) {
	f, err := plainfile.Open(filepath.Join(dir, ScreenFile))
	if err != nil {
		return 0, size, nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxScreenFile))
	if err != nil {
		return 0, size, nil, err
	}
	head, body, ok := bytes.Cut(data, []byte{'\n'})
	if !ok {
		return 0, size, nil, errors.New("the last screen is incomplete")
	}
	var s lastScreen
	if err := json.Unmarshal(head, &s); err != nil {
		return 0, size, nil, fmt.Errorf("read the last screen: %w", err)
	}
	return s.Offset, s.Size, body, nil
}

// replay returns a terminal that has processed the log up to the offset to (negative: all of it), but
// at most bytesBack bytes, beginning at the start of a line. It has scrollback. The emulator of a
// running job has none, because that would need more memory than everything else.
func replay(dir string, to, bytesBack int64, size record.Size) (*vt.Terminal, error) {
	f, err := jobdir.OpenLog(dir, jobdir.OutputFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	ctx := context.Background()
	end, err := f.Size(ctx)
	if err != nil {
		return nil, err
	}
	if to >= 0 {
		end = min(end, to)
	}
	from := max(0, end-bytesBack)
	if hole, err := f.Hole(ctx); err == nil && !hole.Empty() {
		from = min(max(from, hole.End), end)
	}
	buf, err := readPart(f, from, end)
	if err != nil {
		return nil, err
	}
	if from > 0 {
		_, buf, _ = bytes.Cut(buf, []byte{'\n'})
	}
	t := newTerminal(size, int(4*bytesBack))
	t.Write(buf)
	return t, nil
}

// readPart reads from one offset to another, or to the end.
func readPart(f *logfile.File, from, to int64) ([]byte, error) {
	buf := make([]byte, max(0, to-from))
	n, err := f.ReadAt(context.Background(), buf, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return buf[:n], nil
}

func newTerminal(size record.Size, history int) *vt.Terminal {
	return vt.New(size.Cols, size.Rows, vt.WithScrollback(history))
}

// history returns the sequences that draw the text above the screen, from so many bytes of the log, and
// scroll it there. h.mu is held, so the job's output waits: once for each client, and at most for some
// tens of milliseconds, because a client gets no more than maxHistory.
func (h *Holder) history(bytesBack int) []byte {
	t, err := replay(h.cfg.Dir, h.offset, int64(bytesBack), h.state.Size)
	if err != nil {
		return nil
	}
	var b []byte
	for cells, wrapped := range t.ScrollbackRows(0) {
		b = t.AppendANSI(b, cells)
		if !wrapped {
			b = append(b, "\r\n"...)
		}
	}
	if len(b) == 0 {
		return nil
	}
	_, rows := t.Size()
	return append(b, bytes.Repeat([]byte{'\n'}, rows-1)...)
}

// WithoutTerminal records, before Started, that the requested terminal could not be created.
func (h *Holder) WithoutTerminal() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.NoTerminal, h.state.Size = true, record.Size{}
}
