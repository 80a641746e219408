//go:build linux

package main

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// look is how often a log is looked at. Every program pays the same for it.
	look = 50 * time.Microsecond
	// outputLimit is how long after its command line has returned a job's output may
	// come. Later output counts as lost.
	outputLimit = 2 * time.Second
)

// starts is M1: from the command line to the first byte in the log.
func starts(l *lab) {
	everyone := l.starters(true)
	one, all, lost := make([][]float64, len(everyone)), make([][]float64, len(everyone)), make([]int, len(everyone))
	rounds := 0
	inTurns(l.count(50, 10)+1, everyone, func(k int, p *program) {
		took, found := l.firstByte(p)
		if !found {
			lost[k]++
		} else if rounds >= len(everyone) { // the first start of a server is another thing
			one[k] = append(one[k], took)
		}
		rounds++
	})
	many := l.count(200, 40)
	inTurns(l.count(3, 1), everyone, func(k int, p *program) {
		took, missed := l.manyStarts(p, many)
		lost[k] += missed
		all[k] = append(all[k], took)
	})
	single := newRow("M1 start to first byte in the log, median", "%.1f ms", "3x")
	burst := newRow(fmt.Sprintf("M1 %d starts, 4 at a time, until all have a byte", many), "%.0f ms", "4x")
	for k, p := range everyone {
		note := ""
		if lost[k] > 0 {
			note = fmt.Sprintf("lost the output of %d", lost[k])
		}
		single.add(p.name, quantile(one[k], 50), "")
		burst.add(p.name, quantile(all[k], 50), note)
	}
	l.print(single, burst)
}

// firstByte starts a job that prints a word and returns the milliseconds until
// that is in its log, and whether it is.
func (l *lab) firstByte(p *program) (took float64, found bool) {
	w := l.watchLogs(p)
	begin := time.Now()
	j := p.launch("/bin/echo", "x")
	found = len(w.next(outputLimit, 1, look)) > 0
	took = since(begin)
	check(j.wait())
	return took, found
}

// manyStarts starts n jobs, four command lines at a time, and returns the
// milliseconds until the last of them has printed something, and how many never
// did.
func (l *lab) manyStarts(p *program, n int) (took float64, lost int) {
	w := l.watchLogs(p)
	begin := time.Now()
	startAll(p, n, "/bin/echo", "x")
	found := w.next(outputLimit, n, time.Millisecond)
	if len(found) == 0 {
		check(errTooLate)
	}
	return milliseconds(w.last.Sub(begin)), n - len(found)
}

// startAll starts n jobs, four command lines at a time, and returns when the last
// command line has ended.
func startAll(p *program, n int, argv ...string) {
	slots := make(chan struct{}, 4)
	failed := make([]error, n)
	var clients sync.WaitGroup
	defer clients.Wait() // also if a job cannot be started
	for i := range n {
		slots <- struct{}{}
		j := p.launch(argv...)
		clients.Go(func() {
			failed[i] = j.wait()
			<-slots
		})
	}
	clients.Wait()
	check(errors.Join(failed...))
}
