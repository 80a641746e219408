//go:build linux || darwin

package local

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/proc"
)

// quietTime is how long a job must have printed nothing before it is looked at
// whether it waits for input.
const quietTime = 300 * time.Millisecond

// overTime is how long the next one that reads may wait at most to hear that the
// input of a terminal has ended for good.
const overTime = 5 * time.Second

// prompter finds out whether the job waits for input, and whether what is typed is
// to be seen: once after the start, after each write, and after output has stopped.
// In between it does nothing, unless the input has ended and those who read have to
// be told (see [input.endAgain]).
type prompter struct {
	j     *job
	last  atomic.Int64 // when there was output or input, in ns of time.Since(epoch)
	epoch time.Time

	mu      sync.Mutex
	timer   *time.Timer // nil: nothing to look at
	stopped bool
}

func newPrompter(j *job) *prompter { return &prompter{j: j, epoch: time.Now()} }

func (p *prompter) start() { p.active() }
func (p *prompter) typed() { p.active() }

// active notes that something happened. It is called for each piece of output, so
// it leaves a timer that runs already alone.
func (p *prompter) active() {
	if p.last.Swap(int64(time.Since(p.epoch))+1) != 0 {
		return
	}
	p.arm(quietTime)
}

func (p *prompter) arm(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stopped && p.j.in != nil {
		p.timer = time.AfterFunc(d, p.look)
	}
}

// look checks, or waits on if there was something less than quietTime ago.
func (p *prompter) look() {
	last := p.last.Load()
	quiet := time.Since(p.epoch) - time.Duration(last-1)
	busy := quiet < quietTime
	if st := p.j.h.State(); busy && !st.Waiting && st.Entry != engine.EntryHidden {
		p.arm(quietTime - quiet)
		return
	}
	p.j.h.Waiting(p.waits())
	switch {
	case p.j.in.over(): // whoever reads next is to be told, too
		p.arm(min(max(quiet, quietTime), overTime))
	case busy || !p.last.CompareAndSwap(last, 0):
		p.arm(quietTime)
	}
}

func (p *prompter) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	if p.timer != nil {
		p.timer.Stop()
	}
}

// waits looks at the job's processes and its terminal.
func (p *prompter) waits() (waits bool, entry engine.Entry) {
	j := p.j
	mode, known := j.mode()
	entry = entryOf(mode, known)
	src, ok := j.source()
	if !ok {
		return false, entry
	}
	procs := family(j.pid)
	input := proc.WaitsForInput(procs, src)
	if input >= proc.InputPolled && j.in.endAgain(j.ctx) {
		return false, entry
	}
	if input >= proc.InputPolled && questioned(procs, src) {
		return true, entry
	}
	secret := entry == engine.EntryHidden
	switch input {
	case proc.InputRead:
		// Some editors and pagers read the next key where others poll for it. They
		// are there to be used, and ask for nothing.
		return mode.Canonical || !known || !j.h.State().Alternate, entry
	case proc.InputPolled:
		// Editors, pagers and servers with shortcuts watch their input too. What
		// asks for something has left the cursor behind its question, or has
		// turned the echo off to hear a secret.
		return secret || known && j.h.AtPrompt(), entry
	case proc.InputUnseen:
		return secret, entry
	case proc.InputNone:
	}
	return false, entry
}

// questioners are programs that are run to ask a person one thing, on a screen of
// their own. Those of their boxes that only show something read no keys.
var questioners = []string{"whiptail", "dialog", "pinentry-curses"}

// questioned reports whether one of procs that have the terminal is a questioner.
func questioned(procs []proc.Process, src proc.Source) bool {
	return slices.ContainsFunc(procs, func(p proc.Process) bool {
		return src.TTY != 0 && p.TTY == src.TTY && p.PGID == p.Foreground && slices.Contains(questioners, p.Comm)
	})
}

// mode is what the job's terminal does with input; known is false without one, and
// for one that is input alone, whose echo is always off.
func (j *job) mode() (m proc.Mode, known bool) {
	if j.tty == nil || j.logs != nil {
		return m, false
	}
	err := j.tty.control(func(fd int) (err error) {
		m, err = proc.TTYMode(fd)
		return err
	})
	return m, err == nil
}

// entryOf is what is to be seen of what is typed into a terminal of that mode.
func entryOf(m proc.Mode, known bool) engine.Entry {
	switch {
	case !known, !m.Canonical:
		return engine.EntryUnknown
	case m.Echo:
		return engine.EntryOpen
	}
	return engine.EntryHidden
}

// source is what the job would wait for.
func (j *job) source() (src proc.Source, ok bool) {
	if j.in == nil {
		return src, false
	}
	if j.tty == nil {
		src, err := proc.SourceOf(j.pid, 0)
		return src, err == nil
	}
	err := j.tty.control(func(fd int) (err error) {
		src, err = proc.TTYSource(fd)
		return err
	})
	return src, err == nil
}

// maxFamily bounds the look at a job that has very many processes.
const maxFamily = 256

// family are the leader and its descendants as far as the system tells them: enough
// to find who reads, for less than a look at every process of the machine.
func family(leader int) []proc.Process {
	var s proc.Scanner
	defer s.Close()
	procs, _ := s.Descend(leader, maxFamily)
	return procs
}
