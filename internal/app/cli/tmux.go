package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/hobjobs/hob/keymap"
)

// outerPrefix is the key that a program around us takes for itself: a prefix of the
// session of tmux, as a key of ours; empty where there is none. It may have two:
// then that which is among ours.
func outerPrefix(ours []string) string {
	if os.Getenv("TMUX") == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	out, err := exec.CommandContext(ctx, "tmux", "display-message", "-p", "#{prefix} #{prefix2}").Output()
	if err != nil {
		return ""
	}
	prefix := ""
	for _, name := range strings.Fields(string(out)) {
		key, err := keymap.ParseKey(name) // "None" is no key
		if err == nil && (prefix == "" || slices.Contains(ours, key)) {
			prefix = key
		}
	}
	return prefix
}

// copier puts text on the clipboard where the terminal would not: tmux, unless it
// is set to, ignores programs that ask.
func copier(inTmux bool) func(ctx context.Context, text string) (string, error) {
	if !inTmux {
		return nil
	}
	return func(ctx context.Context, text string) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		out, err := exec.CommandContext(ctx, "tmux", "show-options", "-sv", "set-clipboard").Output()
		policy := strings.TrimSpace(string(out))
		if err != nil || policy == "on" {
			return "", nil // the terminal is asked, and tmux does as a terminal
		}
		load := func(args ...string) error {
			cmd := exec.CommandContext(ctx, "tmux", append(append([]string{"load-buffer"}, args...), "-")...)
			cmd.Stdin = strings.NewReader(text)
			return cmd.Run()
		}
		where := "tmux's buffer and the clipboard"
		if policy == "off" || load("-w") != nil { // before 3.2 there was no -w
			where = "tmux's buffer"
			err = load()
		}
		if err != nil {
			return "", fmt.Errorf("tmux did not take it: %w", err)
		}
		return where, nil
	}
}
