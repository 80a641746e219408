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

// lister is a command line that lists finished jobs.
type lister struct {
	name string
	cmd  func() *exec.Cmd
}

// lists is M7: how long a list of finished jobs takes.
func lists(ctx context.Context, l *lab) (_ []row, err error) {
	defer func() { err = join(err, l.release()) }()
	jobs := l.count(1000, 100)
	h, err := l.hob()
	if err != nil {
		return nil, err
	}
	if err := finish(ctx, h, jobs, func() (int, error) { return ended(h.root) }); err != nil {
		return nil, fmt.Errorf("hob: %w", err)
	}
	index, err := makeIndex(l, h)
	if err != nil {
		return nil, err
	}
	everyone := []lister{
		{"floor", func() *exec.Cmd {
			return exec.Command(l.bin("floorlist"), filepath.Join(h.root, "jobs"), index)
		}},
		{"hob", func() *exec.Cmd { return h.command("list") }},
		{"hob --json", func() *exec.Cmd { return h.command("list", "--json") }},
	}
	others, err := l.otherLists(ctx, jobs)
	if err != nil {
		return nil, err
	}
	everyone = append(everyone, others...)
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
	plain := row{what: fmt.Sprintf("M7 list of %d finished jobs", jobs), format: "%.1f ms", aim: "20 ms"}
	json := row{what: "M7 the same with --json", format: "%.1f ms", aim: "30 ms"}
	for k, who := range everyone {
		v := value{who: who.name, n: median(times[k])}
		if who.name == "hob --json" {
			json.values = append(json.values, v)
			continue
		}
		plain.values = append(plain.values, v)
		if who.name == "floor" {
			json.values = append(json.values, v)
		}
	}
	return []row{plain, json}, nil
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

// otherLists are those of the rivals that keep finished jobs. One that cannot do
// so many is left out.
func (l *lab) otherLists(ctx context.Context, jobs int) ([]lister, error) {
	var all []lister
	q, err := l.tsp()
	if err != nil {
		return nil, err
	}
	if q != nil {
		count := func() (int, error) {
			out, err := q.command("tsp", "-l").Output()
			return strings.Count(string(out), " finished "), err
		}
		if err := finish(ctx, q, jobs, count); err != nil {
			fmt.Fprintf(l.stderr, "left out: tsp: %v\n", err)
		} else {
			all = append(all, lister{"tsp", func() *exec.Cmd { return q.command("tsp", "-l") }})
		}
	}
	t, err := l.tmux()
	if t == nil || err != nil {
		return all, err
	}
	if err := deadPanes(ctx, t, jobs); err != nil {
		fmt.Fprintf(l.stderr, "left out: tmux: %v\n", err)
		return all, nil
	}
	return append(all, lister{"tmux", func() *exec.Cmd { return t.tool("list-panes", "-a") }}), nil
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
