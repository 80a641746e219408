//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strconv"
	"time"
)

const (
	// keyEvery is the time between two keys: no multiple of a frame's.
	keyEvery = 23 * time.Millisecond
	// keyPatience is how long a key may take to be drawn; after that it is missed.
	keyPatience = 2 * time.Second
	keysInLine  = 50
)

// keys is M6: somebody types into one job while another floods.
func keys(ctx context.Context, l *lab) ([]row, error) {
	n := l.count(400, 100)
	half := row{what: fmt.Sprintf("M6 a key to be drawn while another job floods, median of %d", n), format: "%.1f ms", aim: "8 ms", alone: true}
	most := row{what: "M6 the same: 95 of 100 within", format: "%.1f ms", aim: "16 ms, none missed", alone: true}
	grown := row{what: "M6 the same: memory of the view at its peak", format: "%.1f MiB", aim: "flat", alone: true}
	for _, open := range []func(context.Context, *lab) (*typing, error){typeDirectly, typeInHob, typeInTmux} {
		t, err := open(ctx, l)
		if err == nil && t != nil {
			err = t.measure(ctx, n)
			half.values = append(half.values, value{who: t.who, n: quantile(t.took, 50)})
			v := value{who: t.who, n: quantile(t.took, 95)}
			if t.missed > 0 {
				v.note = fmt.Sprintf("%d missed", t.missed)
			}
			most.values = append(most.values, v)
			grown.values = append(grown.values, value{who: t.who, n: float64(t.most) / (1 << 20), none: t.who == "direct", note: t.note})
			err = errors.Join(err, t.view.close())
		}
		if err = join(err, l.release()); err != nil {
			return nil, err
		}
	}
	return []row{half, most, grown}, nil
}

// typing is somebody who types into a cat that another program shows.
type typing struct {
	who    string
	view   *viewer
	took   []float64 // milliseconds a key
	missed int
	most   int64 // bytes resident at the peak
	note   string
}

// measure types n keys, each when the one before has been drawn.
func (t *typing) measure(ctx context.Context, n int) error {
	before, err := peak([]int{t.view.pid()})
	if err != nil {
		return err
	}
	line := ""
	for i := range n {
		if i%keysInLine == 0 {
			line = fmt.Sprintf("%d:", i) // no other line on the screen begins so
			if err := t.view.press("\r" + line); err != nil {
				return err
			}
			if err := t.view.see(ctx, line); err != nil {
				return err
			}
		}
		if err := linger(ctx, keyEvery); err != nil {
			return err
		}
		key := string(rune('a' + i%26))
		line += key
		late, cancel := context.WithTimeout(ctx, keyPatience)
		begin := time.Now()
		err := t.view.press(key)
		if err == nil {
			err = t.view.see(late, line)
		}
		cancel()
		switch {
		case err == nil:
			t.took = append(t.took, float64(time.Since(begin).Microseconds())/1000)
		case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
			t.missed++
		default:
			return err
		}
	}
	if t.most, err = peak([]int{t.view.pid()}); err != nil {
		return err
	}
	if t.who != "direct" {
		t.note = fmt.Sprintf("+%.1f MiB while typing", float64(t.most-before)/(1<<20))
	}
	return nil
}

// quantile is the sample that percent of all are not above.
func quantile(samples []float64, percent int) float64 {
	if len(samples) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(samples))
	return s[min(len(s)-1, len(s)*percent/100)]
}

// typeDirectly types into a cat on a terminal without anybody between, while a
// flood goes through hob: what the machine has left.
func typeDirectly(_ context.Context, l *lab) (*typing, error) {
	h, err := l.hob()
	if err != nil {
		return nil, err
	}
	if err := h.flood(l); err != nil {
		return nil, err
	}
	v, err := view(exec.Command("sh", "-c", sink))
	return &typing{who: "direct", view: v}, err
}

func typeInHob(ctx context.Context, l *lab) (*typing, error) {
	h, err := l.hob()
	if err != nil {
		return nil, err
	}
	if err := h.flood(l); err != nil {
		return nil, err
	}
	if out, err := h.command("run", "-b", "-n", "cat", "-c", sink).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	v, err := view(h.command("attach", "cat"))
	if err != nil {
		return nil, err
	}
	return &typing{who: "hob", view: v}, v.see(ctx, "attached")
}

func typeInTmux(ctx context.Context, l *lab) (*typing, error) {
	r, err := l.tmux()
	if r == nil || err != nil {
		return nil, err
	}
	r.n.Add(1)
	for name, argv := range map[string][]string{"flood": endless(l), "cat": {"sh", "-c", sink}} {
		words := append(r.words("new-session", "-d", "-s", name, "-x", "120", "-y", "40"), argv...)
		if out, err := r.command(words...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("tmux: %w: %s", err, out)
		}
	}
	v, err := view(r.tool("attach", "-t", "cat"))
	if err != nil {
		return nil, err
	}
	return &typing{who: "tmux", view: v}, v.see(ctx, "[cat]")
}

// sink reads what is typed; the terminal alone echoes it.
const sink = "exec cat >/dev/null"

// endless is a command that writes numbered lines without end.
func endless(l *lab) []string { return []string{l.bin("lines"), strconv.FormatInt(math.MaxInt64, 10)} }

// floodText is in each of them.
const floodText = "the quick brown fox"

// flood starts a job that writes lines without end, with a small log.
func (h *hob) flood(l *lab) error {
	args := append([]string{"run", "-b", "-n", "flood", "--log-limit", "64MiB", "--"}, endless(l)...)
	if out, err := h.command(args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}
