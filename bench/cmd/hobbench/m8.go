//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

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
