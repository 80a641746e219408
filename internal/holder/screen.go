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

// ScreenFile is the last screen of a job that ended: one line of JSON (see
// lastScreen) and the escape sequences that draw it. Without one, of a lost job or
// of one with a short log, the screen is made again of the end of the log.
const ScreenFile = "screen"

const (
	// replayBytes is how much of the log is replayed for that.
	replayBytes = 1 << 20
	// shortLog is how many bytes of output make the same screen again as fast as
	// its file would, if the size never changed.
	shortLog = 64 << 10
	// maxScreenFile bounds what is read of a file that something broke.
	maxScreenFile = 16 << 20
)

type lastScreen struct {
	Size   record.Size `json:"size"`
	Offset int64       `json:"offset"` // of the stream
}

// saveScreen writes the last screen. It is a comfort: on a full disk the log has
// to do.
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

// LastScreen is the last screen of a job without a holder.
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
	t, err := screenFromFile(dir)
	if err != nil {
		t = again
	}
	s := screenOf(t)
	s.Main = again.MainANSI()
	return s, nil
}

func screenFromFile(dir string) (*vt.Terminal, error) {
	f, err := plainfile.Open(filepath.Join(dir, ScreenFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxScreenFile))
	if err != nil {
		return nil, err
	}
	head, body, ok := bytes.Cut(data, []byte{'\n'})
	if !ok {
		return nil, errors.New("the last screen is not whole")
	}
	var s lastScreen
	if err := json.Unmarshal(head, &s); err != nil {
		return nil, fmt.Errorf("read the last screen: %w", err)
	}
	t := vt.New(s.Size.Cols, s.Size.Rows)
	t.Write(body)
	return t, nil
}

// replay is a terminal that was shown the log up to an offset (negative: all of
// it), at most so many bytes, from the beginning of a line on. It has a history,
// which the emulator of a running job does without: keeping it would cost more
// than all the rest, and the log has it.
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

// past is what has left a job's screen, made of its log while the job goes on
// printing: most of it without the holder's lock, the rest under it.
type past struct {
	dir    string
	t      *vt.Terminal
	size   record.Size
	offset int64  // t has seen the log up to there
	drawn  []byte // of the rows in t's scrollback
	rows   int    // that many
	pushed uint64 // ScrollbackPushed after them
}

const (
	// nearly is how much output may be left to be replayed under the lock, and
	// maxRounds how often it is tried to come that near to a job that prints on.
	nearly    = 16 << 10
	maxRounds = 8
)

// remember begins what a new client of the terminal is shown of the past. The pump
// calls it without the lock.
func (c *conn) remember() {
	h := c.h
	h.mu.Lock()
	v := c.view
	due := v != nil && v.fresh && v.desynced && v.past == nil && v.attach.Scrollback > 0 && h.offset > 0
	offset, size := h.offset, h.state.Size
	h.mu.Unlock()
	if !due {
		return
	}
	t, err := replay(h.cfg.Dir, offset, int64(v.attach.Scrollback), size)
	if err != nil {
		return
	}
	p := &past{dir: h.cfg.Dir, t: t, size: size, offset: offset}
	p.draw()
	for range maxRounds {
		h.mu.Lock()
		offset = h.offset
		h.mu.Unlock()
		if offset-p.offset <= nearly || p.catchUp(offset) != nil {
			break
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	v.past = p
}

// catchUp replays the log on to offset.
func (p *past) catchUp(offset int64) error {
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

// draw adds what draws the rows that came, or all again if others have gone.
func (p *past) draw() {
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

// upTo is what draws all that has left a screen of that size when the log reached
// offset, and leaves it above the screen.
func (p *past) upTo(offset int64, size record.Size) []byte {
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
