//go:build linux

// Command hobbench measures hob beside the floors and beside tmux where it does
// the same, in one run, interleaved. It prints a table; it never fails because
// something was slow. See bench/README.md for what each measure means.
//
//	hobbench [--short] [M1 M2 …]
//
// Everything happens below a temporary directory, with a state directory, sockets
// and settings of its own, and only processes that it started are ended.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// measure prints one row or more of the table.
type measure struct {
	id, what string
	run      func(*lab)
}

func measures() []measure {
	return []measure{
		{"M1", "from the command line to the first byte in the log", starts},
		{"M2", "a flood of lines, until the last is in the log", floods},
		{"M3", "memory of what supervises one idle job", memory},
		{"M4", "the UI, open on idle jobs", idleViews},
		{"M5", "a kill, until the whole tree is gone", kills},
		{"M6", "a key to be drawn while another job floods", keys},
		{"M7", "a list of finished jobs", lists},
		{"M8", "bytes to the terminal while a job floods", floodedViews},
		{"queue", "jobs that wait for their turn", queues},
		{"logs", "the log pane on a large log", logs},
		{"attach", "a large job on the screen", attaches},
		{"emulator", "a screen kept in memory", emulators},
		{"ssh-list", "how many jobs on a host stand", remoteLists},
		{"ssh-attach", "a key to be drawn, in a job on a host", remoteKeys},
		{"ssh-follow", "a line of a job on a host, to its open log", remoteFollows},
	}
}

func main() {
	code := 0
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp), errors.Is(err, errUsage):
		code = 2
	case err != nil:
		fmt.Fprintln(os.Stderr, "hobbench:", err)
		code = 1
	}
	os.Exit(code)
}

var errUsage = errors.New("wrong usage")

func run(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("hobbench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	short := flags.Bool("short", false, "fewer repetitions and smaller amounts: under two minutes")
	limit := flags.Duration("limit", 0, "give up that long after building (default 100s with --short, else 20m)")
	program := flags.String("hob", "", "measure this hob instead of building one")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: hobbench [--short] [--hob PATH] [--limit DUR] [M1 M2 …]")
		for _, m := range measures() {
			fmt.Fprintf(stderr, "  %s  %s\n", m.id, m.what)
		}
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return errors.Join(errUsage, err)
	}
	chosen, err := choose(flags.Args())
	if err != nil {
		fmt.Fprintln(stderr, "hobbench:", err)
		return errUsage
	}
	if *limit == 0 {
		*limit = 20 * time.Minute
		if *short {
			*limit = 100 * time.Second
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	l := &lab{ctx: ctx, short: *short, stdout: stdout, stderr: stderr}
	defer l.close()
	if err := l.do(func() { l.prepare(*program) }); err != nil {
		return err
	}
	var cancel func()
	l.ctx, cancel = context.WithTimeout(ctx, *limit) // building is not counted
	defer cancel()
	return l.measureAll(chosen)
}

// choose finds measures by their names; the first part of one stands for all that
// begin with it, as ssh does for ssh-list and the others.
func choose(ids []string) ([]measure, error) {
	all := measures()
	if len(ids) == 0 {
		return all, nil
	}
	var chosen []measure
	for _, id := range ids {
		before := len(chosen)
		for _, m := range all {
			if first, _, _ := strings.Cut(m.id, "-"); strings.EqualFold(m.id, id) || strings.EqualFold(first, id) {
				chosen = append(chosen, m)
			}
		}
		if len(chosen) == before {
			return nil, fmt.Errorf("no measure %q; --help lists them", id)
		}
	}
	return chosen, nil
}

// measureAll continues after a measure that fails: the others are still of use.
func (l *lab) measureAll(chosen []measure) (failed error) {
	fmt.Fprintf(l.stdout, "%s\n\n", l.machine())
	printHead(l.stdout)
	for _, m := range chosen {
		fmt.Fprintf(l.stderr, "%s: %s\n", m.id, m.what)
		if err := l.do(func() { m.run(l) }); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", m.id, err))
		}
	}
	return failed
}
