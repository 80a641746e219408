//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// logs is about the log pane on one large log of a job that has ended: how long
// it takes to be there, at its start, at its end, at a rare word, and what that
// takes in memory. less is the floor, and grep -c where lines are counted.
func logs(ctx context.Context, l *lab) ([]row, error) {
	mib := int64(l.count(1024, 256))
	h, err := l.hob()
	if err != nil {
		return nil, err
	}
	path, err := h.ended(ctx, l, mib<<20)
	if err != nil {
		return nil, errors.Join(err, l.release())
	}
	lines := mib << 20 / 64
	big := bigLog{path: path, lines: lines, rare: number(lines / 2), last: number(lines - 1)}
	hob, err := big.inHob(ctx, h)
	if err = join(err, l.release()); err != nil {
		return nil, err
	}
	less, err := big.inLess(ctx)
	if err != nil {
		return nil, err
	}
	grep, err := big.grep(ctx)
	if err != nil {
		return nil, err
	}
	ms := func(what, aim, floor string, f, n time.Duration) row {
		return row{what: "logs " + what, format: "%.1f ms", aim: aim, values: []value{
			{who: floor, n: float64(f.Microseconds()) / 1000, none: f == 0}, {who: "hob", n: float64(n.Microseconds()) / 1000},
		}}
	}
	grown := func(what, aim string, n int64, note string) row {
		return row{what: "logs the same: " + what, format: "%+.1f MiB", aim: aim, values: []value{
			{who: "less", none: true}, {who: "hob", n: float64(n) / (1 << 20), note: note},
		}}
	}
	return []row{
		ms(fmt.Sprintf("a log of %d MiB is opened at its end", mib), "50 ms", "less", less.open, hob.open),
		ms("jump to its start", "50 ms", "less", less.start, hob.start),
		ms("jump to its end", "50 ms", "less", less.end, hob.end),
		ms("a rare word is found in its middle, and all of it searched", "1.5 s", "less", less.rare, hob.rare),
		grown("resident memory at its peak", "+20 MiB", hob.rarePeak-hob.before, ""),
		ms(fmt.Sprintf("a word on all %d lines is counted", lines), "–", "grep -c", grep, hob.common),
		grown("resident memory at its peak", "+20 MiB", hob.peak-hob.before,
			fmt.Sprintf("(%+.1f MiB of it its own)", float64(hob.anon-hob.anonBefore)/(1<<20))),
	}, nil
}

// number is a line's, as the lines program writes it.
func number(n int64) string { return fmt.Sprintf("%012d", n) }

// ended makes a job that has written a log of so many bytes and ended, and one
// after it with a short log.
func (h *hob) ended(ctx context.Context, l *lab, size int64) (path string, err error) {
	for _, words := range [][]string{{l.bin("lines"), strconv.FormatInt(size, 10)}, {"echo", "short"}} {
		args := append([]string{"run", "-b", "--no-pty", "--log-limit", "2GiB", "--"}, words...)
		if out, err := h.command(args...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w: %s", err, out)
		}
		wait := h.command("wait", "@")
		if out, err := wait.CombinedOutput(); err != nil {
			return "", fmt.Errorf("wait: %w: %s", err, out)
		}
	}
	found, err := filepath.Glob(filepath.Join(h.root, "jobs", "lines-*", "output.log"))
	if err != nil || len(found) != 1 {
		return "", errors.Join(err, fmt.Errorf("logs of the job: %v", found))
	}
	return found[0], sizeOf(ctx, found[0], size)
}

// bigLog is the log that is looked at.
type bigLog struct {
	path       string
	lines      int64
	rare, last string
}

// looked is what looking at it took.
type looked struct {
	open, start, end, rare, common time.Duration

	before, rarePeak, peak int64 // resident bytes
	anonBefore, anon       int64 // bytes that are no file's
}

// timed types text and says how long it took until want was drawn.
func (v *viewer) timed(ctx context.Context, text, want string) (time.Duration, error) {
	begin := time.Now()
	if err := v.press(text); err != nil {
		return 0, err
	}
	err := v.see(ctx, want)
	return time.Since(begin), err
}

// step is one thing that is done in a viewer.
type step struct {
	text, want string
	took       *time.Duration // nil: not measured
}

func (v *viewer) do(ctx context.Context, steps []step) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, s := range steps {
		took, err := v.timed(ctx, s.text, s.want)
		if err != nil {
			return fmt.Errorf("after %q: %w", s.text, err)
		}
		if s.took != nil {
			*s.took = took
		}
		if err := linger(ctx, 200*time.Millisecond); err != nil { // what comes after it is over
			return err
		}
	}
	return nil
}

func (b bigLog) inHob(ctx context.Context, h *hob) (found looked, err error) {
	v, err := view(h.command())
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, v.close()) }()
	pid := []int{v.pid()}
	if err := v.do(ctx, []step{{want: "echo short"}}); err != nil {
		return found, err
	}
	if found.before, err = peak(pid); err != nil {
		return found, err
	}
	if found.anonBefore, err = memoryOf(pid, "smaps_rollup", "Anonymous:"); err != nil {
		return found, err
	}
	err = v.do(ctx, []step{
		{"j", b.last, &found.open},
		{"\r", "Esc back", nil},
		{"g", number(0), &found.start},
		{"G", b.last, &found.end},
		{"/" + b.rare, b.rare, nil},
		{"\r", "1 of 1", &found.rare},
	})
	if err != nil {
		return found, err
	}
	if found.rarePeak, err = peak(pid); err != nil {
		return found, err
	}
	err = v.do(ctx, []step{
		{"\x1b", "% percent", nil},
		{"g", number(0), nil},
		{"/brown fox", "brown fox", nil},
		{"\r", "1 of " + strconv.FormatInt(b.lines, 10), &found.common},
	})
	if err != nil {
		return found, err
	}
	if found.anon, err = memoryOf(pid, "smaps_rollup", "Anonymous:"); err != nil {
		return found, err
	}
	found.peak, err = peak(pid)
	return found, err
}

// inLess does the same in less, without the line numbers that it would count.
func (b bigLog) inLess(ctx context.Context) (found looked, err error) {
	if _, err := exec.LookPath("less"); err != nil {
		return found, nil
	}
	begin := time.Now()
	v, err := view(exec.Command("less", "-n", "+G", b.path))
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, v.close()) }()
	if err := v.see(ctx, b.last); err != nil {
		return found, err
	}
	found.open = time.Since(begin)
	err = v.do(ctx, []step{
		{"g", number(0), &found.start},
		{"G", b.last, &found.end},
		{"g", number(0), nil},
		{"/" + b.rare, b.rare, nil},
		{"\r", number(b.lines/2 + 1), &found.rare},
	})
	return found, err
}

// grep counts all lines.
func (b bigLog) grep(ctx context.Context) (time.Duration, error) {
	if _, err := exec.LookPath("grep"); err != nil {
		return 0, nil
	}
	begin := time.Now()
	out, err := exec.CommandContext(ctx, "grep", "-c", "brown fox", b.path).Output()
	if err != nil || string(bytes.TrimSpace(out)) != strconv.FormatInt(b.lines, 10) {
		return 0, fmt.Errorf("grep counts %q: %w", out, err)
	}
	return time.Since(begin), nil
}
