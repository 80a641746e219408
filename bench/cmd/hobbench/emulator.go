//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/internal/vt"
	"github.com/hobjobs/hob/internal/vt/sample"
)

const (
	emulatorCols, emulatorRows = 80, 24
	emulatorScrollback         = 4 << 20
)

// printer prints a file again and again into its terminal, asks for the status
// and reports the answer: everything before it was interpreted then. It starts
// when it reads a line from one pipe, and reports to another.
const printer = `stty raw -echo; read -r go <"$1"; n=$3; while [ $n -gt 0 ]; do cat "$2"; n=$((n-1)); done; printf '\033[5n'; head -c 4 >"$4"`

// emulators measures how fast a screen is kept: by the emulator from memory, by
// it behind a terminal, by tmux, and how fast a terminal can be emptied at all.
func emulators(l *lab) {
	times := l.count(16, 6)
	for _, kind := range sample.Kinds() {
		stream := sample.Stream(kind, emulatorCols, emulatorRows)
		file := l.path(kind)
		check(os.WriteFile(file, stream, 0o600))
		ways := []way{
			{"terminal into nothing", func() taken { return l.behindTerminal(file, times, func(p []byte) {}) }},
			{"", func() taken { return fromMemory(stream, times) }},
			{"the same behind a terminal", func() taken {
				t := vt.New(emulatorCols, emulatorRows, vt.WithScrollback(emulatorScrollback))
				return l.behindTerminal(file, times, func(p []byte) { t.Write(p) })
			}},
			{"tmux", func() taken { return l.inTmux(file, times) }},
		}
		if !installed("tmux") {
			ways = ways[:3]
		}
		speeds, processor := make([][]float64, len(ways)), make([][]float64, len(ways))
		for range l.count(5, 3) {
			for i, w := range ways {
				d := w.once()
				l.release()
				megabytes := float64(len(stream)*times) / 1e6
				speeds[i] = append(speeds[i], megabytes/d.clock.Seconds())
				if d.processor > 0 {
					processor[i] = append(processor[i], megabytes/d.processor.Seconds())
				}
			}
		}
		r := newRow(fmt.Sprintf("emulator: %s at %dx%d", kind, emulatorCols, emulatorRows), "%.0f MB/s", emulatorAims[kind])
		for i, w := range ways {
			note := ""
			if len(processor[i]) > 0 {
				note = fmt.Sprintf("(by processor time %.0f)", quantile(processor[i], 50))
			}
			r.addMedian(w.name, speeds[i], note)
		}
		l.print(r)
	}
}

// way is one way to interpret a stream.
type way struct {
	name string
	once func() taken
}

// emulatorAims are from memory, beside tmux in the same run.
var emulatorAims = map[string]string{
	"ascii": "5x tmux", "sgr": "7x tmux", "unicode": "5x tmux", "redraw": "12x tmux",
}

// taken is what one way took: time on the clock, and of the processor where one
// process does all of it.
type taken struct{ clock, processor time.Duration }

// fromMemory feeds the emulator in pieces as a terminal gives them.
func fromMemory(stream []byte, times int) taken {
	t := vt.New(emulatorCols, emulatorRows, vt.WithScrollback(emulatorScrollback))
	used := func() time.Duration {
		var r unix.Rusage
		check(unix.Getrusage(unix.RUSAGE_SELF, &r))
		return time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	before, begin := used(), time.Now()
	for range times {
		for p := range slices.Chunk(stream, 4096) {
			t.Write(p)
		}
	}
	return taken{time.Since(begin), used() - before}
}

// pipes are opened by a printer to wait for its start and to report its end.
type pipes struct{ begin, done *os.File }

// printing is the command of a printer, and its pipes.
func (l *lab) printing(file string, times int) ([]string, pipes) {
	open := func(path string) *os.File {
		check(unix.Mkfifo(path, 0o600))
		f := must(os.OpenFile(path, os.O_RDWR, 0)) // for both: it does not wait for the printer
		l.Cleanup(func() { _ = f.Close() })
		return f
	}
	p := pipes{open(l.fresh("begin")), open(l.fresh("done"))}
	return []string{"sh", "-c", printer, "sh", p.begin.Name(), file, strconv.Itoa(times), p.done.Name()}, p
}

// clock lets the printer start and returns the time until it has ended.
func (p pipes) clock(l *lab) time.Duration {
	stop := context.AfterFunc(l.ctx, func() { _ = p.done.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	from := time.Now()
	must(p.begin.WriteString("go\n"))
	answer := make([]byte, 4)
	must(io.ReadFull(p.done, answer))
	d := time.Since(from)
	if string(answer) != "\x1b[0n" {
		check(fmt.Errorf("the terminal answered %q", answer))
	}
	return d
}

// behindTerminal runs the printer in a terminal whose output goes to feed.
func (l *lab) behindTerminal(file string, times int, feed func([]byte)) taken {
	words, p := l.printing(file, times)
	cmd := exec.CommandContext(l.ctx, words[0], words[1:]...)
	f := must(pty.StartWithSize(cmd, &pty.Winsize{Cols: emulatorCols, Rows: emulatorRows}))
	read := make(chan struct{})
	go func() { // ends when the terminal is closed
		defer close(read)
		buf := make([]byte, 64<<10)
		for {
			n, err := f.Read(buf)
			feed(buf[:n])
			if bytes.HasSuffix(buf[:n], []byte("\x1b[5n")) {
				_, _ = f.WriteString("\x1b[0n")
			}
			if err != nil {
				return
			}
		}
	}()
	defer func() {
		_ = cmd.Wait() // its end is known by the clock
		f.Close()
		<-read
	}()
	return taken{clock: p.clock(l)}
}

// inTmux runs the printer in a pane of a server of its own, to which no client is
// attached.
func (l *lab) inTmux(file string, times int) taken {
	t := l.tmux()
	words, p := l.printing(file, times)
	size := []string{"-x", strconv.Itoa(emulatorCols), "-y", strconv.Itoa(emulatorRows + 1)}
	output(t.command(slices.Concat([]string{"new-session", "-d"}, size, words)...))
	d := p.clock(l)
	return taken{d, cpuTime(must(t.serverPID()))}
}
