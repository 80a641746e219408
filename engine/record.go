package engine

import (
	"path/filepath"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// place is where this process runs, as records name it.
type place struct{ machine, boot, pidns string }

func thisPlace() place { return place{proc.MachineID(), proc.BootID(), proc.PIDNamespace()} }

// sameBoot reports whether the clocks that count from the boot go on from those of
// the record.
func (p place) sameBoot(s *State) bool {
	if s.UpBoot != "" {
		return s.UpBoot == p.boot
	}
	return s.BootID != "" && s.BootID == p.boot && (s.Machine == "" || s.Machine == p.machine)
}

// judges reports whether this process may say how a job of this machine stands:
// only where its record was made. After a reboot the namespaces of before are
// gone, so they need not match.
func (p place) judges(r *jobdir.Record) bool {
	machine := r.State.Machine
	if machine == "" {
		machine = r.Meta.ClientMachine
	}
	if machine != "" && machine != p.machine {
		return false
	}
	return !r.Started || r.State.BootID != p.boot || r.State.PIDNS == p.pidns
}

// jobOf returns the job by its records alone: the link of one that has not ended is still
// to be found out.
func jobOf(r *jobdir.Record, dir string) Job {
	j := Job{Request: r.Meta.Request, State: r.CurrentState()}
	if j.ID = ID(r.ID); j.Name == "" {
		j.Name = r.ID
	}
	setPaths(&j, dir)
	j.complete()
	return j
}

// observed returns j with the state that its backend has found out.
func observed(j Job, s State) Job {
	if !mayFollow(j.Status, s.Status) {
		return j // an end never changes, whatever a late look finds
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
	if s.Status.Finished() {
		s.Unrecorded = nil
		s.Exit.Status = s.Status
		s.Rest()
	}
	j.State = s
	j.complete()
	return j
}

// complete sets what follows from the request and the state together.
func (j *Job) complete() {
	if j.NoTerminal {
		j.Kind = KindFile
	}
	switch {
	case j.Kind == KindFile && (j.Stdin != InputTTY || j.NoTerminal):
		j.Size = Size{} // its output goes to no terminal, nor does its input come from one
	case j.Size == (Size{}):
		j.Size = j.InitialSize
	}
	if j.StartedAt.IsZero() && !j.Status.Finished() {
		// It may print before its start is recorded, and output is not reported before
		// the start.
		j.Output, j.Dropped = 0, 0
	}
}

// setPaths names the logs where the job runs. The directory of a job on a host
// has the same name there; its backend knows the root.
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
