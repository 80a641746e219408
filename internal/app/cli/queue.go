package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
)

type queueFlags struct {
	on                        string
	slots                     int
	pause, resume, first, now bool
}

func (a *app) queueCommand() *cobra.Command {
	var f queueFlags
	cmd := &cobra.Command{
		Use:     "queue [NAME | ID…]",
		GroupID: groupRun,
		Short:   "Show and change queues: slots, pause, order",
		Long: "List the queues. hob run --queue=NAME puts a job in one: it starts when the queue has\n" +
			"a free slot, first come, first served. A queue has one slot unless the settings or\n" +
			"--slots say otherwise.",
		Example: "hob queue\nhob queue builds --slots 2\nhob queue builds --pause\nhob queue --first test-7k2qm\nhob queue --now @",
		Args:    argCount(0, -1, ""),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
			complete := a.completeQueues()
			if f.moves() {
				complete = a.completeJobs(engine.Filter{Statuses: []engine.Status{engine.Queued}, Here: true}, true)
			}
			return complete(cmd, args, prefix)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.queue(cmd.Context(), args, f) },
	}
	flags := cmd.Flags()
	flags.Var(parseInto(&f.slots, "N", parseSlots), "slots", "let N jobs of the queue run at once")
	flags.BoolVar(&f.pause, "pause", false, "start no more jobs of the queue; running ones continue")
	flags.BoolVar(&f.resume, "resume", false, "start jobs again")
	flags.BoolVar(&f.first, "first", false, "put these jobs before all others of their queue")
	flags.BoolVar(&f.now, "now", false, "start these jobs at once, without a slot")
	flags.Var(textFlag(&f.on, "HOST"), "on", "queues of this host, which needs hob-holder (hob hosts install)")
	completeFlag(cmd, "on", a.completeHosts())
	a.jsonFlag(cmd)
	return cmd
}

func parseSlots(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("use a number from 1 to %d", engine.MaxSlots)
	}
	return n, nil
}

// moves reports whether the arguments are jobs to move.
func (f queueFlags) moves() bool { return f.first || f.now }

// changes reports whether the argument is a queue to change.
func (f queueFlags) changes() bool { return f.slots > 0 || f.pause || f.resume }

// check refuses flags that contradict each other, and arguments that do not fit them.
func (f queueFlags) check(args []string) error {
	switch {
	case f.moves():
		return f.checkMove(args)
	case f.pause && f.resume:
		return usagef("remove one of them", "--pause cannot be combined with --resume")
	case len(args) > 1:
		return usagef("Usage: hob queue NAME", "unexpected argument %q", args[1])
	case f.changes() && len(args) == 0:
		return usagef("Usage: hob queue NAME --slots N", "missing queue name")
	}
	return nil
}

func (f queueFlags) checkMove(args []string) error {
	both := f.first && f.now
	switch {
	case both, f.changes():
		return usagef("run hob queue twice", "--first and --now cannot be combined with other changes")
	case f.on != "":
		return usagef("remove --on: the IDs name the jobs wherever they run", "--on cannot be combined with --first and --now")
	case len(args) == 0:
		return usagef("Usage: hob queue --first ID…, or --now ID…", "missing job ID")
	}
	return nil
}

func (a *app) queue(ctx context.Context, args []string, f queueFlags) error {
	if err := f.check(args); err != nil {
		return err
	}
	switch {
	case f.moves():
		return a.moveQueued(ctx, args, f.now)
	case f.changes():
		q, err := a.eng.SetQueue(ctx, args[0], engine.QueueChange{
			Host:   f.on,
			Slots:  f.slots,
			Pause:  f.pause,
			Resume: f.resume,
		})
		if err != nil {
			return err
		}
		return a.printQueues([]engine.Queue{q})
	}
	queues, err := a.eng.Queues(ctx, f.on)
	if err != nil {
		return err
	}
	if len(args) == 1 {
		queues = slices.DeleteFunc(queues, func(q engine.Queue) bool { return q.Name != args[0] })
		if len(queues) == 0 {
			return &failure{
				exit: exitNoJob,
				code: "not_found",
				err:  fmt.Errorf("no queue is called %q", args[0]),
				hint: "See: hob queue",
			}
		}
	}
	return a.printQueues(queues)
}

// moveQueued puts jobs first or starts them.
func (a *app) moveQueued(ctx context.Context, refs []string, now bool) error {
	jobs, err := a.manyJobs(ctx, refs, engine.Act)
	if err != nil {
		return err
	}
	when := engine.TurnFirst
	if now {
		when = engine.TurnNow
	}
	return a.printChanged(ctx, jobs, a.eng.StartQueued(ctx, when, idsOf(jobs)...))
}

func (a *app) printQueues(queues []engine.Queue) error {
	if a.json {
		if queues == nil {
			queues = []engine.Queue{}
		}
		return a.printJSON(queues)
	}
	if len(queues) == 0 {
		a.reportf("No queues. Start a job in one: hob run --queue CMD")
		return nil
	}
	t := newTable("NAME", ">SLOTS", ">RUNNING", ">WAITING", "")
	for _, q := range queues {
		state := ""
		if q.Paused {
			state = "paused"
		}
		t.add(cell{text: escape(q.Name)}, number(q.Slots), number(len(q.Running)), number(len(q.Waiting)), cell{text: state, style: styleWarn})
	}
	return printLines(a, t.lines(0, a.colored(a.stdout)))
}

func number(n int) cell { return cell{text: strconv.Itoa(n), right: true} }

// resolveOrder replaces the references to jobs that spec is to follow by their ids. An id may be that of
// any job, also of one that was cleared.
func (a *app) resolveOrder(ctx context.Context, spec *engine.Spec) error {
	for _, refs := range [][]engine.ID{spec.After, spec.AfterAny} {
		for i, ref := range refs {
			j, err := a.eng.Handle(ref).LastFacts(ctx)
			if err != nil {
				j, err = a.find(ctx, string(ref), engine.Read)
			}
			if err != nil {
				return err
			}
			refs[i] = j.ID
		}
	}
	return nil
}

// completeQueues completes the names of queues: those that have been used, and those of the settings.
func (a *app) completeQueues() cobra.CompletionFunc {
	return a.completion(false, func(ctx context.Context) ([]cobra.Completion, error) {
		queues, err := a.eng.Queues(ctx, "")
		names := slices.Collect(maps.Keys(a.settings().Queues))
		for _, q := range queues {
			names = append(names, q.Name)
		}
		slices.Sort(names)
		return slices.Compact(names), err
	})
}
