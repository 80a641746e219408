//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// theEnd is what the job's screen ends with.
const theEnd = "all was written"

// attaches is about attaching to a job that has written a large log through its
// terminal and goes on: how long until its screen is there, in the full window
// and passed through. The floor is a hob that only says its version.
func attaches(ctx context.Context, l *lab) (_ []row, err error) {
	defer func() { err = join(err, l.release()) }()
	mib := l.count(1024, 64)
	h, err := l.hob()
	if err != nil {
		return nil, err
	}
	script := fmt.Sprintf("%s %d; echo %s; exec sleep 600", l.bin("lines"), mib<<20, theEnd)
	if out, err := h.command("run", "-b", "-n", "large", "--log-limit", "2GiB", "-c", script).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	if out, err := h.command("wait", "--for", theEnd, "large").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	r := row{what: fmt.Sprintf("attach to a job with a log of %d MiB, until its screen is drawn", mib), format: "%.1f ms", aim: "50 ms"}
	for _, way := range []struct {
		who  string
		args []string
		sign string
	}{
		{"hob --version", []string{"--version"}, "hob"},
		{"hob", []string{"attach", "large"}, theEnd},
		{"hob --raw", []string{"attach", "--raw", "large"}, theEnd},
	} {
		var times []float64
		for range l.count(20, 5) {
			begin := time.Now()
			v, err := view(h.command(way.args...))
			if err != nil {
				return nil, err
			}
			err = v.see(ctx, way.sign)
			times = append(times, milliseconds(time.Since(begin)))
			if closed := v.close(); way.who != "hob --version" { // which has ended by itself
				err = errors.Join(err, closed)
			}
			if err != nil {
				return nil, err
			}
		}
		r.values = append(r.values, value{who: way.who, n: median(times)})
	}
	return []row{r}, nil
}
