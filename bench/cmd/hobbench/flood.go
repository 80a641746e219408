//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

// lineWidth is the length of the generator's lines, the line feed included.
const lineWidth = 64

// floodLimit is how long a flood may take.
const floodLimit = time.Minute

// floods is M2: a job writes lines as fast as it can, with and without a
// terminal.
func floods(l *lab) {
	size := int64(l.count(256, 16)) << 20
	for _, f := range []*flood{
		{l: l, pty: true, size: size, logged: size + size/lineWidth, how: "through a terminal", aim: "1.1x, nothing lost", cpuAim: "8 s"},
		{l: l, size: size, logged: size, how: "without a terminal", aim: "1x", cpuAim: "0 s"},
	} {
		f.measure()
		l.release()
	}
}

// flood is one way to write so many bytes.
type flood struct {
	l            *lab
	pty          bool
	size, logged int64 // a terminal makes CR LF of each LF
	how          string
	aim, cpuAim  string
}

// flooded is what one program did with a flood.
type flooded struct {
	seconds []float64
	cpu     []float64 // seconds of the processes that supervise, a GB
	memory  []float64 // MiB resident at most
	failed  bool      // the log did not get everything in time
}

func (f *flood) measure() {
	everyone := f.l.starters(f.pty)
	results := make([]flooded, len(everyone))
	inTurns(f.l.count(5, 1), everyone, func(k int, p *program) {
		if results[k].failed {
			return
		}
		err := attempt(func() { f.once(p, &results[k]) })
		results[k].failed = p.name == "tmux" && errors.Is(err, errTooLate)
		if !results[k].failed {
			check(err)
		}
	})
	speed := newRow(fmt.Sprintf("M2 %d MiB of lines %s", f.size>>20, f.how), "%.2f s", f.aim)
	cpu := newRow("M2 the same: processor time of the supervisor, for a GB", "%.1f s", f.cpuAim)
	grown := newRow("M2 the same: resident memory at its peak", "%.1f MiB", "flat")
	inTurns(1, everyone, func(k int, p *program) {
		r := results[k]
		if r.failed {
			speed.addNone(p.name, fmt.Sprintf("not within %.0f s", floodLimit.Seconds()))
			return
		}
		note := fmt.Sprintf("%.0f MB/s", float64(f.size)/quantile(r.seconds, 50)/1e6)
		if lost := f.lostAtExit(p); lost != 0 {
			note += fmt.Sprintf(", %d lines lost at exit", lost)
		}
		speed.addMedian(p.name, r.seconds, note)
		cpu.addMedian(p.name, r.cpu, "")
		grown.addMedian(p.name, r.memory, "")
	})
	f.l.print(speed, cpu, grown)
}

// once measures one flood, whose job stays until the supervisor was looked at.
func (f *flood) once(p *program, r *flooded) {
	w := f.l.watchLogs(p)
	before := cpuTime(p.keepers()...)
	begin := time.Now()
	j := p.launch(f.l.bin("lines"), strconv.FormatInt(f.size, 10), "60s")
	log := w.one(floodLimit)
	if !f.l.waitSize(floodLimit-time.Since(begin), log, f.logged) {
		check(errTooLate)
	}
	r.seconds = append(r.seconds, time.Since(begin).Seconds())
	if pids := p.keepers(); len(pids) > 0 {
		r.cpu = append(r.cpu, (cpuTime(pids...)-before).Seconds()/float64(f.size)*1e9)
		r.memory = append(r.memory, mebibytes(peak(pids...)))
	}
	p.end(j)
	check(os.Truncate(log, 0)) // the disk is not what is measured
}

// lostAtExit has a job end right after its last line and counts the lines that
// are not in its log, in order.
func (f *flood) lostAtExit(p *program) int64 {
	w := f.l.watchLogs(p)
	few := f.size / 8
	j := p.launch(f.l.bin("lines"), strconv.FormatInt(few, 10))
	log := w.one(floodLimit)
	check(j.wait())
	f.l.waitSize(3*time.Second, log, f.logged/8) // what comes later is lost
	return few/lineWidth - linesInOrder(log)
}

// linesInOrder counts the lines of the generator in a log that follow one before
// them.
func linesInOrder(log string) (n int64) {
	f := must(os.Open(log))
	defer f.Close()
	next := int64(0)
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		number, err := strconv.ParseInt(string(lines.Bytes()[:min(12, len(lines.Bytes()))]), 10, 64)
		if err == nil && number >= next {
			n, next = n+1, number+1
		}
	}
	check(lines.Err())
	return n
}
