//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
)

// stamps prints the time, in nanoseconds, at moments that have nothing to do with
// when anybody looks.
const stamps = "i=0; while [ $i -lt %d ]; do date +%%s%%N; i=$((i+1)); sleep 0.1$((i*37%%97)); done"

// follows is how long a line takes from a job's write to whoever shows its log.
func (r *remote) follows(ctx context.Context, l *lab) ([]row, error) {
	n := l.count(150, 40)
	j, err := r.eng.Start(ctx, engine.Spec{Script: fmt.Sprintf(stamps, n), Host: "box"})
	if err != nil {
		return nil, err
	}
	ours, err := r.follow(ctx, j.ID)
	if err != nil {
		return nil, err
	}
	tail := r.ssh(ctx, "box", fmt.Sprintf(stamps, n))
	out, err := tail.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := tail.Start(); err != nil {
		return nil, err
	}
	var floor []float64
	for lines := bufio.NewScanner(out); lines.Scan(); {
		floor = append(floor, since(lines.Text()))
	}
	if err := tail.Wait(); err != nil {
		return nil, err
	}
	var rows []row
	for _, p := range []struct {
		name string
		at   int
		aim  string
	}{{"median", 50, ""}, {"95 of 100", 95, "120 ms"}} {
		rows = append(rows, row{
			what: "ssh: a line, from the job to its open log, " + p.name, format: "%.1f ms", aim: p.aim,
			values: []value{{who: "ssh HOST", n: quantile(floor, p.at)}, {n: quantile(ours, p.at)}},
		})
	}
	return rows, nil
}

// follow reads as the log pane does: what is new when the engine says that there
// is something.
func (r *remote) follow(ctx context.Context, id engine.ID) ([]float64, error) {
	sub := r.eng.Subscribe(engine.Filter{Host: "box"})
	defer sub.Close()
	var took []float64
	var rest string
	var off int64
	buf := make([]byte, 64<<10)
	for {
		events, err := sub.Next(ctx)
		if err != nil {
			return nil, err
		}
		over := false
		for _, e := range events {
			over = over || e.Job.ID == id && e.Job.Status.Finished()
		}
		for {
			n, _, err := r.eng.ReadOutput(ctx, id, buf, off)
			if err != nil {
				return nil, err
			}
			if n == 0 {
				break
			}
			off += int64(n)
			rest += string(buf[:n])
			for {
				line, more, ok := strings.Cut(rest, "\n")
				if !ok {
					break
				}
				took, rest = append(took, since(line)), more
			}
		}
		if over {
			return took, nil
		}
	}
}

// since is how long ago a line of [stamps] was written, in milliseconds.
func since(line string) float64 {
	ns, err := strconv.ParseInt(line, 10, 64)
	if err != nil {
		return 0
	}
	return milliseconds(time.Since(time.Unix(0, ns)))
}
