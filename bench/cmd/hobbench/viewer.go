//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	cmd  *exec.Cmd
	ptmx *os.File
	wg   sync.WaitGroup

	mu      sync.Mutex // guards what follows
	screen  *vt.Terminal
	bytes   int64
	changed chan struct{} // closed and replaced when output came
}

const viewCols, viewRows = 120, 40

// view starts a program on a terminal.
func view(cmd *exec.Cmd) (*viewer, error) {
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "TMUX=")
	ptmx, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: viewCols, Rows: viewRows})
	if err != nil {
		return nil, err
	}
	v := &viewer{cmd: cmd, ptmx: ptmx, changed: make(chan struct{})}
	v.screen = vt.New(viewCols, viewRows, vt.WithReply(func(p []byte) { _, _ = ptmx.Write(p) }))
	v.wg.Go(v.read)
	return v, nil
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
func (v *viewer) see(ctx context.Context, text string) error {
	return v.seeInstead(ctx, text, "")
}

// seeInstead waits until text is on the screen and old, unless it is empty, has
// gone from all of it.
func (v *viewer) seeInstead(ctx context.Context, text, old string) error {
	for {
		v.mu.Lock()
		shown, changed := v.screen.Text(), v.changed
		v.mu.Unlock()
		there := strings.Contains(shown, text) && (old == "" || !strings.Contains(shown, old))
		if there {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			v.mu.Lock()
			defer v.mu.Unlock()
			return fmt.Errorf("%q is not on the screen: %w\n%s", text, ctx.Err(), v.screen.Text())
		}
	}
}

// press types text.
func (v *viewer) press(text string) error {
	_, err := io.WriteString(v.ptmx, text)
	return err
}

// drawn is how many bytes the program has written to the terminal.
func (v *viewer) drawn() int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.bytes
}

func (v *viewer) pid() int { return v.cmd.Process.Pid }

// close asks the program to end and waits for it.
func (v *viewer) close() error {
	err := v.cmd.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(5*time.Second, func() { _ = v.cmd.Process.Kill() })
	defer late.Stop()
	_ = v.cmd.Wait() // by a signal, or not: it is over
	err = errors.Join(err, v.ptmx.Close())
	v.wg.Wait()
	return err
}

// linger waits, or less if ctx ends.
func linger(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
