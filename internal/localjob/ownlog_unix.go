//go:build linux || darwin

package localjob

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/plainfile"
)

// growthPause is the minimum time between two checks of growing logs. It bounds the cost of a job
// that writes continuously.
const growthPause = 100 * time.Millisecond

// blindPause is the time between checks on systems that do not report writes.
const blindPause = time.Second

// ownLogs are the log files of a job that writes them itself. The holder only watches their size.
type ownLogs struct {
	files []*os.File // output.log, or stdout.log and stderr.log
	names []string
	limit int64

	mu    sync.Mutex // guards the fields below
	holes []logfile.Hole
	off   bool // the file system cannot free bytes
}

func openOwnLogs(dir string, split bool, limit int64) (*ownLogs, error) {
	names := []string{jobdir.OutputFile}
	if split {
		names = []string{jobdir.StdoutFile, jobdir.StderrFile}
	}
	l := &ownLogs{names: names, limit: max(limit, 0), holes: make([]logfile.Hole, len(names))}
	for _, name := range names {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			return nil, errors.Join(err, l.close())
		}
		l.files = append(l.files, f)
	}
	return l, nil
}

func (l *ownLogs) stdout() *os.File { return l.files[0] }
func (l *ownLogs) stderr() *os.File { return l.files[len(l.files)-1] }

// append adds output of the job's terminal.
func (l *ownLogs) append(p []byte) {
	_, _ = l.stderr().Write(p) // on a full disk it is lost, as the job's own output is
}

// appendLine adds a line of hob's own.
func (l *ownLogs) appendLine(line string) {
	f := l.stderr()
	if last, err := lastByte(f.Name()); err == nil && last != '\n' {
		line = "\n" + line
	}
	l.append([]byte(line + "\n"))
}

// lastByte returns the last byte of a file; of an empty one, a line feed.
func lastByte(path string) (byte, error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return '\n', err
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return last[0], err
}

func (l *ownLogs) close() error {
	var errs []error
	for _, f := range l.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

func (l *ownLogs) size() int64 {
	var n int64
	for _, f := range l.files {
		if info, err := f.Stat(); err == nil {
			n += info.Size()
		}
	}
	return n
}

// watch reports growth of the logs to the holder and enforces their limit until ctx ends. A quiet
// log costs nothing, a growing one is checked every growthPause.
func (l *ownLogs) watch(ctx context.Context, h *holder.Holder, p *prompter) {
	if l.limit > 0 && errors.Is(logfile.CheckPunch(l.files[0]), logfile.ErrNoHoles) {
		l.mu.Lock()
		l.off = true
		l.mu.Unlock()
		h.Dropped(record.Range{}, 0, true)
	}
	w, err := newGrowth(l.files)
	if err != nil {
		w = nil // checked periodically instead
	}
	defer w.close()
	over := false
	for last := int64(0); ; {
		armed := w.arm()
		size := l.size()
		if size == last && !over {
			grown := armed && w.wait(ctx)
			// If the watch fails, the periodic checks continue.
			if !grown && !sleep(ctx, blindPause) {
				return
			}
			continue
		}
		over = l.cap(h)
		if size != last {
			last = size
			h.Grew()
			p.active()
		}
		if !sleep(ctx, growthPause) {
			return
		}
	}
}

// cap frees bytes beyond the log limit, and reports whether readers prevent it from freeing more.
func (l *ownLogs) cap(h *holder.Holder) (over bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.limit == 0 || l.off {
		return false
	}
	changed := false
	var dropped int64
	for i, f := range l.files {
		hole, more, err := logfile.Punch(f, l.holes[i], l.limit, h.Held(l.names[i]))
		if err != nil {
			l.off, changed = true, true
		}
		if more {
			over = true
		}
		if hole != l.holes[i] {
			changed = true
		}
		l.holes[i] = hole
		dropped += hole.Len()
	}
	if changed {
		h.Dropped(record.Range{Start: l.holes[0].Start, End: l.holes[0].End}, dropped, l.off)
	}
	return over && !l.off
}
