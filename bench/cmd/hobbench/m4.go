//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// settling is how long a view may take to draw what does not change afterwards.
const settling = 3 * time.Second

// idleViews is M4: the UI is open on idle jobs.
func idleViews(ctx context.Context, l *lab) (rows []row, err error) {
	h, err := l.hob()
	if err != nil {
		return nil, err
	}
	defer func() { err = join(err, l.release()) }()
	const jobs = 100
	for range jobs {
		j, err := h.launch([]string{"sleep", "3600"})
		if err = join(err, j.wait()); err != nil {
			return nil, err
		}
	}
	v, err := view(h.command())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.close()) }()
	if err := v.see(ctx, fmt.Sprintf("%d running", jobs)); err != nil {
		return nil, err
	}
	if err := linger(ctx, settling); err != nil {
		return nil, err
	}
	span := time.Duration(l.count(60, 10)) * time.Second
	used, err := cpuTime([]int{v.pid()})
	if err != nil {
		return nil, err
	}
	bytes := v.drawn()
	if err := linger(ctx, span); err != nil {
		return nil, err
	}
	after, err := cpuTime([]int{v.pid()})
	if err != nil {
		return nil, err
	}
	cpu := (after - used).Seconds() * time.Minute.Seconds() / span.Seconds()
	drawn := float64(v.drawn()-bytes) / span.Seconds() / 1000
	what := fmt.Sprintf("M4 the UI open on %d idle jobs", jobs)
	return []row{
		{what: what + ": processor time in a minute", format: "%.2f s", aim: "0.6 s",
			values: []value{{none: true}, {who: "hob", n: cpu}}},
		{what: "M4 the same: to the terminal in a second", format: "%.2f kB", aim: "1 kB",
			values: []value{{none: true}, {who: "hob", n: drawn}}},
	}, nil
}
