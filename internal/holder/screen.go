package holder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/vt"
)

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

// LastScreen returns the last screen of a job without a holder.
func LastScreen(dir string) (record.Screen, error) {
	meta, err := jobdir.ReadMeta(dir)
	if err != nil {
		return record.Screen{}, err
	}
	if meta.Kind != "pty" && (meta.Kind != "virtual" || meta.InitialSize == (record.Size{})) {
		return record.Screen{}, &Failure{CodeUnsupported, "the job has no screen"}
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
	if hole, err := f.Hole(ctx); err == nil && !hole.Empty() && from < hole.End {
		from = min(hole.End, end)
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

// history is the text above a job's screen, rendered from its log while the job continues to print.
// Most of the log is processed without the holder's lock.
type history struct {
	dir    string
	t      *vt.Terminal
	size   record.Size
	offset int64  // t has processed the log up to here
	drawn  []byte // the rendered rows of t's scrollback
	rows   int    // number of rows in drawn
	pushed uint64 // ScrollbackPushed after them
}

const (
	// maxLockedReplay is how much output may be replayed while the holder is locked. maxRounds limits
	// the attempts to get that close to the end of the log.
	maxLockedReplay = 16 << 10
	maxRounds       = 8
)

// prepareHistory renders the history for a new client of the terminal. The pump calls it without the
// lock.
func (c *conn) prepareHistory() {
	h := c.h
	h.mu.Lock()
	v := c.view
	due := v != nil && v.fresh && v.desynced && v.history == nil && v.attach.Scrollback > 0 && h.offset > 0
	offset, size := h.offset, h.state.Size
	h.mu.Unlock()
	if !due {
		return
	}
	t, err := replay(h.cfg.Dir, offset, int64(v.attach.Scrollback), size)
	if err != nil {
		return
	}
	p := &history{dir: h.cfg.Dir, t: t, size: size, offset: offset}
	p.draw()
	for range maxRounds {
		h.mu.Lock()
		offset = h.offset
		h.mu.Unlock()
		if offset-p.offset <= maxLockedReplay || p.catchUp(offset) != nil {
			break
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	v.history = p
}

// catchUp replays the log up to offset.
func (p *history) catchUp(offset int64) error {
	if offset <= p.offset {
		return nil
	}
	f, err := jobdir.OpenLog(p.dir, jobdir.OutputFile)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := readPart(f, p.offset, offset)
	if err != nil {
		return err
	}
	p.t.Write(data)
	p.offset = offset
	p.draw()
	return nil
}

// draw renders new rows, or all of them again if rows were removed from the scrollback.
func (p *history) draw() {
	rows, pushed := p.t.ScrollbackLen(), p.t.ScrollbackPushed()
	from := p.rows
	if uint64(rows-p.rows) != pushed-p.pushed {
		from, p.drawn = 0, p.drawn[:0]
	}
	for cells, wrapped := range p.t.ScrollbackRows(from) {
		p.drawn = p.t.AppendANSI(p.drawn, cells)
		if !wrapped {
			p.drawn = append(p.drawn, "\r\n"...)
		}
	}
	p.rows, p.pushed = rows, pushed
}

// drawUpTo returns the sequences that draw all text that had left a screen of the given size when the
// log reached offset, and scroll it above the screen.
func (p *history) drawUpTo(offset int64, size record.Size) []byte {
	if p == nil {
		return nil
	}
	if size != p.size {
		p.t.Resize(size.Cols, size.Rows)
		p.size, p.rows, p.drawn = size, 0, p.drawn[:0]
		p.pushed = p.t.ScrollbackPushed() - uint64(p.t.ScrollbackLen())
		p.draw()
	}
	if p.catchUp(offset) != nil || p.rows == 0 {
		return nil
	}
	_, rows := p.t.Size()
	return append(p.drawn, bytes.Repeat([]byte{'\n'}, rows-1)...)
}
