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
