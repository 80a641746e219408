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

// keys is M6: a person types into one job while another floods, and looks at the two in
// turns. The floor of both is what a terminal alone takes to echo a key meanwhile.
func keys(ctx context.Context, l *lab) ([]row, error) {
	n := l.count(400, 100)
	typed := newTimes(fmt.Sprintf("a key typed into the full window of a job while another floods (%d keys)", n))
	quiet := newTimes(fmt.Sprintf("a key in the panes until the quiet job is drawn, the flooding one gone (%d keys)", n/2))
	flood := newTimes("the same, back to the flooding job")
	for _, view := range []struct {
		open func(context.Context, *lab) (*keyboard, error)
		into []*times // of the keys, in turns
	}{
		{typeDirectly, []*times{typed}},
		{typeInHob, []*times{typed}}, {switchInHob, []*times{quiet, flood}},
		{typeInTmux, []*times{typed}}, {switchInTmux, []*times{quiet, flood}},
	} {
		k, err := view.open(ctx, l)
		if err == nil && k != nil {
			err = k.measure(ctx, n, view.into)
			err = errors.Join(err, k.view.close())
		}
		if err = join(err, l.release()); err != nil {
			return nil, err
		}
		if k != nil && k.who == "direct" {
			quiet.copyFloor(typed)
			flood.copyFloor(typed)
		}
	}
	return []row{typed.median, typed.most, typed.grown, quiet.median, quiet.most, flood.median, flood.most, flood.grown}, nil
}

// times are the rows of one kind of key.
type times struct{ median, most, grown row }

func newTimes(what string) *times {
	return &times{
		median: row{what: "M6 " + what + ", median", format: "%.1f ms", aim: "17 ms"},
		most:   row{what: "M6 the same: 95 of 100 within", format: "%.1f ms", aim: "33 ms, none missed"},
		grown:  row{what: "M6 the same: memory of the view at its peak", format: "%.1f MiB", aim: "+6 MiB"},
	}
}

func (t *times) copyFloor(from *times) {
	t.median.values = slices.Clone(from.median.values)
	t.most.values = slices.Clone(from.most.values)
	t.grown.values = slices.Clone(from.grown.values)
}

// keyboard is a person at a view.
type keyboard struct {
	who  string
	view *viewer
	// next is what key i types, what the screen shows then, and what it shows no more
	// if that is not empty.
	next func(i int) (key, text, gone string)
}

// measure types n keys, each when the one before has been drawn, and counts their times
// in turns to those of into.
func (k *keyboard) measure(ctx context.Context, n int, into []*times) error {
	before, err := peak([]int{k.view.pid()})
	if err != nil {
		return err
	}
	took, missed := make([][]float64, len(into)), make([]int, len(into))
	for i := range n {
		if err := linger(ctx, keyEvery); err != nil {
			return err
		}
		key, text, gone := k.next(i)
		late, cancel := context.WithTimeout(ctx, keyPatience)
		begin := time.Now()
		err := k.view.press(key)
		if err == nil {
			err = k.view.seeInstead(late, text, gone)
		}
		cancel()
		turn := i % len(into)
		switch {
		case err == nil:
			took[turn] = append(took[turn], float64(time.Since(begin).Microseconds())/1000)
		case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
			missed[turn]++
		default:
			return err
		}
	}
	most, err := peak([]int{k.view.pid()})
	if err != nil {
		return err
	}
	for turn, t := range into {
		t.add(k.who, took[turn], missed[turn], before, most)
	}
	return nil
}

// add takes the times in ms of the keys that one program has drawn, and its memory in
// bytes before and at its peak.
func (t *times) add(who string, took []float64, missed int, before, most int64) {
	t.median.values = append(t.median.values, value{who: who, n: quantile(took, 50)})
	v := value{who: who, n: quantile(took, 95)}
	if missed > 0 {
		v.note = fmt.Sprintf("%d missed", missed)
	}
	t.most.values = append(t.most.values, v)
	v = value{who: who, none: true}
	if who != "direct" {
		v = value{who: who, n: float64(most) / (1 << 20), note: fmt.Sprintf("+%.1f MiB by the keys", float64(most-before)/(1<<20))}
	}
	t.grown.values = append(t.grown.values, v)
}

// quantile is the sample that percent of all are not above.
func quantile(samples []float64, percent int) float64 {
	if len(samples) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(samples))
	return s[min(len(s)-1, len(s)*percent/100)]
}

// typist types a letter a key, in lines that no other on the screen begins like.
func typist(who string, v *viewer) *keyboard {
	line := ""
	return &keyboard{who: who, view: v, next: func(i int) (key, text, gone string) {
		letter := string(rune('a' + i%26))
		if i%keysInLine == 0 {
			line = fmt.Sprintf("%d:%s", i, letter)
			return "\r" + line, line, ""
		}
		line += letter
		return letter, line, ""
	}}
}

// switcher presses away for the quiet job and back for the flooding one.
func switcher(who string, v *viewer, away, back string) *keyboard {
	return &keyboard{who: who, view: v, next: func(i int) (key, text, gone string) {
		if i%2 == 0 {
			return away, quietText, floodText
		}
		return back, floodText, quietText
	}}
}

// typeDirectly types into a cat on a terminal without anybody between, while a
// flood goes through hob: what the machine has left.
func typeDirectly(_ context.Context, l *lab) (*keyboard, error) {
	h, err := l.hob()
	if err != nil {
		return nil, err
	}
	if err := h.flood(l); err != nil {
		return nil, err
	}
	v, err := view(exec.Command("sh", "-c", sink))
	return typist("direct", v), err
}

func typeInHob(ctx context.Context, l *lab) (*keyboard, error) {
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
	return typist("hob", v), v.see(ctx, "attached")
}

// switchInHob looks at the panes, in which the newest job is the first.
func switchInHob(ctx context.Context, l *lab) (*keyboard, error) {
	h, err := l.hob()
	if err != nil {
		return nil, err
	}
	if out, err := h.command(append([]string{"run", "-b", "-n", "quiet", "--"}, quietOne()...)...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	if err := h.flood(l); err != nil {
		return nil, err
	}
	v, err := view(h.command())
	if err != nil {
		return nil, err
	}
	return switcher("hob", v, "j", "k"), v.see(ctx, floodText)
}

func typeInTmux(ctx context.Context, l *lab) (*keyboard, error) {
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
	return typist("tmux", v), v.see(ctx, "[cat]")
}

// switchInTmux has a window a job.
func switchInTmux(ctx context.Context, l *lab) (*keyboard, error) {
	r, err := l.tmux()
	if r == nil || err != nil {
		return nil, err
	}
	r.n.Add(1)
	words := append(r.words("new-session", "-d", "-s", "both", "-x", "120", "-y", "40"), quietOne()...)
	words = append(append(words, ";", "new-window"), endless(l)...)
	if out, err := r.command(words...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("tmux: %w: %s", err, out)
	}
	v, err := view(r.tool("attach", "-t", "both"))
	if err != nil {
		return nil, err
	}
	const nextWindow = "\x02n"
	return switcher("tmux", v, nextWindow, nextWindow), v.see(ctx, floodText)
}

// quietOne is a command that prints quietText, which is not in it, and no more.
func quietOne() []string {
	return []string{"sh", "-c", "printf 'all %s\\n' silent; exec sleep 3600"}
}

const quietText = "all silent"

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
