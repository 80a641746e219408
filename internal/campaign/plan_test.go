//go:build unix

package campaign

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// A plan is what a round does; the seed and the number of the round determine it.
type plan struct {
	name   string
	way    string // how the job is started: back, raw, through, window
	kind   string // pty, file or split
	chore  chore
	phase  string // start, run, stop or exit
	victim string // what is killed: client, holder, all (but the holder), terminal, none
	after  int    // lines that the job has printed when the phase begins
	delay  time.Duration
	leave  bool // Ctrl+B first
	grace  time.Duration
}

func (p plan) String() string {
	return fmt.Sprintf("%s job started by %s, %s killed %v into its %s (Ctrl+B %v, line %d, grace %v, %+v)",
		p.kind, p.way, p.victim, p.delay, p.phase, p.leave, p.after, p.grace, p.chore)
}

// newPlan makes the plan of a round. Consecutive rounds combine every phase with every victim; the
// rest is random.
func newPlan(seed uint64, round int) plan {
	r := rand.New(rand.NewPCG(seed, uint64(round)))
	phases := []string{"start", "run", "stop", "exit"}
	victims := []string{"client", "holder", "all", "terminal", "none"}
	p := plan{
		name:   fmt.Sprintf("r%d", round),
		phase:  phases[round%len(phases)],
		victim: victims[round/len(phases)%len(victims)],
		way:    pick(r, "back", "back", "raw", "through", "window", "window"),
		after:  1 + r.IntN(20),
		leave:  r.IntN(2) == 0,
		grace:  time.Duration(100+r.IntN(300)) * time.Millisecond,
		chore: chore{
			Pad: pick(r, 0, 20, 500, 5000), Pace: time.Duration(pick(r, 0, 1, 5)) * time.Millisecond,
			Code: pick(r, 0, 1, 7, 125), Manner: pick(r, "plain", "polite", "stubborn"), Daemon: r.IntN(4) == 0,
		},
	}
	if p.victim == "terminal" && (p.way == "back" || p.way == "through") {
		p.way = "window"
	}
	p.kind = "pty"
	switch p.way {
	case "back":
		p.kind = pick(r, "pty", "pty", "file", "split")
	case "through":
		p.kind = "split"
	}
	p.chore.Both = p.kind == "split"
	if p.phase == "start" {
		p.chore.Lines = 1 + r.IntN(5)
	}
	longest := map[string]int{"start": 60, "run": 30, "stop": 150, "exit": 30}[p.phase]
	p.delay = time.Duration(r.IntN(longest*1000)) * time.Microsecond
	return p
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// args returns the command line that starts the job.
func (p plan) args(worker, dir string) []string {
	args := []string{"run", "-n", p.name}
	switch p.way {
	case "back":
		args = append(args, "-b")
	case "raw":
		args = append(args, "--raw")
	}
	if p.way == "back" {
		switch p.kind {
		case "file":
			args = append(args, "--no-pty")
		case "split":
			args = append(args, "--split")
		}
	}
	return append(args, "--", worker, dir)
}
