//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// stubborn are trees of a shell and three children that do not want to end. $1
// is where they write their numbers.
var stubborn = []struct{ what, script string }{
	{"ignoring TERM", `trap "" TERM; ` + three("")},
	{"ignoring TERM and HUP", `trap "" TERM HUP; ` + three("")},
	{"ignoring both, each in a session of its own", `trap "" TERM HUP; ` + three("setsid ")},
}

func three(how string) string {
	return `for i in 1 2 3; do ` + how + `sleep 600 & echo $! >>"$1"; done; echo $$ >>"$1"; while :; do wait; sleep 1; done`
}

const treeSize = 4

// grace is what a polite kill gives.
const grace = 300 * time.Millisecond

// kills is M5: from the command line that kills until the tree is gone.
func kills(ctx context.Context, l *lab) (_ []row, err error) {
	defer func() { err = join(err, l.release()) }()
	var rows []row
	for _, tree := range stubborn {
		everyone, err := l.killers()
		if err != nil {
			return rows, err
		}
		times := make([][]float64, len(everyone))
		leaks := make([]int, len(everyone))
		early := make([]int, len(everyone))
		for range l.count(10, 2) {
			for k, s := range everyone {
				took, left, running, err := killTree(ctx, l, s, tree.script)
				if err != nil {
					return rows, fmt.Errorf("%s: %w", s.name(), err)
				}
				leaks[k] += left
				early[k] += running
				if left == 0 {
					times[k] = append(times[k], took)
				}
			}
		}
		forced := row{what: "M5 a tree " + tree.what + ", forced", format: "%.1f ms", aim: "20 ms, no leaks"}
		polite := row{what: fmt.Sprintf("M5 the same, politely: beyond the grace of %d ms", grace.Milliseconds()), format: "%.1f ms", aim: "20 ms, no leaks"}
		for k, s := range everyone {
			v := value{who: s.name(), n: median(times[k]), none: len(times[k]) == 0}
			if leaks[k] > 0 {
				v.note = fmt.Sprintf("leaks %d of %d processes", leaks[k], treeSize*l.count(10, 2))
			}
			if early[k] > 0 && s.name() == "hob" {
				v.note += fmt.Sprintf(" (returned before %d were gone)", early[k])
			}
			if s.name() == "hob, politely" {
				v.n -= milliseconds(grace)
				polite.values = []value{{none: true}, v}
				continue
			}
			forced.values = append(forced.values, v)
		}
		rows = append(rows, forced, polite)
		if err := l.release(); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// killers are the floor, hob both ways, and tmux.
func (l *lab) killers() ([]killer, error) {
	f, err := l.floor(false)
	if err != nil {
		return nil, err
	}
	h, err := l.hob()
	if err != nil {
		return nil, err
	}
	p, err := l.hob()
	if err != nil {
		return nil, err
	}
	p.label, p.grace = "hob, politely", grace.String()
	everyone := []killer{f, h, p}
	r, err := l.tmux()
	if err != nil {
		return nil, err
	}
	if r != nil {
		everyone = append(everyone, r)
	}
	return everyone, nil
}

// killTree starts a tree, ends it, and returns the milliseconds until it was
// gone, how many of its processes were left a second later, and how many were
// still there when the command returned.
func killTree(ctx context.Context, l *lab, s killer, script string) (took float64, left, early int, err error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	l.n++
	file := l.path(fmt.Sprintf("tree%d", l.n))
	j, err := s.launch([]string{"/bin/sh", "-c", script, "sh", file})
	if err != nil {
		return 0, 0, 0, err
	}
	if _, isFloor := s.(*floor); !isFloor {
		if err := j.wait(); err != nil {
			return 0, 0, 0, err
		}
	}
	tree, err := readTree(ctx, file)
	if err != nil {
		return 0, 0, 0, err
	}
	defer func() {
		for _, p := range tree {
			err = join(err, p.kill())
		}
	}()
	cmd, err := s.killing(j)
	if err != nil {
		return 0, 0, 0, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, 0, err
	}
	returned := make(chan error, 1)
	go func() { returned <- cmd.Wait() }() // received below
	back := false
	var deadline time.Time
	for {
		left = 0
		for _, p := range tree {
			if !p.gone() {
				left++
			}
		}
		if left == 0 {
			took = milliseconds(time.Since(begin))
			break
		}
		if back && time.Now().After(deadline) {
			break
		}
		if !back {
			select {
			case err = <-returned:
				back, early, deadline = true, left, time.Now().Add(time.Second)
			default:
			}
		}
		pause(200 * time.Microsecond)
	}
	if !back {
		err = <-returned
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", cmd, err)
	}
	return took, left, early, err
}

// readTree waits until all of the tree's numbers are there.
func readTree(ctx context.Context, file string) ([]process, error) {
	for {
		b, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		if numbers := strings.Fields(string(b)); len(numbers) == treeSize {
			// Let setsid and sleep be executed.
			if err := rest(ctx, 30*time.Millisecond); err != nil {
				return nil, err
			}
			var tree []process
			for _, n := range numbers {
				pid, err := strconv.Atoi(n)
				if err != nil {
					return nil, err
				}
				tree = append(tree, lookUp(pid))
			}
			return tree, nil
		}
		if err := rest(ctx, time.Millisecond); err != nil {
			return nil, fmt.Errorf("the tree did not start: %w", err)
		}
	}
}
