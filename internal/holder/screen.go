package holder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/vt"
)

// ScreenFile is the last screen of a job that ended: one line of JSON (see
// lastScreen) and the escape sequences that draw it. Without one, of a lost job,
// the screen is made again of the end of the log.
const ScreenFile = "screen"

const (
	// replayBytes is how much of the log is replayed for that.
	replayBytes = 1 << 20
	// maxScreenFile bounds what is read of a file that something broke.
	maxScreenFile = 16 << 20
)

type lastScreen struct {
	Size   jobdir.Size `json:"size"`
	Offset int64       `json:"offset"` // of the stream
}

// saveScreen writes the last screen. It is a comfort: on a full disk the log has
// to do.
func (h *Holder) saveScreen() {
	h.mu.Lock()
	if h.term == nil || h.state.End == nil || h.offset == 0 {
		h.mu.Unlock()
		return
	}
	data := append(encodeJSON(lastScreen{Size: h.state.Size, Offset: h.offset}), '\n')
	data = append(data, h.snapshot(scrollback)...)
	h.mu.Unlock()
	_ = atomicfile.Write(filepath.Join(h.cfg.Dir, ScreenFile), data)
}

// LastScreen is the last screen of a job without a holder.
func LastScreen(dir string) (Screen, error) {
	meta, err := jobdir.ReadMeta(dir)
	if err != nil {
		return Screen{}, err
	}
	if meta.Kind != "pty" {
		return Screen{}, &Failure{CodeUnsupported, "the job has no screen"}
	}
	t, err := screenFromFile(dir)
	if err != nil {
		t, err = screenFromLog(dir, meta)
	}
	if err != nil {
		return Screen{}, err
	}
	return screenOf(t, true), nil
}

func screenFromFile(dir string) (*vt.Terminal, error) {
	f, err := os.Open(filepath.Join(dir, ScreenFile))
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
	t := vt.New(s.Size.Cols, s.Size.Rows, vt.WithScrollback(4*scrollback))
	t.Write(body)
	return t, nil
}

func screenFromLog(dir string, meta jobdir.Meta) (*vt.Terminal, error) {
	size := meta.Size
	if st, err := jobdir.ReadState(dir); err == nil && st.Size.Cols > 0 {
		size = st.Size
	}
	f, err := os.Open(filepath.Join(dir, jobdir.OutputFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, info.Size()-replayBytes)
	t := vt.New(size.Cols, size.Rows, vt.WithScrollback(4*scrollback))
	_, err = io.Copy(t, io.NewSectionReader(f, from, info.Size()-from))
	return t, err
}
