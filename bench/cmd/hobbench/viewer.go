//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"

	"github.com/hobjobs/hob/internal/vt"
)

// viewer is a program on a terminal of ours, as a person would see it: an
// emulator reads what it draws and answers what it asks.
type viewer struct {
	l    *lab
	cmd  *exec.Cmd
	ptmx *os.File
	wg   sync.WaitGroup

	mu      sync.Mutex // guards what follows
	screen  *vt.Terminal
	bytes   int64
	changed chan struct{} // closed and replaced when output came
}

const (
	viewCols, viewRows = 120, 40
	// viewLimit is how long a program may take to draw what it is asked for.
	viewLimit = time.Minute
)

// view starts a program on a terminal.
func (l *lab) view(cmd *exec.Cmd) *viewer {
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "TMUX=")
	ptmx := must(pty.StartWithSize(cmd, &pty.Winsize{Cols: viewCols, Rows: viewRows}))
	v := &viewer{l: l, cmd: cmd, ptmx: ptmx, changed: make(chan struct{})}
	v.screen = vt.New(viewCols, viewRows, vt.WithReply(func(p []byte) { _, _ = ptmx.Write(p) }))
	v.wg.Go(v.read)
	return v
}

// read ends when the program does, or with close.
func (v *viewer) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := v.ptmx.Read(buf)
		if err != nil {
			return
		}
		v.mu.Lock()
		_, _ = v.screen.Write(buf[:n]) // never fails
		v.bytes += int64(n)
		close(v.changed)
		v.changed = make(chan struct{})
		v.mu.Unlock()
	}
}

// see waits until text is on the screen.
func (v *viewer) see(text string) {
	if !v.shows(viewLimit, text, "") {
		v.mu.Lock()
		defer v.mu.Unlock()
		check(fmt.Errorf("%q is not on the screen:\n%s", text, v.screen.Text()))
	}
}

// shows waits until text is on the screen and old, unless it is empty, is not, and
// reports whether that was within limit.
func (v *viewer) shows(limit time.Duration, text, old string) bool {
	late := time.After(limit)
	for {
		v.mu.Lock()
		shown, changed := v.screen.Text(), v.changed
		v.mu.Unlock()
		if strings.Contains(shown, text) && (old == "" || !strings.Contains(shown, old)) {
			return true
		}
		select {
		case <-changed:
		case <-late:
			return false
		case <-v.l.ctx.Done():
			check(v.l.ctx.Err())
		}
	}
}

// press types text.
func (v *viewer) press(text string) { must(v.ptmx.WriteString(text)) }

// drawn is how many bytes the program has written to the terminal.
func (v *viewer) drawn() int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.bytes
}

func (v *viewer) pid() int { return v.cmd.Process.Pid }

// close asks the program to end and waits for it.
func (v *viewer) close() {
	_ = v.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	late := time.AfterFunc(5*time.Second, func() { _ = v.cmd.Process.Kill() })
	defer late.Stop()
	_ = v.cmd.Wait() // by a signal, or not: it is over
	_ = v.ptmx.Close()
	v.wg.Wait()
}

// idleViews is M4: the UI is open on idle jobs.
func idleViews(l *lab) {
	h := l.hob()
	const jobs = 100
	for range jobs {
		h.waitStarted(h.launch("sleep", "3600"))
	}
	what := fmt.Sprintf("M4 the UI open on %d idle jobs: processor time in a minute", jobs)
	cpu := newRow(what, "%.2f s", "0.6 s")
	output := newRow("M4 the same: to the terminal in a second", "%.2f kB", "1 kB")
	views := map[string]*viewer{"floorui": l.view(exec.Command(l.bin("floorui"))), "hob": l.view(h.command())}
	for _, v := range views {
		defer v.close()
	}
	views["floorui"].see("nothing happens here")
	views["hob"].see(fmt.Sprintf("%d running", jobs))
	l.rest(3 * time.Second) // what does not change afterwards is drawn
	span := time.Duration(l.count(60, 10)) * time.Second
	used, drawn := map[string]time.Duration{}, map[string]int64{}
	for name, v := range views {
		used[name], drawn[name] = cpuTime(v.pid()), v.drawn()
	}
	l.rest(span) // at the same time: neither has anything to do
	for _, name := range []string{"floorui", "hob"} {
		v := views[name]
		cpu.add(name, (cpuTime(v.pid())-used[name]).Seconds()*time.Minute.Seconds()/span.Seconds(), "")
		output.add(name, float64(v.drawn()-drawn[name])/span.Seconds()/1000, "")
	}
	l.print(cpu, output)
}

// floodedViews is M8: what goes to the terminal while the job that is shown
// floods.
func floodedViews(l *lab) {
	inPanes := newRow("M8 to the terminal in a second, the log of a flooding job shown", "%.0f kB", "30 kB").addNone("", "")
	inFull := newRow("M8 the same, in the full window", "%.0f kB", "30 kB").addNone("", "")
	h := l.hob()
	h.flood(l)
	inPanes.add("hob", l.kilobytesShown(h.command()), "")
	inFull.add("hob", l.kilobytesShown(h.command("attach", "flood")), "")
	l.release()
	if t := l.tmux(); t != nil {
		output(t.session("flood", endless(l)...))
		inFull.add("tmux", l.kilobytesShown(t.command("attach", "-t", "flood")), "")
	}
	l.print(inPanes, inFull)
}

// kilobytesShown is how much a view of a flooding job writes to its terminal in a
// second.
func (l *lab) kilobytesShown(cmd *exec.Cmd) float64 {
	v := l.view(cmd)
	defer v.close()
	v.see(floodText)
	l.rest(time.Second)
	before, begin := v.drawn(), time.Now()
	l.rest(time.Duration(l.count(10, 4)) * time.Second)
	return float64(v.drawn()-before) / time.Since(begin).Seconds() / 1000
}

// theEnd is what the job's screen ends with.
const theEnd = "all was written"

// attaches is about attaching to a job that has written a large log through its
// terminal and still runs: how long until its screen is drawn, in the full window
// and with --raw. The floor is a hob that only prints its version.
func attaches(l *lab) {
	mib := l.count(1024, 64)
	h := l.hob()
	script := fmt.Sprintf("%s %d; echo %s; exec sleep 600", l.bin("lines"), mib<<20, theEnd)
	output(h.command("run", "-b", "-n", "large", "--log-limit", "2GiB", "-c", script))
	output(h.command("wait", "--for", theEnd, "large"))
	r := newRow(fmt.Sprintf("attach to a job with a log of %d MiB, until its screen is drawn", mib), "%.1f ms", "50 ms")
	for _, way := range []struct {
		who  string
		args []string
		sign string
	}{
		{"hob --version", []string{"--version"}, "hob"},
		{"hob", []string{"attach", "large"}, theEnd},
		{"hob --raw", []string{"attach", "--raw", "large"}, theEnd},
	} {
		var times []float64
		for range l.count(20, 5) {
			begin := time.Now()
			v := l.view(h.command(way.args...))
			v.see(way.sign)
			times = append(times, since(begin))
			v.close()
		}
		r.addMedian(way.who, times, "")
	}
	l.print(r)
}
