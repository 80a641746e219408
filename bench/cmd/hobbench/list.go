//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// lister is a command line that lists finished jobs, or counts them.
type lister struct {
	row  *row
	name string
	cmd  func() *exec.Cmd
}

// lists is M7: how long a list of finished jobs takes, and how that grows.
func lists(ctx context.Context, l *lab) (_ []row, err error) {
	defer func() { err = join(err, l.release()) }()
	h, err := l.hob()
	if err != nil {
		return nil, err
	}
	var rows []row
	there := 0
	for _, jobs := range []int{l.count(1000, 100), l.count(5000, 200)} {
		if err := finish(ctx, h, jobs-there, func() (int, error) {
			n, err := ended(h.root)
			return n - there, err
		}); err != nil {
			return rows, fmt.Errorf("hob: %w", err)
		}
		var t *rival
		if there == 0 {
			if t, err = l.windows(ctx, jobs); err != nil {
				return rows, err
			}
		}
		there = jobs
		more, err := l.list(h, t, jobs)
		if err != nil {
			return rows, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// list measures lists of so many jobs, with tmux where it has as many.
func (l *lab) list(h *hob, t *rival, jobs int) ([]row, error) {
	index, err := makeIndex(l, h)
	if err != nil {
		return nil, err
	}
	rows := []row{
		{what: fmt.Sprintf("M7 list of %d finished jobs", jobs), format: "%.1f ms", aim: "20 ms at 1,000, then 15 µs a job"},
		{what: "M7 the same with --json", format: "%.1f ms", aim: "30 ms at 1,000"},
		{what: fmt.Sprintf("M7 prompt with %d finished jobs", jobs), format: "%.1f ms", aim: "20 ms"},
	}
	floor := func() *exec.Cmd { return exec.Command(l.bin("floorlist"), filepath.Join(h.root, "jobs"), index) }
	everyone := []lister{
		{&rows[0], "floor", floor},
		{&rows[0], "hob", func() *exec.Cmd { return h.command("list") }},
		{&rows[1], "hob", func() *exec.Cmd { return h.command("list", "--json") }},
		{&rows[2], "hob", func() *exec.Cmd { return h.command("prompt") }},
	}
	if t != nil {
		everyone = append(everyone, lister{&rows[0], "tmux", func() *exec.Cmd { return t.tool("list-panes", "-a") }})
	}
	times := make([][]float64, len(everyone))
	for range l.count(30, 5) {
		for k, who := range everyone {
			cmd := who.cmd()
			begin := time.Now()
			if err := cmd.Run(); err != nil {
				return nil, fmt.Errorf("%s: %w", who.name, err)
			}
			times[k] = append(times[k], milliseconds(time.Since(begin)))
		}
	}
	for k, who := range everyone {
		v := value{who: who.name, n: median(times[k])}
		who.row.values = append(who.row.values, v)
		if who.name == "floor" { // of all three
			rows[1].values, rows[2].values = []value{v}, []value{v}
		}
	}
	return rows, nil
}

// finish starts jobs that end at once and waits until count says that all have.
func finish(ctx context.Context, s supervisor, jobs int, count func() (int, error)) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	if err := startAll(s, jobs, []string{"/bin/true"}); err != nil {
		return err
	}
	for {
		n, err := count()
		if err != nil || n >= jobs {
			return err
		}
		if err := rest(ctx, 20*time.Millisecond); err != nil {
			return fmt.Errorf("%d of %d jobs have ended: %w", n, jobs, err)
		}
	}
}

// ended counts the jobs below a state root that have ended.
func ended(root string) (int, error) {
	codes, err := filepath.Glob(filepath.Join(root, "jobs", "*", "exit_code"))
	return len(codes), err
}

// makeIndex writes the file that the floor reads: as many bytes as hob keeps of
// each finished job.
func makeIndex(l *lab, h *hob) (string, error) {
	if out, err := h.command("list", "-q").CombinedOutput(); err != nil {
		return "", fmt.Errorf("hob list: %w: %s", err, out)
	}
	b, err := os.ReadFile(filepath.Join(h.root, "index"))
	if err != nil {
		return "", err
	}
	path := l.path("index")
	return path, os.WriteFile(path, b, 0o600)
}

// windows is a tmux with as many windows whose programs have ended; nil without tmux.
func (l *lab) windows(ctx context.Context, jobs int) (*rival, error) {
	t, err := l.tmux()
	if t == nil || err != nil {
		return nil, err
	}
	return t, deadPanes(ctx, t, jobs)
}

// deadPanes gives tmux windows whose programs have ended and that stay.
func deadPanes(ctx context.Context, t *rival, n int) error {
	t.n.Add(1) // there is a server to close
	if err := t.tool("new-session", "-d", "-s", "kept", "sleep", "600", ";", "set", "-g", "remain-on-exit", "on").Run(); err != nil {
		return err
	}
	for range n {
		if err := t.tool("new-window", "-d", "-t", "kept:", "/bin/true").Run(); err != nil {
			return err
		}
	}
	for {
		out, err := t.tool("list-panes", "-a", "-F", "#{pane_dead}").Output()
		if err != nil || strings.Count(string(out), "1") >= n {
			return err
		}
		if err := rest(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

func join(errs ...error) error { return errors.Join(errs...) }
