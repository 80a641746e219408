package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// place identifies where this process runs, as records name it.
type place struct{ machine, boot, pidns string }

func thisPlace() place { return place{proc.MachineID(), proc.BootID(), proc.PIDNamespace()} }

// sameBoot reports whether clocks that count from the boot are comparable with those of the record.
func (p place) sameBoot(s *State) bool {
	switch {
	case s.UpBoot != "":
		return s.UpBoot == p.boot
	case s.BootID == "", s.BootID != p.boot:
		return false
	}
	return cmp.Or(s.Machine, p.machine) == p.machine
}

// canJudge reports whether this program can determine the state of a job, if necessary by asking the
// job's host.
func (e *Engine) canJudge(r *jobdir.Record) bool { return r.Meta.Host != "" || e.here.canJudge(r) }

// canJudge reports whether this process can determine the state of a job of this machine: only
// where its record was made. After a reboot the namespaces differ, so they need not match.
// Any machine of a cluster can ask its scheduler.
func (p place) canJudge(r *jobdir.Record) bool {
	switch {
	case r.Meta.Scheduler != "":
		return true
	case cmp.Or(r.State.Machine, r.Meta.ClientMachine, p.machine) != p.machine:
		return false
	case !r.Started, r.State.BootID != p.boot:
		return true
	}
	return r.State.PIDNS == p.pidns
}

// jobOf returns the job from its records alone. The link of a job that has not ended is not
// determined yet.
func jobOf(r *jobdir.Record, dir string) Job {
	j := Job{Request: r.Meta.Request, State: r.CurrentState()}
	if j.ID = ID(r.ID); j.Name == "" {
		j.Name = r.ID
	}
	setPaths(&j, dir)
	j.complete()
	return j
}

// observed returns j with the state that its backend has observed.
func observed(j Job, s State) Job {
	if !mayFollow(j.Status, &s) {
		return j // an end never changes, whatever a late observation reports
	}
	if s.Link == "" {
		s.Link, s.LinkError, s.StaleSince = j.Link, j.LinkError, j.StaleSince
	}
	if s.Machine == "" {
		s.Machine = j.Machine
	}
	if s.Size == (Size{}) {
		s.Size = j.Size
	}
	switch u := s.Unrecorded; {
	case s.Status.Finished():
		s.Unrecorded = nil
		s.Exit.Status = s.Status
		s.Rest()
	case u != nil: // its holder alone has the end
		s.Status, s.Exit = u.Exit.Status, u.Exit
		s.Rest()
	}
	j.State = s
	j.complete()
	return j
}

// complete sets the fields that depend on both the request and the state.
func (j *Job) complete() {
	if j.NoTerminal {
		j.Kind = KindFile
	}
	switch {
	case j.NoTerminal, j.Kind == KindFile && j.Stdin != InputTTY:
		j.Size = Size{} // neither its output nor its input uses a terminal
	case j.Size == (Size{}):
		j.Size = j.InitialSize
	}
	if j.StartedAt.IsZero() && !j.Status.Finished() {
		// It may print before its start is recorded, but output is not reported before the start.
		j.Output, j.Dropped = 0, 0
	}
}

// setPaths sets the paths of the logs where the job runs. The directory of a job on a host has the
// same name there, below a root that its backend adds.
func setPaths(j *Job, dir string) {
	slash := "/"
	if j.Host == "" {
		slash = string(filepath.Separator)
	}
	if j.Split {
		j.StdoutPath, j.StderrPath = dir+slash+jobdir.StdoutFile, dir+slash+jobdir.StderrFile
		return
	}
	j.OutputPath = dir + slash + jobdir.OutputFile
}

// mayFollow reports whether a job can change from one status to the other, or stay. An end never
// changes, and a job that has started does not start again, unless its command is to be started
// again when it ends; a stop can be abandoned. A running execution may fail: it is running from the
// beginning, and its program reports the failure later. On a cluster, a starting job may turn out to wait.
func mayFollow(from Status, to *State) bool {
	switch {
	case from == to.Status, from == "":
		return true
	case from.Finished():
		return false
	case to.Status == Queued:
		return from == Starting || to.Runs.Between()
	}
	switch to.Status {
	case Running, Stopping:
		return true
	default:
		return to.Status.Finished() || from == Queued
	}
}

// livingSurvivors returns the recorded survivors of a job that may still exist: the record lists
// the processes left at the end. s is the state that lists them.
func (p place) livingSurvivors(s *State, left []Process) []Process {
	switch {
	case s.BootID == "", p.boot == "", s.Machine != p.machine:
		return left // of another machine, or not known
	case s.BootID != p.boot:
		return nil // no process survives a reboot
	case s.PIDNS != p.pidns:
		return left // the pids are of another namespace
	}
	return slices.DeleteFunc(left, func(one Process) bool {
		now, err := proc.Stat(one.PID)
		if err != nil {
			return errors.Is(err, proc.ErrGone)
		}
		another := one.Start != "" && one.Start != now.Identity().Start
		return now.Dead() || another
	})
}

// Adopt creates local records for the jobs on host that have none here: jobs started from another
// machine, or whose records were lost. Afterward they are like any other job on a host. Jobs in the
// trash stay there. Adopt returns ErrUnreachable if the host does not answer and ErrUnsupported if
// no backend serves it.
func (e *Engine) Adopt(ctx context.Context, host string) error {
	f, ok := e.serving(host).(Finder)
	if !ok {
		return &Error{Op: "list", Err: fmt.Errorf("%w: no backend runs jobs on host %q", ErrUnsupported, host)}
	}
	tokens, err := e.tokens(ctx)
	if err != nil {
		return err
	}
	adopted := false
	err = f.Find(ctx, host, func(token string) bool { return tokens[token] }, func(job Found) error {
		m := jobdir.Meta{Version: jobdir.Version, Request: job.Request}
		m.Host = host
		s := State{HostDir: job.HostDir, Backgrounded: true}
		if m.Scheduler != "" { // it may not have begun; what does not wait counts as running
			s.Pending = &Pending{Reason: "its scheduler has not answered yet"}
		}
		err := e.root.Adopt(&m, &s)
		switch {
		case err == nil:
			adopted = true
		case errors.Is(err, fs.ErrExist): // another program created it first
			return nil
		}
		return err
	})
	if adopted {
		e.changed()
	}
	return err
}

// tokens returns the tokens of all recorded jobs, including those in the trash.
func (e *Engine) tokens(ctx context.Context) (map[string]bool, error) {
	ids, err := e.ids(ctx)
	if err != nil {
		return nil, err
	}
	trash, err := e.root.InTrash()
	if err != nil {
		return nil, rootError(err)
	}
	tokens := make(map[string]bool, len(ids)+len(trash))
	e.visitRecords(ids, func(j *Job, _ *jobdir.Record) { tokens[j.Token] = true })
	for _, t := range trash {
		if m, err := jobdir.ReadMeta(e.root.TrashDir(t.ID)); err == nil {
			tokens[m.Token] = true
		}
	}
	return tokens, nil
}
