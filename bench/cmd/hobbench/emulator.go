//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
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
// and says when the answer is there: all before it was interpreted then. It
// begins when it is told to, and each is done by opening a pipe.
const printer = `stty raw -echo; read -r go <"$1"; n=$3; while [ $n -gt 0 ]; do cat "$2"; n=$((n-1)); done; printf '\033[5n'; head -c 4 >"$4"`

// emulators measures how fast a screen is kept: by the emulator from memory, by
// it behind a terminal, by tmux, and how fast a terminal can be emptied at all.
func emulators(ctx context.Context, l *lab) ([]row, error) {
	times := l.count(16, 6)
	runs := l.count(5, 3)
	var rows []row
	for _, kind := range sample.Kinds() {
		stream := sample.Stream(kind, emulatorCols, emulatorRows)
		file := l.path(kind)
		if err := os.WriteFile(file, stream, 0o600); err != nil {
			return rows, err
		}
		ways := []way{
			{name: "terminal into nothing", once: func() (taken, error) {
				return l.behindTerminal(ctx, file, times, func(p []byte) {})
			}},
			{name: "", once: func() (taken, error) { return fromMemory(stream, times) }},
			{name: "the same behind a terminal", once: func() (taken, error) {
				t := vt.New(emulatorCols, emulatorRows, vt.WithScrollback(emulatorScrollback))
				return l.behindTerminal(ctx, file, times, func(p []byte) { t.Write(p) })
			}},
			{name: "tmux", once: func() (taken, error) { return l.inTmux(ctx, file, times) }},
		}
		if _, err := exec.LookPath("tmux"); err != nil {
			ways = ways[:3]
		}
		for range runs {
			for i := range ways {
				d, err := ways[i].once()
				if err != nil {
					return rows, fmt.Errorf("%s: %s: %w", kind, ways[i].name, err)
				}
				megabytes := float64(len(stream)*times) / 1e6
				ways[i].speeds = append(ways[i].speeds, megabytes/d.clock.Seconds())
				if d.processor > 0 {
					ways[i].processor = append(ways[i].processor, megabytes/d.processor.Seconds())
				}
			}
		}
		rows = append(rows, emulatorRow(kind, ways))
	}
	return rows, nil
}

// way is one way to interpret a stream.
type way struct {
	name      string
	once      func() (taken, error)
	speeds    []float64 // MB/s
	processor []float64 // the same by processor time
}

func emulatorRow(kind string, ways []way) row {
	r := row{
		what: fmt.Sprintf("emulator: %s at %dx%d", kind, emulatorCols, emulatorRows), format: "%.0f MB/s",
		aim: emulatorAims[kind],
	}
	for _, w := range ways {
		v := value{who: w.name, n: median(w.speeds)}
		if len(w.processor) > 0 {
			v.note = fmt.Sprintf("(by processor time %.0f)", median(w.processor))
		}
		r.values = append(r.values, v)
	}
	return r
}

// emulatorAims are from memory, beside tmux in the same run.
var emulatorAims = map[string]string{
	"ascii": "5x tmux", "sgr": "7x tmux", "unicode": "5x tmux", "redraw": "12x tmux",
}

// taken is what one way took: time on the clock, and of the processor where one
// process does all of it.
type taken struct{ clock, processor time.Duration }

// fromMemory feeds the emulator in pieces as a terminal gives them.
func fromMemory(stream []byte, times int) (taken, error) {
	t := vt.New(emulatorCols, emulatorRows, vt.WithScrollback(emulatorScrollback))
	var before, after unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &before); err != nil {
		return taken{}, err
	}
	begin := time.Now()
	for range times {
		for p := stream; len(p) > 0; {
			n := min(4096, len(p))
			t.Write(p[:n])
			p = p[n:]
		}
	}
	clock := time.Since(begin)
	err := unix.Getrusage(unix.RUSAGE_SELF, &after)
	used := func(r unix.Rusage) time.Duration { return time.Duration(r.Utime.Nano() + r.Stime.Nano()) }
	return taken{clock, used(after) - used(before)}, err
}

// pipes are those that a printer is told by and tells by.
type pipes struct{ dir, begin, done string }

func (l *lab) pipes() (pipes, error) {
	dir, err := l.room("e")
	if err != nil {
		return pipes{}, err
	}
	p := pipes{dir, filepath.Join(dir, "begin"), filepath.Join(dir, "done")}
	for _, path := range []string{p.begin, p.done} {
		if err := unix.Mkfifo(path, 0o600); err != nil {
			return pipes{}, err
		}
	}
	return p, nil
}

func (p pipes) command(file string, times int) []string {
	return []string{"sh", "-c", printer, "sh", p.begin, file, strconv.Itoa(times), p.done}
}

// clock tells the printer to begin and takes the time until it is done.
func (p pipes) clock(ctx context.Context) (time.Duration, error) {
	// Opened for both, neither waits for the printer, which may be gone.
	begin, err := os.OpenFile(p.begin, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer begin.Close()
	done, err := os.OpenFile(p.done, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer done.Close()
	stop := context.AfterFunc(ctx, func() { _ = done.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	from := time.Now()
	if _, err := begin.WriteString("go\n"); err != nil {
		return 0, err
	}
	answer := make([]byte, 4)
	if _, err := io.ReadFull(done, answer); err != nil {
		return 0, errors.Join(ctx.Err(), err)
	}
	d := time.Since(from)
	if string(answer) != "\x1b[0n" {
		return 0, fmt.Errorf("the terminal answered %q", answer)
	}
	return d, nil
}

// behindTerminal runs the printer in a terminal that feed is given the output
// of.
func (l *lab) behindTerminal(ctx context.Context, file string, times int, feed func([]byte)) (taken, error) {
	p, err := l.pipes()
	if err != nil {
		return taken{}, err
	}
	words := p.command(file, times)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: emulatorCols, Rows: emulatorRows})
	if err != nil {
		return taken{}, err
	}
	read := make(chan struct{})
	go func() {
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
	d, err := p.clock(ctx)
	_ = cmd.Wait() // what it did is known by the clock
	f.Close()
	<-read
	return taken{clock: d}, err
}

// inTmux runs the printer in a pane of a server of its own, which nobody looks
// at.
func (l *lab) inTmux(ctx context.Context, file string, times int) (taken, error) {
	p, err := l.pipes()
	if err != nil {
		return taken{}, err
	}
	socket := filepath.Join(p.dir, "tmux")
	conf := filepath.Join(p.dir, "conf")
	if err := os.WriteFile(conf, []byte("set -g exit-empty off\n"), 0o600); err != nil {
		return taken{}, err
	}
	words := append([]string{
		"-S", socket, "-f", conf, "new-session", "-d",
		"-x", strconv.Itoa(emulatorCols), "-y", strconv.Itoa(emulatorRows + 1),
	}, p.command(file, times)...)
	if out, err := exec.CommandContext(ctx, "tmux", words...).CombinedOutput(); err != nil {
		return taken{}, fmt.Errorf("%w: %s", err, out)
	}
	defer func() { _ = exec.Command("tmux", "-S", socket, "kill-server").Run() }()
	d, err := p.clock(ctx)
	if err != nil {
		return taken{}, err
	}
	out, err := exec.Command("tmux", "-S", socket, "display-message", "-p", "#{pid}").Output()
	if err != nil {
		return taken{}, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		return taken{}, err
	}
	used, err := cpuTime([]int{pid})
	return taken{d, used}, err
}
