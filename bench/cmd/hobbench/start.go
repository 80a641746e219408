//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// starts is M1: from the command line to the first byte in the log.
func starts(ctx context.Context, l *lab) (_ []row, err error) {
	defer func() { err = join(err, l.release()) }()
	everyone, err := l.starters(true)
	if err != nil {
		return nil, err
	}
	one := make([][]float64, len(everyone))
	lost := make([]int, len(everyone))
	for i := range l.count(50, 10) + 1 {
		for k, s := range everyone {
			took, missed, err := firstByte(ctx, s)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name(), err)
			}
			lost[k] += missed
			if i > 0 && missed == 0 { // the first start of a server is another thing
				one[k] = append(one[k], took)
			}
		}
	}
	many := l.count(200, 40)
	all := make([][]float64, len(everyone))
	for range l.count(3, 1) {
		for k, s := range everyone {
			took, missed, err := manyStarts(ctx, s, many)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name(), err)
			}
			lost[k] += missed
			all[k] = append(all[k], took)
		}
	}
	single := row{what: "M1 start to first byte in the log, median", format: "%.1f ms", aim: "3x"}
	burst := row{what: fmt.Sprintf("M1 %d starts, 4 at a time, until all have a byte", many), format: "%.0f ms", aim: "4x"}
	for k, s := range everyone {
		single.values = append(single.values, value{who: s.name(), n: median(one[k])})
		v := value{who: s.name(), n: median(all[k])}
		if lost[k] > 0 {
			v.note = fmt.Sprintf("lost the output of %d", lost[k])
		}
		burst.values = append(burst.values, v)
	}
	return []row{single, burst}, nil
}

// starters are the floor, hob and, for jobs with a terminal, tmux.
func (l *lab) starters(pty bool) ([]supervisor, error) {
	f, err := l.floor(pty)
	if err != nil {
		return nil, err
	}
	h, err := l.hob()
	if err != nil {
		return nil, err
	}
	h.noPTY = !pty
	everyone := []supervisor{f, h}
	if pty {
		r, err := l.tmux()
		if err != nil {
			return nil, err
		}
		if r != nil {
			everyone = append(everyone, r)
		}
	}
	return everyone, nil
}

// patience is how long after its command line has returned a job's output may
// come. What has not come by then is lost.
const patience = 2 * time.Second

// firstByte starts a job that says something and returns the milliseconds until
// that is in its log, or that it is lost.
func firstByte(ctx context.Context, s supervisor) (took float64, lost int, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	w, err := watchLogs(s)
	if err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	j, err := s.launch([]string{"/bin/echo", "x"})
	if err != nil {
		return 0, 0, err
	}
	_, err = w.next(ctx, 1, look)
	took = milliseconds(time.Since(begin))
	if errors.Is(err, context.DeadlineExceeded) {
		lost, err = 1, nil
	}
	return took, lost, join(err, j.wait())
}

// manyStarts starts n jobs, four command lines at a time, and returns the
// milliseconds until the last of them has said something, and how many never
// did.
func manyStarts(ctx context.Context, s supervisor, n int) (took float64, lost int, err error) {
	w, err := watchLogs(s)
	if err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	if err := startAll(s, n, []string{"/bin/echo", "x"}); err != nil {
		return 0, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found, err := w.next(ctx, n, time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) {
		lost, err = n-len(found), nil
	}
	if len(found) == 0 {
		return 0, lost, err
	}
	// Logs that were there before the first look are as old as that at most.
	return milliseconds(w.last.Sub(begin)), lost, err
}

// startAll starts n jobs, four command lines at a time, and returns when the
// last command line has.
func startAll(s supervisor, n int, argv []string) error {
	slots := make(chan struct{}, 4)
	failures := make(chan error, n+1)
	var clients sync.WaitGroup
	for range n {
		slots <- struct{}{}
		j, err := s.launch(argv)
		if err != nil {
			failures <- err
			break
		}
		clients.Go(func() {
			if err := j.wait(); err != nil {
				failures <- err
			}
			<-slots
		})
	}
	clients.Wait()
	close(failures)
	return <-failures
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
