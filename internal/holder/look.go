package holder

import (
	"bufio"
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

// birthTime is how long a job may be without a holder after it was asked for, if the
// program that asked does not hold it meanwhile, as earlier versions of hob did not.
const birthTime = 30 * time.Second

// Look reads how a job stands from its files and its lock. A job whose records cannot be
// read just now has the link "unreachable", and nothing else is concluded. The error is
// fs.ErrNotExist for a directory that is not there: the job was removed, which is no end;
// and jobdir.ErrNoMeta.
func Look(dir string) (record.State, error) { return lookBy(jobdir.Read, dir) }

// lookBy is Look with records that read returns.
func lookBy(read func(dir string) (jobdir.Record, error), dir string) (s record.State, err error) {
	rec, err := read(dir)
	for err == nil && !rec.Finished() && !jobdir.Locked(dir) {
		// Since the first look it may have ended; or begun, and then its holder
		// took the lock before it wrote that.
		before := rec.Started
		again, err := read(dir)
		if err != nil && again.Unread != nil {
			rec.Unread = again.Unread
			break
		}
		if err != nil {
			return s, err
		}
		if rec = again; !rec.Finished() && rec.Started == before {
			return unheld(dir, &rec), nil
		}
	}
	if err != nil && rec.Unread == nil {
		return s, err
	}
	s = stateOf(&rec)
	if rec.Unread != nil && (err != nil || !rec.Finished()) {
		s.Link, s.LinkError = record.LinkUnreachable, rec.Unread.Error()
		if s.Status.Finished() { // by a part of the records
			s.Status, s.Exit = record.Running, record.Exit{}
		}
	}
	return s, nil
}

// stateOf returns the state by the records.
func stateOf(rec *jobdir.Record) record.State {
	s := rec.CurrentState()
	s.Deadline = deadlineOf(&s, time.Now())
	return s
}

// deadlineOf is when the timeout strikes, by the wall clock as it goes now: the
// holder counts the time that the machine runs, while that clock may have been set
// since the start, and the machine may have slept. Corrections below a second are
// left out.
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
	// A clock that was set back makes a job of the future, which is no younger.
	if !rec.Started && rec.Problem == "" && !rec.Meta.Held && time.Since(rec.Meta.CreatedAt).Abs() < birthTime {
		s.Status = record.Starting
		return s
	}
	s.Rest()
	s.Status, s.Deadline = record.Lost, time.Time{}
	s.Exit = record.Exit{Status: record.Lost, Reason: record.ReasonHolderDied, At: rec.Touched, Error: rec.Problem}
	if !rec.Started && rec.Problem == "" && !EverHeld(dir) {
		s.Exit.Error = "it was never started: what was to start it has died"
	}
	if said := lastWords(dir); said != "" && rec.Problem == "" {
		s.Exit.Error = "its holder failed: " + said
	}
	if !rec.Started {
		return s
	}
	if s.BootID != "" && s.BootID != proc.BootID() {
		s.Exit.Reason = record.ReasonReboot
		return s
	}
	if rec.Meta.Kind == record.KindVirtual {
		return s // its process belongs to another program
	}
	if left, err := proc.Members(Orphans(record.ID(rec.ID), &rec.State)); err == nil {
		s.Exit.Survivors = Describe(left)
	}
	return s
}

// EverHeld reports whether a holder has come as far as holding the job in dir: it
// opens the log before anything is started.
func EverHeld(dir string) bool {
	return slices.ContainsFunc([]string{jobdir.OutputFile, jobdir.StdoutFile, jobdir.StderrFile}, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}

// Orphans is what is left of a job without a holder: only its environment, or the
// record of its end, proves that a process is the job's.
func Orphans(id record.ID, st *record.State) proc.JobRef {
	return proc.JobRef{Leader: st.Leader, Session: st.Session, Holder: st.Holder, Known: SurvivorsOf(st), JobID: string(id)}
}

// SurvivorsOf are the processes that the record of an end names.
func SurvivorsOf(st *record.State) []proc.Identity {
	var ids []proc.Identity
	for _, p := range st.Exit.Survivors {
		ids = append(ids, p.Identity())
	}
	return ids
}

// Describe puts processes in words.
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
		out = append(out, record.Process{PID: p.PID, Command: text, Start: p.Identity().Start})
	}
	return out
}

const maxDescription = 200

// A holder's standard error is the lock of its job: what the Go runtime says when
// it fails, the trace of one goroutine, is all that ever stands there. One of an
// earlier version wrote it to holderLog.
const holderLog = "holder.log"

// lastWords is the first line that the dead holder of the job in dir has left, cut
// to what a person reads; empty if it left none.
func lastWords(dir string) string {
	for _, name := range []string{jobdir.LockFile, holderLog} {
		if said := firstLine(filepath.Join(dir, name)); said != "" {
			return said
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
