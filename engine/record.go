package engine

import (
	"path/filepath"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// place is where this process runs, as records name it.
type place struct{ machine, boot, pidns string }

// sameBoot reports whether the clocks that count from the boot go on from those of
// the record.
func (p place) sameBoot(s *jobdir.State) bool {
	if s.UpBoot != "" {
		return s.UpBoot == p.boot
	}
	return s.BootID != "" && s.BootID == p.boot && (s.Machine == "" || s.Machine == p.machine)
}

func thisPlace() place { return place{proc.MachineID(), proc.BootID(), proc.PIDNamespace()} }

// judges reports whether this process may say how a job of this machine stands:
// only where its record was made. After a reboot the namespaces of before are
// gone, so they need not match.
func (p place) judges(r *jobdir.Record) bool {
	machine := r.State.Machine
	if machine == "" {
		machine = r.Meta.Machine
	}
	if machine != "" && machine != p.machine {
		return false
	}
	return !r.Started || r.State.BootID != p.boot || r.State.PIDNS == p.pidns
}

// jobOf is what the records say, and nothing else: the link of a job that has
// not ended is still to be found out.
func jobOf(r *jobdir.Record, dir string) Job {
	m, s := &r.Meta, &r.State
	j := Job{
		ID: ID(r.ID), Token: m.Token, Name: m.Name, Command: m.Command, Script: m.Script, Host: m.Host, Dir: m.Dir,
		Backend: m.Backend, Kind: Kind(m.Kind),
		Backgrounded: m.Backgrounded || s.Backgrounded, Paused: s.Paused, PID: s.Job.PID,
		CreatedAt: m.CreatedAt, StartedAt: s.StartedAt, Deadline: s.Deadline,
		Output: r.Output, Dropped: s.Dropped, LogLimit: m.LogLimit,
		Waiting: s.Waiting, Entry: Entry(s.Entry), Alternate: s.Alternate, Title: s.Title, Size: Size(s.Size), Cwd: s.Cwd,
		Timeout: time.Duration(m.TimeoutMS) * time.Millisecond, Grace: time.Duration(m.GraceMS) * time.Millisecond,
		EnvNames: m.EnvNames, RestartedFrom: ID(m.RestartedFrom), Link: LinkNone, Machine: s.Machine,
		CreatedBy: m.CreatedBy, Labels: m.Labels, Split: m.Split, Stdin: m.Stdin != "null" && m.Stdin != "inherited", Notify: m.Notify,
	}
	if j.Name == "" {
		j.Name = r.ID
	}
	if j.Machine == "" {
		j.Machine = m.Machine
	}
	if s.NoTerminal {
		j.Kind = KindFile
	}
	switch {
	case j.Kind == KindFile && (m.Stdin != "tty" || s.NoTerminal):
		j.Size = Size{} // its output goes to no terminal, nor does its input come from one
	case j.Size == (Size{}):
		j.Size = Size(m.Size)
	}
	if s.NoLimit || j.LogLimit < 0 {
		j.LogLimit = 0
	}
	if s.Progress != nil {
		j.Progress = &Progress{State: s.Progress.State, Percent: s.Progress.Percent}
	}
	if m.Host != "" {
		j.Link = LinkOK
	}
	setPaths(&j, dir)
	setStatus(&j, r)
	j.hush()
	return j
}

// hush hides what a job has printed that is not known to have started: it may
// print before that is recorded, and nobody hears of output before the start.
func (j *Job) hush() {
	if j.StartedAt.IsZero() && !j.Status.Finished() {
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

func setStatus(j *Job, r *jobdir.Record) {
	switch s := &r.State; {
	case r.Problem != "": // what it was is not known, so that its end says nothing
		j.Exit = Exit{Status: Lost, Reason: ReasonHolderDied, Error: r.Problem, At: r.EndedAt()}
	case s.End != nil:
		j.Exit = exitOf(s.End)
		if r.Code != nil {
			j.Exit.Code = r.Code
		}
	case r.Code != nil:
		j.Exit = Exit{Status: Exited, Code: r.Code, At: r.Touched} // the rest is unknown
	case s.Stopping != nil:
		j.Status, j.StopDeadline = Stopping, s.Stopping.Deadline
		return
	case r.Started, r.Unread != nil && r.Output > 0: // it has printed
		j.Status = Running
		return
	default:
		j.Status = Starting
		return
	}
	j.Status = j.Exit.Status
	j.settleDown()
}

// settleDown takes from j what only a job that runs has.
func (j *Job) settleDown() {
	j.Waiting, j.Entry, j.Alternate, j.Paused, j.Progress = false, EntryUnknown, false, false, nil
}

func exitOf(end *jobdir.End) Exit {
	e := Exit{
		Status: Status(end.Status), Code: end.Code, Signal: end.Signal, Core: end.Core, Reason: Reason(end.Reason),
		EndedBy: end.EndedBy, Error: end.Error, At: end.At, Ran: time.Duration(end.RanMS) * time.Millisecond,
		Usage: Usage{
			User:   time.Duration(end.UserMS) * time.Millisecond,
			System: time.Duration(end.SystemMS) * time.Millisecond,
			MaxRSS: end.MaxRSS,
		},
	}
	if !e.Status.Finished() { // written by a later version, or damaged
		e.Status = Lost
	}
	for _, p := range end.Survivors {
		e.Survivors = append(e.Survivors, Process(p))
	}
	return e
}

func endOf(e Exit) *jobdir.End {
	end := &jobdir.End{
		At: e.At, Status: string(e.Status), Code: e.Code, Signal: e.Signal, Core: e.Core, Reason: string(e.Reason),
		EndedBy: e.EndedBy, Error: e.Error, UserMS: e.Usage.User.Milliseconds(), SystemMS: e.Usage.System.Milliseconds(),
		MaxRSS: e.Usage.MaxRSS, RanMS: e.Ran.Milliseconds(),
	}
	for _, p := range e.Survivors {
		end.Survivors = append(end.Survivors, jobdir.Process(p))
	}
	return end
}

// observed is j with what a backend has found out.
func observed(j Job, o Observation) Job {
	if err := checkStep(j.Status, o.Status); err != nil {
		return j // what finished stays so, whatever a late look says
	}
	j.Status, j.Backgrounded = o.Status, o.Backgrounded
	j.PID, j.StartedAt, j.StartedUp, j.StopDeadline, j.Deadline = o.PID, o.StartedAt, o.StartedUp, o.StopDeadline, o.Deadline
	j.Paused, j.Waiting, j.Entry, j.Alternate = o.Paused, o.Waiting, o.Entry, o.Alternate
	j.Title, j.Progress, j.Cwd = o.Title, o.Progress, o.Cwd
	j.Output, j.Dropped, j.LogLimit = o.Output, o.Dropped, o.LogLimit
	j.Unrecorded = o.Unrecorded
	j.hush()
	if o.Link != "" {
		j.Link, j.LinkError, j.StaleSince = o.Link, o.LinkError, o.StaleSince
	}
	if o.NoTerminal {
		j.Kind, j.Size = KindFile, Size{}
	}
	if o.Size != (Size{}) && (j.Kind != KindFile || j.Size != (Size{})) {
		j.Size = o.Size
	}
	if o.Status.Finished() {
		j.Unrecorded = nil
		j.Exit = o.Exit
		j.Exit.Status = o.Status
		j.settleDown()
	}
	return j
}
