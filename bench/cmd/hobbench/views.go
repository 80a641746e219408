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

// floodedViews is M8: what goes to the terminal while the job that is shown
// floods.
func floodedViews(ctx context.Context, l *lab) ([]row, error) {
	inPanes := row{what: "M8 to the terminal in a second, the log of a flooding job shown", format: "%.0f kB", aim: "30 kB"}
	inFull := row{what: "M8 the same, in the full window", format: "%.0f kB", aim: "30 kB"}
	for _, full := range []bool{false, true} {
		h, err := l.hob()
		if err != nil {
			return nil, err
		}
		if err := h.flood(l); err != nil {
			return nil, err
		}
		cmd, r := h.command(), &inPanes
		if full {
			cmd, r = h.command("attach", "flood"), &inFull
		}
		v, err := view(cmd)
		if err != nil {
			return nil, err
		}
		n, err := bytesShown(ctx, l, v)
		r.values = append(r.values, value{none: true}, value{who: "hob", n: n})
		if err = join(errors.Join(err, v.close()), l.release()); err != nil {
			return nil, err
		}
	}
	t, err := l.tmux()
	if t == nil || err != nil {
		return []row{inPanes, inFull}, err
	}
	t.n.Add(1)
	words := append([]string{"new-session", "-d", "-s", "flood", "-x", "120", "-y", "40"}, endless(l)...)
	if out, err := t.tool(words...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("tmux: %w: %s", err, out)
	}
	v, err := view(t.tool("attach", "-t", "flood"))
	if err != nil {
		return nil, err
	}
	n, err := bytesShown(ctx, l, v)
	inFull.values = append(inFull.values, value{who: "tmux", n: n})
	return []row{inPanes, inFull}, join(errors.Join(err, v.close()), l.release())
}

// bytesShown is how many kB a second the view writes to its terminal.
func bytesShown(ctx context.Context, l *lab, v *viewer) (float64, error) {
	if err := v.see(ctx, floodText); err != nil {
		return 0, err
	}
	if err := linger(ctx, time.Second); err != nil {
		return 0, err
	}
	before, begin := v.drawn(), time.Now()
	if err := linger(ctx, time.Duration(l.count(10, 4))*time.Second); err != nil {
		return 0, err
	}
	return float64(v.drawn()-before) / time.Since(begin).Seconds() / 1000, nil
}

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
