package holder

import (
	"bufio"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/proc"
)

// startTimeout is how long a job may be without a holder after the request to start it, if the
// requesting program does not hold it meanwhile, as earlier versions of hob did not.
const startTimeout = 30 * time.Second

// lookBy looks at a job with records that read returns, and does not ask its holder. ask means that
// confirm must complete the state.
func lookBy(read func(dir string) (jobdir.Record, error), dir string) (s record.State, ask bool, err error) {
	rec, err := read(dir)
	for err == nil && !rec.Finished() && !jobdir.Locked(dir) {
		// Since the first look it may have ended or started. A holder acquires the lock
		// before it records the start.
		before := rec.Started
		again, err := read(dir)
		if err != nil && again.ReadErr != nil {
			rec.ReadErr = again.ReadErr
			break
		}
		if err != nil {
			return s, false, err
		}
		if rec = again; !rec.Finished() && rec.Started == before {
			return unheld(dir, &rec), false, nil
		}
	}
	if err != nil && rec.ReadErr == nil {
		return s, false, err
	}
	s = stateIn(dir, &rec)
	if rec.ReadErr != nil && (err != nil || !rec.Finished()) {
		s.Link, s.LinkError = record.LinkUnreachable, rec.ReadErr.Error()
		if s.Status.Finished() { // according to incomplete records
			s.Status, s.Exit = record.Running, record.Exit{}
		}
		return s, false, nil
	}
	return s, MustAsk(&s), nil
}

// stateOf returns the state according to the records.
func stateOf(rec *jobdir.Record) record.State {
	s := rec.CurrentState()
	s.Deadline = deadlineOf(&s, time.Now())
	return s
}

// stateIn returns the state according to the records in dir, with what the end of the output shows.
func stateIn(dir string, rec *jobdir.Record) record.State {
	s := stateOf(rec)
	addCurrent(dir, &rec.Meta.Request, &s)
	return s
}

// deadlineOf returns when the timeout expires, by the current wall clock: the holder counts the
// time that the machine runs, while that clock may have been set since the start, and the machine
// may have slept. Corrections below a second are left out.
func deadlineOf(st *record.State, now time.Time) time.Time {
	if st.Deadline.IsZero() || st.StartedUp == 0 {
		return st.Deadline
	}
	ran := proc.RunningAt(now) - st.StartedUp.Duration()
	moved := now.Round(0).Sub(st.StartedAt) - ran
	return st.Deadline.Add(moved.Round(time.Second))
}

// unheld returns the state of a job without an end whose lock is free.
func unheld(dir string, rec *jobdir.Record) record.State {
	s := stateOf(rec)
	unstarted := !rec.Started && rec.Problem == ""
	// If the clock was set back, the job was created in the future, which does not make it younger.
	young := time.Since(rec.Meta.CreatedAt).Abs() < startTimeout
	if unstarted && young && !rec.Meta.Held {
		s.Status = record.Starting
		return s
	}
	s.Rest()
	s.Status, s.Deadline = record.Lost, time.Time{}
	s.Exit = record.Exit{
		Status: record.Lost,
		Reason: record.ReasonHolderDied,
		At:     rec.Touched,
		Error:  rec.Problem,
	}
	boot := cmp.Or(s.BootID, rec.Meta.Boot)
	rebooted := boot != "" && boot != proc.BootID()
	if unstarted && !rebooted && !EverHeld(dir) {
		s.Exit.Error = "it was never started: the program that was starting it died"
		if rec.Meta.Waits() {
			s.Exit.Error = "it was never started: its supervisor process died while it waited"
		}
	}
	if message := crashMessage(dir); message != "" && rec.Problem == "" {
		s.Exit.Error = "its holder failed: " + message
	}
	switch {
	case rebooted:
		s.Exit.Reason = record.ReasonReboot
		return s
	case !rec.Started:
		return s
	case rec.Meta.Kind == record.KindVirtual:
		return s // its process belongs to another program
	}
	if left, err := proc.Members(Orphans(record.ID(rec.ID), &rec.State)); err == nil {
		s.Exit.Survivors = Describe(left)
	}
	return s
}

// EverHeld reports whether the job in dir ever had a holder: a holder opens the log before it starts
// anything.
func EverHeld(dir string) bool {
	return slices.ContainsFunc([]string{jobdir.OutputFile, jobdir.StdoutFile, jobdir.StderrFile}, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}

// Orphans returns a reference to the remaining processes of a job without a holder: only the environment, or
// the record of its end, proves that a process belongs to the job.
func Orphans(id record.ID, st *record.State) proc.JobRef {
	return proc.JobRef{
		Leader:  st.Leader,
		Session: st.Session,
		Holder:  st.Holder,
		Known:   SurvivorsOf(st),
		JobID:   string(id),
	}
}

// SurvivorsOf returns the processes that the records of the end and of the last run name.
func SurvivorsOf(st *record.State) []proc.Identity {
	left := st.Exit.Survivors
	if last, ok := st.LastRun(); ok {
		left = slices.Concat(left, last.Exit.Survivors)
	}
	var ids []proc.Identity
	for _, p := range left {
		ids = append(ids, p.Identity())
	}
	return ids
}

// Describe converts processes to their records.
func Describe(procs []proc.Process) []record.Process {
	var out []record.Process
	for _, p := range procs {
		text := p.Comm
		if argv, err := proc.Cmdline(p.PID); err == nil && len(argv) > 0 {
			text = strings.Join(argv, " ")
		}
		if len(text) > maxDescription {
			text = strings.ToValidUTF8(text[:maxDescription], "") + "…"
		}
		out = append(out, record.Process{
			PID:     p.PID,
			Command: text,
			Start:   p.Identity().Start,
		})
	}
	return out
}

const maxDescription = 200

// A holder's standard error is the lock file of its job. It contains only the message of the Go
// runtime after a crash, with the trace of one goroutine. Earlier versions wrote it to oldLogFile.
const oldLogFile = "holder.log"

// crashMessage returns the first line that the dead holder of the job in dir left, shortened for
// display, or "".
func crashMessage(dir string) string {
	for _, name := range []string{jobdir.LockFile, oldLogFile} {
		if message := firstLine(filepath.Join(dir, name)); message != "" {
			return message
		}
	}
	return ""
}

func firstLine(path string) string {
	f, err := plainfile.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, maxDescription))
	if !lines.Scan() {
		return ""
	}
	return strings.ToValidUTF8(strings.TrimSpace(lines.Text()), "")
}
