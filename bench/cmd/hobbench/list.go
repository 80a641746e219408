//go:build linux

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// lists is M7: how long a list of finished jobs takes, and how that grows.
func lists(l *lab) {
	h := l.hob()
	few, many := l.count(1000, 100), l.count(5000, 200)
	h.finish(l, few)
	l.list(h, l.deadPanes(few), few)
	h.finish(l, many)
	l.list(h, nil, many)
}

// list measures lists of so many jobs, with tmux where it has as many.
func (l *lab) list(h, t *program, jobs int) {
	output(h.command("list", "-q")) // writes the index, which the floor reads
	floor := exec.Command(l.bin("floorlist"), h.logs, filepath.Join(h.root, "index"))
	list := newRow(fmt.Sprintf("M7 list of %d finished jobs", jobs), "%.1f ms", "20 ms at 1,000, then 15 µs a job")
	asJSON := newRow("M7 the same with --json", "%.1f ms", "30 ms at 1,000")
	prompt := newRow(fmt.Sprintf("M7 prompt with %d finished jobs", jobs), "%.1f ms", "20 ms")
	listers := []struct {
		who  string
		cmd  *exec.Cmd
		rows []*row
	}{
		{"floor", floor, []*row{list, asJSON, prompt}},
		{"hob", h.command("list"), []*row{list}},
		{"hob", h.command("list", "--json"), []*row{asJSON}},
		{"hob", h.command("prompt"), []*row{prompt}},
	}
	if t != nil {
		listers = append(listers, listers[0])
		listers[4].who, listers[4].cmd, listers[4].rows = "tmux", t.command("list-panes", "-a"), []*row{list}
	}
	times := make([][]float64, len(listers))
	for range l.count(30, 5) {
		for k, lister := range listers {
			cmd := exec.Cmd{Path: lister.cmd.Path, Args: lister.cmd.Args, Env: lister.cmd.Env}
			begin := time.Now()
			check(cmd.Run())
			times[k] = append(times[k], since(begin))
		}
	}
	for k, lister := range listers {
		for _, r := range lister.rows {
			r.addMedian(lister.who, times[k], "")
		}
	}
	l.print(list, asJSON, prompt)
}

// finish starts jobs that end at once until there are so many, and waits until all
// have ended.
func (p *program) finish(l *lab, jobs int) {
	ended := func() int { return len(must(filepath.Glob(filepath.Join(p.logs, "*", "exit_code")))) }
	startAll(p, jobs-ended(), "/bin/true")
	if !l.until(2*time.Minute, 20*time.Millisecond, func() bool { return ended() >= jobs }) {
		check(fmt.Errorf("%d of %d jobs have ended", ended(), jobs))
	}
}

// deadPanes is a tmux with windows whose programs have ended; nil without tmux.
func (l *lab) deadPanes(n int) *program {
	t := l.tmux()
	if t == nil {
		return nil
	}
	output(t.session("kept", "sleep", "600", ";", "set", "-g", "remain-on-exit", "on"))
	for range n {
		output(t.command("new-window", "-d", "-t", "kept:", "/bin/true"))
	}
	l.until(time.Minute, 50*time.Millisecond, func() bool {
		return strings.Count(output(t.command("list-panes", "-a", "-F", "#{pane_dead}")), "1") >= n
	})
	return t
}
