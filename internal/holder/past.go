package holder

import (
	"bytes"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/vt"
)

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
