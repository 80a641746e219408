//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

// lineWidth is the length of the generator's lines, the line feed included.
const lineWidth = 64

// floodPatience is how long a flood may take.
const floodPatience = time.Minute

// floods is M2: a job writes lines as fast as it can, with and without a
// terminal.
func floods(ctx context.Context, l *lab) ([]row, error) {
	var rows []row
	for _, pty := range []bool{true, false} {
		some, err := flood(ctx, l, pty)
		rows = append(rows, some...)
		if err = join(err, l.release()); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// flooded is what one program did with a flood.
type flooded struct {
	seconds []float64
	cpu     []float64 // seconds of those who supervise, a GB
	growth  []float64 // bytes of resident memory at most, over that before
	lost    int64     // lines, when the job ended right after the last
	failed  bool      // it did not get all of it into the log in time
}

func flood(ctx context.Context, l *lab, pty bool) ([]row, error) {
	everyone, err := l.starters(pty)
	if err != nil {
		return nil, err
	}
	bytes := int64(l.count(256, 16)) << 20
	results := make([]flooded, len(everyone))
	for range l.count(5, 1) {
		for k, s := range everyone {
			if results[k].failed {
				continue
			}
			err := results[k].measure(ctx, l, s, bytes, pty)
			if _, other := s.(*rival); other && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
				fmt.Fprintf(l.stderr, "left out: %s: %v\n", s.name(), err)
				results[k].failed = true
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name(), err)
			}
		}
	}
	for k, s := range everyone {
		if results[k].failed {
			continue
		}
		if results[k].lost, err = lostAtExit(ctx, l, s, bytes/8, pty); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name(), err)
		}
	}
	how, aim := "through a terminal", "1.1x, nothing lost"
	if !pty {
		how, aim = "without a terminal", "1x"
	}
	size := fmt.Sprintf("%d MiB of lines %s", bytes>>20, how)
	speed := row{what: "M2 " + size, format: "%.2f s", aim: aim}
	cpu := row{what: "M2 the same: processor time of the supervisor, for a GB", format: "%.1f s", aim: "8 s"}
	grown := row{what: "M2 the same: resident memory at its peak", format: "%.1f MiB", aim: "flat"}
	if !pty {
		cpu.aim = "0 s"
	}
	for k, s := range everyone {
		r := results[k]
		if r.failed {
			speed.values = append(speed.values, value{who: s.name(), none: true, note: fmt.Sprintf("not within %.0f s", floodPatience.Seconds())})
			continue
		}
		v := value{who: s.name(), n: median(r.seconds), note: fmt.Sprintf("%.0f MB/s", float64(bytes)/median(r.seconds)/1e6)}
		if r.lost != 0 {
			v.note += fmt.Sprintf(", %d lines lost at exit", r.lost)
		}
		speed.values = append(speed.values, v)
		cpu.values = append(cpu.values, value{who: s.name(), n: median(r.cpu), none: len(r.cpu) == 0})
		grown.values = append(grown.values, value{who: s.name(), n: median(r.growth) / (1 << 20), none: len(r.growth) == 0})
	}
	return []row{speed, cpu, grown}, nil
}

// expected is the size of the log: a terminal makes CR LF of each LF.
func expected(bytes int64, pty bool) int64 {
	if pty {
		return bytes + bytes/lineWidth
	}
	return bytes
}

func (f *flooded) measure(ctx context.Context, l *lab, s supervisor, bytes int64, pty bool) error {
	ctx, cancel := context.WithTimeout(ctx, floodPatience)
	defer cancel()
	w, err := watchLogs(s)
	if err != nil {
		return err
	}
	var before time.Duration
	if pids, err := s.keepers(); err == nil { // a server that is not there yet has used none
		if before, err = cpuTime(pids); err != nil {
			return err
		}
	}
	begin := time.Now()
	j, err := s.launch([]string{l.bin("lines"), strconv.FormatInt(bytes, 10), "60s"})
	if err != nil {
		return err
	}
	logs, err := w.next(ctx, 1, time.Millisecond)
	if err != nil {
		return err
	}
	if err := sizeOf(ctx, logs[0], expected(bytes, pty)); err != nil {
		return err
	}
	f.seconds = append(f.seconds, time.Since(begin).Seconds())
	if err := f.look(s, before, bytes); err != nil {
		return err
	}
	if err := endJob(s, j); err != nil {
		return err
	}
	return os.Truncate(logs[0], 0) // the disk is not what is measured
}

// look notes what the supervisor has used.
func (f *flooded) look(s supervisor, before time.Duration, bytes int64) error {
	pids, err := s.keepers()
	if err != nil || len(pids) == 0 {
		return err
	}
	used, err := cpuTime(pids)
	if err != nil {
		return err
	}
	most, err := peak(pids)
	if err != nil {
		return err
	}
	f.cpu = append(f.cpu, (used-before).Seconds()/float64(bytes)*1e9)
	f.growth = append(f.growth, float64(most))
	return nil
}

// endJob ends the newest job and waits for its command line.
func endJob(s supervisor, j *launched) error {
	if f, ok := s.(*floor); ok {
		return f.close()
	}
	err := j.wait()
	k, ok := s.(killer)
	if !ok {
		return errors.Join(err, fmt.Errorf("%s cannot end a job", s.name()))
	}
	kill, killErr := k.killing(j)
	if killErr == nil {
		killErr = kill.Run()
	}
	return errors.Join(err, killErr)
}

// lostAtExit has a job end right after its last line and counts the lines that
// are not in its log, in order.
func lostAtExit(ctx context.Context, l *lab, s supervisor, bytes int64, pty bool) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	w, err := watchLogs(s)
	if err != nil {
		return 0, err
	}
	j, err := s.launch([]string{l.bin("lines"), strconv.FormatInt(bytes, 10)})
	if err != nil {
		return 0, err
	}
	logs, err := w.next(ctx, 1, time.Millisecond)
	if err = join(err, j.wait()); err != nil {
		return 0, err
	}
	arrives, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	if err := sizeOf(arrives, logs[0], expected(bytes, pty)); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return 0, err
	}
	return missing(logs[0], bytes/lineWidth)
}

// missing counts the lines of the generator that are not in the log where they
// should be.
func missing(log string, n int64) (int64, error) {
	f, err := os.Open(log)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	next, there := int64(0), int64(0)
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		number, err := strconv.ParseInt(string(lines.Bytes()[:min(12, len(lines.Bytes()))]), 10, 64)
		if err == nil && number >= next {
			there++
			next = number + 1
		}
	}
	return n - there, lines.Err()
}
