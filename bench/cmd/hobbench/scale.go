//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// crowd is one size of a state root.
type crowd struct{ finished, running int }

// crowds are the sizes of the curve: each about three times the one before.
func (l *lab) crowds() []crowd {
	if l.short {
		return []crowd{{50, 10}}
	}
	return []crowd{{100, 20}, {300, 60}, {1000, 200}}
}

// scale is how the short verbs and the UI grow with the number of jobs.
func scale(ctx context.Context, l *lab) ([]row, error) {
	var rows []row
	for _, c := range l.crowds() {
		more, err := c.measure(ctx, l)
		if err = errors.Join(err, l.release()); err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func (c crowd) measure(ctx context.Context, l *lab) (rows []row, err error) {
	h, err := l.hob()
	if err != nil {
		return nil, err
	}
	if err := c.gather(ctx, h); err != nil {
		return nil, err
	}
	add := func(what, format string, samples ...float64) {
		rows = append(rows, row{
			what: fmt.Sprintf("scale %d finished, %d running: %s", c.finished, c.running, what), format: format,
			values: []value{{none: true}, {who: "hob", n: median(samples)}},
		})
	}
	for _, verb := range [][]string{{"list"}, {"prompt"}, {"run", "-b", "true"}} {
		var times []float64
		for range l.count(20, 5) {
			begin := time.Now()
			if out, err := h.command(verb...).CombinedOutput(); err != nil {
				return nil, fmt.Errorf("hob %s: %w: %s", verb[0], err, out)
			}
			times = append(times, milliseconds(time.Since(begin)))
		}
		add("hob "+verb[0], "%.1f ms", times...)
	}
	begin := time.Now()
	v, err := view(h.command())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.close()) }()
	if err := v.see(ctx, fmt.Sprintf("%d running", c.running)); err != nil {
		return nil, err
	}
	add("the UI, until it shows them", "%.0f ms", milliseconds(time.Since(begin)))
	if err := v.seeInstead(ctx, "latest", "earliest"); err != nil {
		return nil, err
	}
	var jumps []float64
	for range l.count(20, 5) {
		for _, jump := range []struct{ key, sign, old string }{{"G", "earliest", "latest"}, {"g", "latest", "earliest"}} {
			begin := time.Now()
			if err := v.press(jump.key); err != nil {
				return nil, err
			}
			if err := v.seeInstead(ctx, jump.sign, jump.old); err != nil {
				return nil, err
			}
			jumps = append(jumps, milliseconds(time.Since(begin)))
		}
	}
	add("from one end of the list to the other", "%.1f ms", jumps...)
	held, err := pss([]int{v.pid()})
	if err != nil {
		return nil, err
	}
	add("memory of the UI", "%.1f MiB", float64(held)/(1<<20))
	return rows, nil
}

// gather makes the jobs: one name is at the end of the list, one at its top.
func (c crowd) gather(ctx context.Context, h *hob) error {
	if out, err := h.command("run", "-b", "-n", "earliest", "true").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	if err := finish(ctx, h, c.finished-1, func() (int, error) { return ended(h.root) }); err != nil {
		return err
	}
	if err := startAll(h, c.running-1, []string{"sleep", "3600"}); err != nil {
		return err
	}
	if out, err := h.command("run", "-b", "-n", "latest", "sleep", "3600").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}
