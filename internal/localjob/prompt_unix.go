//go:build linux || darwin

package localjob

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/notifyevent"
	"github.com/hobjobs/hob/internal/proc"
)

// quietTime is how long a job must have printed nothing before it is checked whether it waits for
// input.
const quietTime = 300 * time.Millisecond

const (
	// restTime is when a holder releases the memory that its start needed: most of its code is
	// never needed again. It is later than the flush of recent output.
	restTime = 1500 * time.Millisecond
	// A holder also releases memory in a check after a pause of restAgain, and in the first one after
	// muchOutput bytes.
	restAgain  = time.Second
	muchOutput = 1 << 20
)

// maxOverPause is the maximum time until the next reader of a terminal whose input has ended
// permanently gets the end of file.
const maxOverPause = 5 * time.Second

// prompter detects whether the job waits for input, and whether typed input is displayed. It checks
// after the start, after each write, and when output has stopped. A job can begin to read long after
// its last output, so a quiet job is checked again after pauses that triple: 0.9 s, 2.7 s and so on.
// Such a reader is noticed within about three times the time that the job was quiet. A check costs a
// millisecond and some memory, and a job that is idle for a day is checked about 12 times.
type prompter struct {
	j     *job
	last  atomic.Int64 // time of the last output or input, in ns of time.Since(epoch); 0 once a check found the job quiet
	epoch time.Time

	printed atomic.Int64 // bytes of output since memory was released

	looking sync.Mutex   // held during a check: an older result must not replace a newer one
	scan    proc.Scanner // reuses the memory of earlier checks; guarded by looking
	handled bool         // the user needs no (further) notification of the input that the job waits for; guarded by looking
	entry   record.Entry // of the input that the user was last notified of; guarded by looking

	mu      sync.Mutex
	timer   *time.Timer // of the next check
	stopped bool
}

func newPrompter(j *job) *prompter { return &prompter{j: j, epoch: time.Now()} }

// active records activity. It is called for each piece of output, so it does not touch the timer
// unless the job was quiet.
func (p *prompter) active() {
	if p.last.Swap(int64(time.Since(p.epoch))+1) != 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armLocked(quietTime)
}

func (p *prompter) armLocked(d time.Duration) {
	if p.timer != nil {
		p.timer.Stop()
	}
	if !p.stopped && p.j.in != nil {
		p.timer = time.AfterFunc(d, func() { p.look(d) })
	}
}

// look checks the job, or waits further if there was activity within quietTime. paused is the time
// since the check before.
func (p *prompter) look(paused time.Duration) {
	p.looking.Lock()
	defer p.looking.Unlock()
	last := p.last.Load()
	quiet := time.Since(p.epoch) - time.Duration(last-1)
	busy := last != 0 && quiet < quietTime
	if st := p.j.h.State(); busy && !st.Waiting && st.Entry != record.EntryHidden {
		p.again(quietTime - quiet)
		return
	}
	p.j.h.EndGroups(groupEnded)
	reads, entry := p.waits()
	waits := p.j.h.Waiting(reads, entry)
	p.notify(waits, entry)
	if busy || !p.last.CompareAndSwap(last, 0) {
		p.again(quietTime)
		return
	}
	pause := max(3*paused, quietTime)
	if p.j.in.isOver() { // the next reader must be notified too
		pause = min(pause, maxOverPause)
	}
	if p.j.own && (paused >= restAgain || p.printed.Load() >= muchOutput) {
		p.printed.Store(0)
		releasePages() // this check needed some of what the holder had released
	}
	p.again(pause)
}

// notify notifies the user, once, of a job that waits for input while no client shows it. A password
// after a question is another wait.
func (p *prompter) notify(waits bool, entry record.Entry) {
	if entry != p.entry || !waits {
		p.handled = false
	}
	if p.handled || !waits {
		return
	}
	if !p.j.mustNotify(notifyevent.NeedsInput) {
		return
	}
	p.j.report(notifyevent.NeedsInput)
	p.handled, p.entry = true, entry
}

// again schedules the next check, unless activity has scheduled an earlier one.
func (p *prompter) again(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d <= quietTime || p.last.Load() == 0 {
		p.armLocked(d)
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

// waits checks the job's processes and its terminal.
func (p *prompter) waits() (waits bool, entry record.Entry) {
	j := p.j
	mode, known := j.mode()
	entry = entryOf(mode, known)
	src, ok := p.source()
	if !ok {
		return false, entry
	}
	leader := j.leader()
	if leader == 0 {
		return false, entry
	}
	// The descendants as far as the system lists them: enough to find the reader, and cheaper than
	// scanning every process of the machine.
	procs, _ := p.scan.Descendants(leader, maxFamily)
	input := p.scan.WaitsForInput(procs, src)
	if input >= proc.InputPolled {
		if j.in.endAgain(j.ctx) {
			return false, entry
		}
		if runsDialog(procs, src) {
			return true, entry
		}
	}
	secret := entry == record.EntryHidden
	switch input {
	case proc.InputRead:
		// Some editors and pagers block in a read for the next key where others poll. They are in
		// use and not asking for anything.
		return mode.canonical || !known || !j.h.State().Alternate, entry
	case proc.InputPolled:
		// Editors, pagers and servers with shortcuts read their input too. A program that asks for
		// input has left the cursor after its prompt, or has turned off the echo to read a secret.
		return secret || known && j.h.AtPrompt(), entry
	case proc.InputUnseen:
		return secret, entry
	case proc.InputNone:
	}
	return false, entry
}

// dialogPrograms are programs that ask the user one question on a screen of their own. Their boxes
// that only display something do not read keys.
var dialogPrograms = []string{"whiptail", "dialog", "pinentry-curses"}

// runsDialog reports whether one of procs that have the terminal is a dialog program.
func runsDialog(procs []proc.Process, src proc.Source) bool {
	if src.TTY == 0 {
		return false
	}
	return slices.ContainsFunc(procs, func(p proc.Process) bool {
		foreground := p.TTY == src.TTY && p.PGID == p.Foreground
		return foreground && slices.Contains(dialogPrograms, p.Comm)
	})
}

// mode returns the input mode of the job's terminal; known is false without a terminal, and if hob
// turned its echo off.
func (j *job) mode() (m inputMode, known bool) {
	if j.tty == nil || j.logs != nil && !j.in.echo.known() {
		return m, false
	}
	m, err := j.tty.mode()
	return m, err == nil
}

// entryOf returns whether input typed into a terminal of that mode is displayed.
func entryOf(m inputMode, known bool) record.Entry {
	switch {
	case !known, !m.canonical:
		return record.EntryUnknown
	case m.echo:
		return record.EntryOpen
	}
	return record.EntryHidden
}

// source returns what the job reads its input from.
func (p *prompter) source() (src proc.Source, ok bool) {
	j := p.j
	if j.in == nil {
		return src, false
	}
	if j.tty == nil {
		src, err := p.scan.SourceOf(j.leader(), 0)
		return src, err == nil
	}
	err := j.tty.control(func(fd int) (err error) {
		src, err = proc.TTYSource(fd)
		return err
	})
	return src, err == nil
}

// maxFamily bounds the search for the reader in a job with very many processes.
const maxFamily = 256
