//go:build unix

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
)

// fixedTerminal is the terminal of a job whose size cannot be changed, such as one on a host without stty.
type fixedTerminal struct {
	engine.Terminal
	asked int
}

func (f *fixedTerminal) Resize(context.Context, engine.Size) error {
	f.asked++
	return fmt.Errorf("%w: the host cannot set a terminal's size", engine.ErrUnsupported)
}

// A session whose window is resized continues if the job's terminal keeps its size.
func TestWindowOfFixedTerminalIsResized(t *testing.T) {
	window, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer window.Close()
	defer tty.Close()
	if err := pty.Setsize(window, &pty.Winsize{Cols: 100, Rows: 30}); err != nil {
		t.Fatal(err)
	}
	signals := make(chan os.Signal, 2)
	signals <- unix.SIGWINCH
	signals <- unix.SIGTERM
	terminal := &fixedTerminal{}
	err = (&app{stdout: tty}).keepSize(t.Context(), terminal, signals)
	if _, left := errors.AsType[signalled](err); !left || terminal.asked != 1 {
		t.Errorf("the session ends with %v after %d requests for a size", err, terminal.asked)
	}
}
