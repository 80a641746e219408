//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const queueSlots = 4

// queue accepts jobs that wait, and runs them, a few at a time.
type queue struct {
	*program
	hold    func()     // keeps jobs from starting
	release func()     // starts them
	ended   func() int // jobs so far
}

// queues is the measure of that name: what a job costs that waits for its turn.
func queues(l *lab) {
	jobs := l.count(900, 100) // task-spooler blocks before 1,000
	all := []*queue{l.taskSpooler(), l.queueOfHob()}
	accepted := newRow(fmt.Sprintf("queue %d jobs of true: to accept one", jobs), "%.1f ms", "")
	memory := newRow("queue the same: memory (PSS) of the supervisors for each that waits", "%.0f KiB", "")
	drained := newRow(fmt.Sprintf("queue the same, %d at a time: to run one", queueSlots), "%.1f ms", "")
	times := make([]time.Duration, len(all))
	before := make([]int64, len(all))
	for k, q := range all {
		if q != nil {
			q.hold()
			before[k] = pss(q.keepers()...)
		}
	}
	for range jobs {
		for k, q := range all {
			if q != nil {
				begin := time.Now()
				check(q.launch("true").wait())
				times[k] += time.Since(begin)
			}
		}
	}
	for k, q := range all {
		if q == nil {
			accepted.addNone("", "")
			memory.addNone("", "")
			drained.addNone("", "")
			continue
		}
		accepted.add(q.name, milliseconds(times[k])/float64(jobs), "")
		memory.add(q.name, float64(pss(q.keepers()...)-before[k])/float64(jobs)/1024, "")
		drained.add(q.name, l.drain(q, jobs)/float64(jobs), "")
	}
	l.print(accepted, memory, drained)
}

// drain returns the milliseconds until the jobs of a queue have run.
func (l *lab) drain(q *queue, jobs int) float64 {
	before, begin := q.ended(), time.Now()
	q.release()
	if !l.until(10*time.Minute, 5*time.Millisecond, func() bool { return q.ended()-before >= jobs }) {
		check(fmt.Errorf("%s: %d of %d jobs have ended", q.name, q.ended()-before, jobs))
	}
	return since(begin)
}

// queueOfHob is a queue that is paused while jobs are added.
func (l *lab) queueOfHob() *queue {
	h := l.hob("--queue")
	slots := strconv.Itoa(queueSlots)
	// The holder of a job that waits has the job's id as its argument, and no record yet.
	h.keepers = func() []int {
		return processesWith("cmdline", func(words []string) bool {
			return len(words) > 1 && strings.HasPrefix(words[0], "hob") && exists(filepath.Join(h.logs, words[1], "lock"))
		})
	}
	return &queue{
		program: h,
		hold:    func() { output(h.command("queue", "default", "--slots", slots, "--pause")) },
		release: func() { output(h.command("queue", "default", "--resume")) },
		ended:   func() int { return len(must(filepath.Glob(filepath.Join(h.logs, "*", "exit_code")))) },
	}
}

// taskSpooler is a server of task-spooler whose slots are taken while jobs are added; nil if it is not
// installed.
func (l *lab) taskSpooler() *queue {
	if !installed("tsp") {
		return nil
	}
	dir := l.room("q")
	gate := filepath.Join(dir, "gate")
	check(syscall.Mkfifo(gate, 0o600))
	socket := "TS_SOCKET=" + filepath.Join(dir, "s")
	p := &program{name: "tsp", base: []string{"tsp"}, env: with(socket, "TMPDIR="+dir, "TS_MAXFINISHED=100000")}
	p.start = func(_ int, argv []string) *exec.Cmd { return p.command(argv...) }
	p.keepers = func() []int {
		return processesWith("environ", func(variables []string) bool { return slices.Contains(variables, socket) })
	}
	l.Cleanup(func() { _ = p.command("-K").Run() }) // it may not have been started
	return &queue{
		program: p,
		hold: func() {
			output(p.command("-S", strconv.Itoa(queueSlots)))
			for range queueSlots {
				output(p.command("cat", gate))
			}
		},
		release: func() { check(must(os.OpenFile(gate, os.O_WRONLY, 0)).Close()) },
		ended: func() int {
			return strings.Count(output(p.command()), " finished ")
		},
	}
}

// processesWith returns the processes with that content of a file of /proc/PID, which has words that end
// with NUL.
func processesWith(file string, is func(words []string) bool) (pids []int) {
	for _, path := range must(filepath.Glob("/proc/[0-9]*/" + file)) {
		data, _ := os.ReadFile(path) // the process may have ended
		if is(strings.Split(string(data), "\x00")) {
			pids = append(pids, must(strconv.Atoi(filepath.Base(filepath.Dir(path)))))
		}
	}
	return pids
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
