//go:build linux

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// logs is about the log pane on one large log of a job that has ended: how long
// it takes to show its start, its end and a rare word, and how much memory that
// needs. less is the floor, and grep -c where lines are counted.
func logs(l *lab) {
	mib := int64(l.count(1024, 256))
	count := mib << 20 / lineWidth
	h := l.hob()
	log := bigLog{path: h.ended(l, mib<<20), lines: count, rare: number(count / 2), last: number(count - 1)}
	hob := log.inHob(l, h)
	l.release()
	less, grep := log.inLess(l), log.grep(l)
	row := func(what, aim, floor string, f, n float64) {
		r := newRow("logs "+what, "%.1f ms", aim)
		if f == 0 {
			r.addNone(floor, "")
		} else {
			r.add(floor, f, "")
		}
		l.print(r.add("hob", n, ""))
	}
	grown := func(peak int64, note string) {
		r := newRow("logs the same: resident memory at its peak", "%+.1f MiB", "+20 MiB").addNone("less", "")
		l.print(r.add("hob", mebibytes(peak-hob.before), note))
	}
	row(fmt.Sprintf("a log of %d MiB is opened at its end", mib), "50 ms", "less", less.open, hob.open)
	row("jump to its start", "50 ms", "less", less.start, hob.start)
	row("jump to its end", "50 ms", "less", less.end, hob.end)
	row("a rare word is found in its middle, and all of it searched", "1.5 s", "less", less.rare, hob.rare)
	grown(hob.rarePeak, "")
	row(fmt.Sprintf("a word on all %d lines is counted", count), "–", "grep -c", grep, hob.common)
	grown(hob.peak, fmt.Sprintf("(%+.1f MiB of it its own)", mebibytes(hob.own)))
}

// number is a line's, as the lines program writes it.
func number(n int64) string { return fmt.Sprintf("%012d", n) }

// ended makes a job that has written a log of so many bytes and ended, and one
// after it with a short log.
func (p *program) ended(l *lab, size int64) (path string) {
	for _, words := range [][]string{{l.bin("lines"), strconv.FormatInt(size, 10)}, {"echo", "short"}} {
		output(p.command(append([]string{"run", "-b", "--no-pty", "--log-limit", "2GiB", "--"}, words...)...))
		output(p.command("wait", "@"))
	}
	found := must(filepath.Glob(filepath.Join(p.logs, "lines-*", "output.log")))
	if len(found) != 1 || !l.waitSize(floodLimit, found[0], size) {
		check(fmt.Errorf("logs of the job: %v", found))
	}
	return found[0]
}

// bigLog is the log that is looked at.
type bigLog struct {
	path       string
	lines      int64
	rare, last string
}

// looked is what looking at it took: milliseconds, 0 without the program, and bytes.
type looked struct {
	open, start, end, rare, common float64

	before, rarePeak, peak int64 // resident
	own                    int64 // growth of what belongs to no file
}

// timed types text, waits until want is drawn and returns how long that took.
func (v *viewer) timed(text, want string) float64 {
	begin := time.Now()
	v.press(text)
	v.see(want)
	took := since(begin)
	v.l.rest(200 * time.Millisecond) // until what follows is drawn too
	return took
}

func (b bigLog) inHob(l *lab, h *program) (found looked) {
	v := l.view(h.command())
	defer v.close()
	v.see("echo short")
	l.rest(200 * time.Millisecond)
	found.before = peak(v.pid())
	own := anonymous(v.pid())
	found.open = v.timed("j", b.last)
	v.timed("\r", "Esc list")
	found.start = v.timed("g", number(0))
	found.end = v.timed("G", b.last)
	v.timed("/"+b.rare, b.rare)
	found.rare = v.timed("\r", "1 of 1")
	found.rarePeak = peak(v.pid())
	v.press("\x1b")
	v.shows(viewLimit, b.rare, "1 of 1") // until the search is left
	v.timed("g", number(0))
	v.timed("/brown fox", "brown fox")
	found.common = v.timed("\r", "1 of "+strconv.FormatInt(b.lines, 10))
	found.own = anonymous(v.pid()) - own
	found.peak = peak(v.pid())
	return found
}

// inLess does the same in less, without the line numbers that it would count.
func (b bigLog) inLess(l *lab) (found looked) {
	if !installed("less") {
		return found
	}
	begin := time.Now()
	v := l.view(exec.Command("less", "-n", "+G", b.path))
	defer v.close()
	v.see(b.last)
	found.open = since(begin)
	found.start = v.timed("g", number(0))
	found.end = v.timed("G", b.last)
	v.timed("g", number(0))
	v.timed("/"+b.rare, b.rare)
	found.rare = v.timed("\r", number(b.lines/2+1))
	return found
}

// grep counts all lines.
func (b bigLog) grep(l *lab) float64 {
	if !installed("grep") {
		return 0
	}
	begin := time.Now()
	out := output(exec.CommandContext(l.ctx, "grep", "-c", "brown fox", b.path))
	if strings.TrimSpace(out) != strconv.FormatInt(b.lines, 10) {
		check(fmt.Errorf("grep counts %q", out))
	}
	return since(begin)
}
