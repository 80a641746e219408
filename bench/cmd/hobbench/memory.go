//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"
)

// memory is M3: what each idle job costs, and how much that grows by output.
func memory(ctx context.Context, l *lab) (_ []row, err error) {
	defer func() { err = join(err, l.release()) }()
	everyone, err := l.starters(true)
	if err != nil {
		return nil, err
	}
	jobs := l.count(30, 8)
	idle := row{what: fmt.Sprintf("M3 memory (PSS) for each of %d idle jobs", jobs), format: "%.0f KiB", aim: "1 MiB"}
	for _, s := range everyone {
		each, err := idleMemory(ctx, s, jobs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name(), err)
		}
		idle.values = append(idle.values, value{who: s.name(), n: each / 1024})
	}
	if err := l.release(); err != nil {
		return []row{idle}, err
	}
	grown, err := l.grownMemory(ctx)
	return []row{idle, grown}, err
}

// idleMemory is the memory of the supervisors divided by the jobs, in bytes.
func idleMemory(ctx context.Context, s supervisor, jobs int) (float64, error) {
	for range jobs {
		j, err := s.launch([]string{"/bin/sleep", "600"})
		if err != nil {
			return 0, err
		}
		if s.name() == "floorpty" {
			continue // it is the supervisor itself
		}
		if err := j.wait(); err != nil {
			return 0, err
		}
	}
	// Let what starting needed be given back.
	if err := rest(ctx, 3*time.Second); err != nil {
		return 0, err
	}
	pids, err := s.keepers()
	if err != nil {
		return 0, err
	}
	sum, err := pss(pids)
	return float64(sum) / float64(jobs), err
}

// grownMemory is how much more memory a job takes after much output.
func (l *lab) grownMemory(ctx context.Context) (row, error) {
	mib := l.count(1024, 32)
	r := row{what: fmt.Sprintf("M3 the same for one job, and after %d MiB of output", mib), format: "%+.0f KiB", aim: "+1 MiB"}
	f, err := l.floor(true)
	if err != nil {
		return r, err
	}
	h, err := l.hob()
	if err != nil {
		return r, err
	}
	for _, s := range []supervisor{f, h} {
		before, after, err := grown(ctx, l, s, int64(mib)<<20)
		if err != nil {
			return r, fmt.Errorf("%s: %w", s.name(), err)
		}
		r.values = append(r.values, value{who: s.name(), n: (after - before) / 1024, note: fmt.Sprintf("(from %.0f KiB)", before/1024)})
	}
	return r, nil
}

func grown(ctx context.Context, l *lab, s supervisor, bytes int64) (before, after float64, err error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	w, err := watchLogs(s)
	if err != nil {
		return 0, 0, err
	}
	// The first line says that it runs; a file says that it may go on.
	gate := l.path("gate-" + s.name())
	script := `echo 0; while ! [ -e "$1" ]; do sleep 0.1; done; exec "$2" "$3" 600s`
	if _, err := s.launch([]string{"/bin/sh", "-c", script, "sh", gate, l.bin("lines"), strconv.FormatInt(bytes, 10)}); err != nil {
		return 0, 0, err
	}
	logs, err := w.next(ctx, 1, time.Millisecond)
	if err != nil {
		return 0, 0, err
	}
	one := func() (float64, error) {
		if err := rest(ctx, 3*time.Second); err != nil {
			return 0, err
		}
		pids, err := s.keepers()
		if err != nil {
			return 0, err
		}
		n, err := pss(pids)
		return float64(n), err
	}
	if before, err = one(); err != nil {
		return 0, 0, err
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		return 0, 0, err
	}
	if err := sizeOf(ctx, logs[0], expected(bytes, true)); err != nil {
		return 0, 0, err
	}
	after, err = one()
	return before, after, err
}

// rest waits, or says why not.
func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
