//go:build linux

package main

import (
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
	// keyLimit is how long a key may take to be drawn; after that it is missed.
	keyLimit   = 2 * time.Second
	keysInLine = 50
)

// keys is M6: a person types into one job while another floods, and looks at the two in
// turns. The floor of both is what a terminal alone takes to echo a key meanwhile.
func keys(l *lab) {
	n := l.count(400, 100)
	typed := newTimes(fmt.Sprintf("a key typed into the full window of a job while another floods (%d keys)", n))
	quiet := newTimes(fmt.Sprintf("a key in the panes until the quiet job is drawn, the flooding one gone (%d keys)", n/2))
	flood := newTimes("the same, back to the flooding job")
	for _, view := range []struct {
		open func(*lab) *keyboard
		into []*times // of the keys, in turns
	}{
		{typeDirectly, []*times{typed}},
		{typeInHob, []*times{typed}}, {switchInHob, []*times{quiet, flood}},
		{typeInTmux, []*times{typed}}, {switchInTmux, []*times{quiet, flood}},
	} {
		k := view.open(l)
		if k == nil {
			continue
		}
		k.measure(l, n, view.into)
		l.release()
		if k.who == "direct" {
			quiet.copyFloor(typed)
			flood.copyFloor(typed)
		}
	}
	l.print(typed.median, typed.most, typed.grown, quiet.median, quiet.most, flood.median, flood.most, flood.grown)
}

// times are the rows of one kind of key.
type times struct{ median, most, grown *row }

func newTimes(what string) *times {
	return &times{
		median: newRow("M6 "+what+", median", "%.1f ms", "17 ms"),
		most:   newRow("M6 the same: 95 of 100 within", "%.1f ms", "33 ms, none missed"),
		grown:  newRow("M6 the same: memory of the view at its peak", "%.1f MiB", "+6 MiB"),
	}
}

func (t *times) copyFloor(from *times) {
	t.median.values = slices.Clone(from.median.values)
	t.most.values = slices.Clone(from.most.values)
	t.grown.values = slices.Clone(from.grown.values)
}

// add adds the times in ms of the keys that one program has drawn, and its memory in
// bytes before and at its peak.
func (t *times) add(who string, took []float64, missed int, before, most int64) {
	t.median.add(who, quantile(took, 50), "")
	note := ""
	if missed > 0 {
		note = fmt.Sprintf("%d missed", missed)
	}
	t.most.add(who, quantile(took, 95), note)
	if who == "direct" {
		t.grown.addNone(who, "")
	} else {
		t.grown.add(who, mebibytes(most), fmt.Sprintf("+%.1f MiB by the keys", mebibytes(most-before)))
	}
}

// keyboard is a person at a view.
type keyboard struct {
	who  string
	view *viewer
	// next returns the key to type in step i, the text that the screen shows after it, and, unless
	// empty, the text that must have left the screen.
	next func(i int) (key, text, gone string)
}

// newKeyboard is a keyboard at a view, which is closed with the lab, once it shows ready.
func newKeyboard(who string, v *viewer, ready string, next func(i int) (key, text, gone string)) *keyboard {
	v.l.Cleanup(v.close)
	v.see(ready)
	return &keyboard{who, v, next}
}

// measure types n keys, each when the one before has been drawn, and counts their times
// in turns to those of into.
func (k *keyboard) measure(l *lab, n int, into []*times) {
	before := peak(k.view.pid())
	took, missed := make([][]float64, len(into)), make([]int, len(into))
	for i := range n {
		l.rest(keyEvery)
		key, text, gone := k.next(i)
		begin := time.Now()
		k.view.press(key)
		if k.view.shows(keyLimit, text, gone) {
			took[i%len(into)] = append(took[i%len(into)], since(begin))
		} else {
			missed[i%len(into)]++
		}
	}
	most := peak(k.view.pid())
	for turn, t := range into {
		t.add(k.who, took[turn], missed[turn], before, most)
	}
}

// letters types a letter a key, in lines that no other on the screen begins like.
func letters() func(i int) (key, text, gone string) {
	line := ""
	return func(i int) (key, text, gone string) {
		letter := string(rune('a' + i%26))
		if i%keysInLine == 0 {
			line = fmt.Sprintf("%d:%s", i, letter)
			return "\r" + line, line, ""
		}
		line += letter
		return letter, line, ""
	}
}

// switches presses away for the quiet job and back for the flooding one.
func switches(away, back string) func(i int) (key, text, gone string) {
	return func(i int) (key, text, gone string) {
		if i%2 == 0 {
			return away, quietText, floodText
		}
		return back, floodText, quietText
	}
}

// typeDirectly types into cat on a terminal without hob, while hob handles a flood of output: it
// measures what the load of the machine alone costs.
func typeDirectly(l *lab) *keyboard {
	l.hob().flood(l)
	return newKeyboard("direct", l.view(exec.Command("sh", "-c", sink)), "", letters())
}

func typeInHob(l *lab) *keyboard {
	h := l.hob()
	h.flood(l)
	output(h.command("run", "-b", "-n", "cat", "-c", sink))
	return newKeyboard("hob", l.view(h.command("attach", "cat")), "attached", letters())
}

// switchInHob looks at the panes, in which the newest job is the first.
func switchInHob(l *lab) *keyboard {
	h := l.hob()
	output(h.command(append([]string{"run", "-b", "-n", "quiet", "--"}, quietOne()...)...))
	h.flood(l)
	return newKeyboard("hob", l.view(h.command()), floodText, switches("j", "k"))
}

func typeInTmux(l *lab) *keyboard {
	t := l.tmux()
	if t == nil {
		return nil
	}
	output(t.session("flood", endless(l)...))
	output(t.session("cat", "sh", "-c", sink))
	return newKeyboard("tmux", l.view(t.command("attach", "-t", "cat")), "[cat]", letters())
}

// switchInTmux has a window a job.
func switchInTmux(l *lab) *keyboard {
	t := l.tmux()
	if t == nil {
		return nil
	}
	output(t.session("both", slices.Concat(quietOne(), []string{";", "new-window"}, endless(l))...))
	const nextWindow = "\x02n"
	return newKeyboard("tmux", l.view(t.command("attach", "-t", "both")), floodText, switches(nextWindow, nextWindow))
}

// quietOne is a command that prints quietText, which is not in it, and another line, which is the one that
// the list shows.
func quietOne() []string {
	return []string{"sh", "-c", "printf 'all %s\\n' silent; echo ready; exec sleep 3600"}
}

const quietText = "all silent"

// sink reads what is typed; the terminal alone echoes it.
const sink = "exec cat >/dev/null"

// endless is a command that writes numbered lines without end.
func endless(l *lab) []string { return []string{l.bin("lines"), strconv.FormatInt(math.MaxInt64, 10)} }

// floodText is in each of them, behind what the list has room for.
const floodText = "fox jumps"

// flood starts a job that writes lines without end, with a small log.
func (p *program) flood(l *lab) {
	output(p.command(append([]string{"run", "-b", "-n", "flood", "--log-limit", "64MiB", "--"}, endless(l)...)...))
}
