//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
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

const (
	treeSize  = 4
	treeLimit = 20 * time.Second       // to start one, and to end one
	grace     = 300 * time.Millisecond // of a polite kill
)

// kills is M5: the time from the command that kills a job until its process tree has ended.
func kills(l *lab) {
	for _, tree := range stubborn {
		polite := l.hob()
		polite.kill = func(*job) *exec.Cmd { return polite.command("kill", "--grace", grace.String(), "@") }
		everyone := l.withTmux(l.floor(false), l.hob())
		everyone = append(everyone, polite)
		times, leaks, early := make([][]float64, len(everyone)), make([]int, len(everyone)), make([]int, len(everyone))
		rounds := l.count(10, 2)
		inTurns(rounds, everyone, func(k int, p *program) {
			took, left, running := l.killTree(p, tree.script)
			leaks[k] += left
			early[k] += running
			if left == 0 {
				times[k] = append(times[k], took)
			}
		})
		const format, aim = "%.1f ms", "20 ms, no leaks"
		forced := newRow("M5 a tree "+tree.what+", forced", format, aim)
		gently := newRow(fmt.Sprintf("M5 the same, politely: beyond the grace of %d ms", grace.Milliseconds()), format, aim).addNone("", "")
		for k, p := range everyone {
			note := ""
			if leaks[k] > 0 {
				note = fmt.Sprintf("leaks %d of %d processes", leaks[k], treeSize*rounds)
			}
			if p == polite {
				for i := range times[k] {
					times[k][i] -= milliseconds(grace)
				}
				gently.addMedian(p.name, times[k], note)
				continue
			}
			if early[k] > 0 && p.name == "hob" {
				note += fmt.Sprintf(" (returned before %d were gone)", early[k])
			}
			forced.addMedian(p.name, times[k], note)
		}
		l.print(forced, gently)
		l.release()
	}
}

// killTree starts a tree, ends it, and returns the milliseconds until it was
// gone, how many of its processes were left a second later, and how many were
// still there when the command returned.
func (l *lab) killTree(p *program, script string) (took float64, left, early int) {
	file := l.fresh("tree")
	j := p.launch("/bin/sh", "-c", script, "sh", file)
	p.waitStarted(j)
	tree := l.readTree(file)
	defer func() {
		for _, p := range tree {
			p.kill()
		}
	}()
	count := func() (n int) {
		for _, p := range tree {
			if !p.gone() {
				n++
			}
		}
		return n
	}
	kill := p.kill(j)
	begin := time.Now()
	check(kill.Start())
	returned := make(chan error, 1)
	go func() { returned <- kill.Wait() }() // received below
	var deadline time.Time                  // zero until the command has returned
	for left = count(); left > 0 && (deadline.IsZero() || time.Now().Before(deadline)); left = count() {
		if deadline.IsZero() {
			select {
			case err := <-returned:
				check(err)
				early, deadline = left, time.Now().Add(time.Second)
			default:
			}
		}
		pause(200 * time.Microsecond)
	}
	took = since(begin)
	if deadline.IsZero() {
		check(<-returned)
	}
	return took, left, early
}

// readTree waits until the tree has written all of its numbers.
func (l *lab) readTree(file string) (tree []process) {
	var numbers []string
	if !l.until(treeLimit, time.Millisecond, func() bool {
		b, _ := os.ReadFile(file) // it may not be there yet
		numbers = strings.Fields(string(b))
		return len(numbers) == treeSize
	}) {
		check(fmt.Errorf("the tree did not start"))
	}
	l.rest(30 * time.Millisecond) // let setsid and sleep be executed
	for _, n := range numbers {
		tree = append(tree, lookUp(must(strconv.Atoi(n))))
	}
	return tree
}
