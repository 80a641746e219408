//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
)

// fullRuns and shortRuns are how often a verb is run.
const fullRuns, shortRuns = 5, 2

// spread is how many jobs run on how many hosts.
type spread struct{ jobs, hosts int }

// spreads are the sizes of the curve; each has the jobs of the one before too.
func (l *lab) spreads() []spread {
	if l.short {
		return []spread{{10, 1}, {20, 10}}
	}
	return []spread{{100, 1}, {500, 1}, {600, 100}}
}

func (s spread) String() string {
	hosts := "a host"
	if s.hosts > 1 {
		hosts = strconv.Itoa(s.hosts) + " hosts"
	}
	return fmt.Sprintf("scale %d running on %s", s.jobs, hosts)
}

// grows is how the program's short verbs and the UI grow with the number of jobs on
// hosts, and of hosts. The hosts are names of one server.
func (r *remote) grows(ctx context.Context, l *lab) ([]row, error) {
	env, err := r.environ(l)
	if err != nil {
		return nil, err
	}
	var rows []row
	begun, runs := 0, 0
	for _, s := range l.spreads() {
		if err := r.begin(ctx, begun, s); err != nil {
			return rows, err
		}
		begun, runs = s.jobs, runs+l.count(fullRuns, shortRuns)
		more, err := r.measure(ctx, l, s, runs, func(args ...string) *exec.Cmd {
			cmd := exec.CommandContext(ctx, l.hobBin, args...)
			cmd.Env = env
			return cmd
		})
		rows = append(rows, more...)
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// environ makes the program find the server: by an ssh that reads its configuration.
func (r *remote) environ(l *lab) ([]string, error) {
	real, err := exec.LookPath("ssh")
	if err != nil {
		return nil, err
	}
	bin, config := filepath.Join(r.dir, "bin"), filepath.Join(r.dir, "c", "hob")
	if err := errors.Join(os.MkdirAll(bin, 0o700), os.MkdirAll(config, 0o700)); err != nil {
		return nil, err
	}
	script := fmt.Sprintf("#!/bin/sh\nexec %s -F %s \"$@\"\n", real, r.config)
	if err := os.WriteFile(filepath.Join(bin, "ssh"), []byte(script), 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(config, "config.toml"), []byte(settings), 0o600); err != nil {
		return nil, err
	}
	return with("PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "HOB_STATE_DIR="+filepath.Join(r.dir, "here"),
		"XDG_CONFIG_HOME="+filepath.Dir(config), "XDG_RUNTIME_DIR="+r.dir), nil
}

// begin starts the jobs that are still missing, spread over the hosts.
func (r *remote) begin(ctx context.Context, begun int, s spread) error {
	var wg sync.WaitGroup
	errs := make([]error, s.jobs)
	slots := make(chan struct{}, 8)
	for i := begun; i < s.jobs; i++ {
		host := "box"
		if s.hosts > 1 {
			host += strconv.Itoa(i % s.hosts)
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			_, errs[i] = r.eng.Start(ctx, engine.Spec{Command: []string{"sleep", "3600"}, Host: host, Backgrounded: true})
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// measure measures with so many jobs that have ended beside those that run; those
// that it starts itself included.
func (r *remote) measure(ctx context.Context, l *lab, s spread, runs int, hob func(args ...string) *exec.Cmd) (rows []row, err error) {
	add := func(what, format string, samples ...float64) {
		rows = append(rows, row{what: s.String() + ": " + what, format: format,
			values: []value{{none: true}, {who: "hob", n: median(samples)}}})
	}
	var lists, logins, starts []float64
	for range l.count(fullRuns, shortRuns) {
		for _, turn := range []struct {
			cmd   *exec.Cmd
			times *[]float64
		}{
			{hob("list"), &lists},
			{r.ssh(ctx, "box", "true"), &logins},
			{hob("run", "-b", "--on", "box", "true"), &starts},
		} {
			begin := time.Now()
			if out, err := turn.cmd.CombinedOutput(); err != nil {
				return rows, fmt.Errorf("%s: %w: %s", turn.cmd, err, out)
			}
			*turn.times = append(*turn.times, milliseconds(time.Since(begin)))
		}
	}
	add("hob list", "%.0f ms", lists...)
	rows = append(rows, row{what: s.String() + ": hob run -b there", format: "%.0f ms",
		values: []value{{who: "ssh HOST true", n: median(logins)}, {who: "hob", n: median(starts)}}})
	begin := time.Now()
	v, err := view(hob())
	if err != nil {
		return rows, err
	}
	defer func() { err = errors.Join(err, v.close()) }()
	for _, sign := range []struct{ text, what string }{
		{fmt.Sprintf("%d jobs", s.jobs+runs), "the UI, until it shows them"},
		{fmt.Sprintf("%d running", s.jobs), "the same, until the hosts have said how they stand"},
	} {
		if err := v.see(ctx, sign.text); err != nil {
			return rows, err
		}
		add(sign.what, "%.0f ms", milliseconds(time.Since(begin)))
	}
	if err := linger(ctx, settling); err != nil {
		return rows, err
	}
	used, err := cpuTime([]int{v.pid()})
	if err != nil {
		return rows, err
	}
	const span = 10 * time.Second
	if err := linger(ctx, span); err != nil {
		return rows, err
	}
	after, err := cpuTime([]int{v.pid()})
	if err != nil {
		return rows, err
	}
	add("the UI, open: processor time in a minute", "%.1f s", (after-used).Seconds()*time.Minute.Seconds()/span.Seconds())
	held, err := pss([]int{v.pid()})
	if err != nil {
		return rows, err
	}
	add("memory of the UI", "%.1f MiB", float64(held)/(1<<20))
	return rows, nil
}
