package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/config"
)

// opener makes the commands that show a file: those of the settings, else those
// of the environment, else the usual ones.
func opener(c config.UI) func(path string, editor bool) (tea.ExecCommand, error) {
	return func(path string, editor bool) (tea.ExecCommand, error) {
		command := firstOf(c.Pager, os.Getenv("PAGER"), "less -R")
		if editor {
			command = firstOf(c.Editor, os.Getenv("VISUAL"), os.Getenv("EDITOR"), "vi")
		}
		shell, err := exec.LookPath("sh")
		if err != nil {
			return nil, errors.New("there is no sh to run " + command)
		}
		// They are commands for a shell, with arguments.
		what, setting := "pager", "PAGER"
		if editor {
			what, setting = "editor", "EDITOR"
		}
		return &fileCommand{exec.Command(shell, "-c", command+` "$1"`, "hob", path), what, setting, command}, nil
	}
}

func firstOf(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

// fileCommand is a command that takes the terminal from the UI for a while.
type fileCommand struct {
	*exec.Cmd
	what, setting, command string // "pager", the variable that names it, its value
}

// Run implements tea.ExecCommand. The error names the program, since what
// that said itself is no longer on the screen.
func (c *fileCommand) Run() error {
	err := c.Cmd.Run()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return err
	}
	switch exit.ExitCode() {
	case 126, 127: // the shell's
		return fmt.Errorf("the %s cannot be run: %s; %s or ui.%s in the settings names another", c.what, c.command, c.setting, c.what)
	case -1, 130: // by a signal, Ctrl+C for one: that is leaving it
		return nil
	}
	return fmt.Errorf("the %s ended with code %d: %s", c.what, exit.ExitCode(), c.command)
}

// SetStdin implements tea.ExecCommand.
func (c *fileCommand) SetStdin(r io.Reader) { c.Stdin = r }

// SetStdout implements tea.ExecCommand.
func (c *fileCommand) SetStdout(w io.Writer) { c.Stdout = w }

// SetStderr implements tea.ExecCommand.
func (c *fileCommand) SetStderr(w io.Writer) { c.Stderr = w }
