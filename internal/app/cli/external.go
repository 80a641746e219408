package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/keymap"
)

// opener returns a function that makes the command of the pager or editor for a file, from
// the settings, the environment or the defaults.
func opener(c config.UI) func(path string, editor bool) (tea.ExecCommand, error) {
	return func(path string, editor bool) (tea.ExecCommand, error) {
		command := cmp.Or(c.Pager, os.Getenv("PAGER"), "less -R")
		if editor {
			command = cmp.Or(c.Editor, os.Getenv("VISUAL"), os.Getenv("EDITOR"), "vi")
		}
		shell, err := exec.LookPath("sh")
		if err != nil {
			return nil, errors.New("cannot run " + command + ": sh not found")
		}
		// Both are shell commands, with arguments.
		what, setting := "pager", "PAGER"
		if editor {
			what, setting = "editor", "EDITOR"
		}
		return &fileCommand{exec.Command(shell, "-c", command+` "$1"`, "hob", path), what, setting, command}, nil
	}
}

// fileCommand is a command that uses the terminal while the UI is suspended. It implements
// [tea.ExecCommand].
type fileCommand struct {
	*exec.Cmd
	what, setting, command string // "pager", the variable that names it, its value
}

// Run runs the command. The error names the program, because the program's own
// message is no longer on the screen.
func (c *fileCommand) Run() error {
	err := c.Cmd.Run()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return err
	}
	switch exit.ExitCode() {
	case 126, 127: // returned by the shell
		return fmt.Errorf("cannot run the %s %s; set %s, or ui.%s in the settings", c.what, c.command, c.setting, c.what)
	case -1, 130: // ended by a signal such as Ctrl+C
		return nil
	}
	return fmt.Errorf("the %s exited with code %d: %s", c.what, exit.ExitCode(), c.command)
}

func (c *fileCommand) SetStdin(r io.Reader)  { c.Stdin = r }
func (c *fileCommand) SetStdout(w io.Writer) { c.Stdout = w }
func (c *fileCommand) SetStderr(w io.Writer) { c.Stderr = w }

// tmuxLimit is how long tmux may take for an answer: it needs milliseconds, and more on a busy machine.
const tmuxLimit = 2 * time.Second

// outerPrefix returns the prefix key of the surrounding tmux session, "" outside of tmux. If
// there are two prefixes, it prefers the one that is also in ours.
func outerPrefix(ours []string) string {
	if os.Getenv("TMUX") == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), tmuxLimit)
	defer cancel()
	out, err := exec.CommandContext(ctx, "tmux", "display-message", "-p", "#{prefix} #{prefix2}").Output()
	if err != nil {
		return ""
	}
	prefix := ""
	for _, name := range strings.Fields(string(out)) {
		key, err := keymap.ParseKey(name) // fails for "None"
		if err == nil && (prefix == "" || slices.Contains(ours, key)) {
			prefix = key
		}
	}
	return prefix
}

// copier returns a function that copies text with tmux, which by default ignores the escape
// sequence for it. It returns nil outside of tmux.
func copier(inTmux bool) func(ctx context.Context, text string) (string, error) {
	if !inTmux {
		return nil
	}
	return func(ctx context.Context, text string) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, tmuxLimit)
		defer cancel()
		out, err := exec.CommandContext(ctx, "tmux", "show-options", "-sv", "set-clipboard").Output()
		policy := strings.TrimSpace(string(out))
		if err != nil || policy == "on" {
			return "", nil // the escape sequence works
		}
		load := func(args ...string) error {
			cmd := exec.CommandContext(ctx, "tmux", append(append([]string{"load-buffer"}, args...), "-")...)
			cmd.Stdin = strings.NewReader(text)
			return cmd.Run()
		}
		where := "tmux's buffer and the clipboard"
		if policy == "off" || load("-w") != nil { // -w needs tmux 3.2
			where = "tmux's buffer"
			err = load()
		}
		if err != nil {
			return "", fmt.Errorf("tmux load-buffer failed: %w", err)
		}
		return where, nil
	}
}
