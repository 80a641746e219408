//go:build linux

package main

import (
	"context"
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
	for i := range l.count(50, 10) + 1 {
		for k, s := range everyone {
			took, err := firstByte(ctx, s)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name(), err)
			}
			if i > 0 { // the first start of a server is another thing
				one[k] = append(one[k], took)
			}
		}
	}
	many := l.count(200, 40)
	all := make([][]float64, len(everyone))
	for range l.count(3, 1) {
		for k, s := range everyone {
			took, err := manyStarts(ctx, s, many)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name(), err)
			}
			all[k] = append(all[k], took)
		}
	}
	single := row{what: "M1 start to first byte in the log, median", format: "%.1f ms", aim: "2.5x, better 1.8x"}
	burst := row{what: fmt.Sprintf("M1 %d starts, 4 at a time, until all have a byte", many), format: "%.0f ms", aim: "2.5x"}
	for k, s := range everyone {
		single.values = append(single.values, value{who: s.name(), n: median(one[k])})
		burst.values = append(burst.values, value{who: s.name(), n: median(all[k])})
	}
	return []row{single, burst}, nil
}

// starters are the floor, hob and who else can start a job from a command line.
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
	others := []func() (*rival, error){l.tmux, l.screen, l.tsp}
	if !pty {
		others = []func() (*rival, error){l.tsp}
	}
	for _, make := range others {
		r, err := make()
		if err != nil {
			return nil, err
		}
		if r != nil {
			everyone = append(everyone, r)
		}
	}
	return everyone, nil
}

// firstByte starts a job that says something and returns the milliseconds until
// that is in its log.
func firstByte(ctx context.Context, s supervisor) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	w, err := watchLogs(s)
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	j, err := s.launch([]string{"/bin/echo", "x"})
	if err != nil {
		return 0, err
	}
	_, err = w.next(ctx, 1, 1, look)
	took := milliseconds(time.Since(begin))
	return took, join(err, j.wait())
}

// manyStarts starts n jobs, four command lines at a time, and returns the
// milliseconds until all have said something.
func manyStarts(ctx context.Context, s supervisor, n int) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel()
	w, err := watchLogs(s)
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	slots := make(chan struct{}, 4)
	failures := make(chan error, n)
	var clients sync.WaitGroup
	for range n {
		slots <- struct{}{}
		j, err := s.launch([]string{"/bin/echo", "x"})
		if err != nil {
			clients.Wait()
			return 0, err
		}
		clients.Go(func() {
			if err := j.wait(); err != nil {
				failures <- err
			}
			<-slots
		})
	}
	_, err = w.next(ctx, n, 1, time.Millisecond)
	took := milliseconds(time.Since(begin))
	clients.Wait()
	close(failures)
	return took, join(err, <-failures)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
