package local

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/proc"
)

// birthTime is how long a job may be without a holder after it was asked for, if
// who did that does not hold it meanwhile, as earlier versions of hob did not.
const birthTime = 30 * time.Second

// Observe implements [engine.Backend].
func (b *Backend) Observe(ctx context.Context, rs []engine.Record) (map[engine.ID]engine.State, error) {
	b.kids.reap()
	states := make([]engine.State, len(rs))
	there := make([]bool, len(rs))
	const few = 32 // are not worth a goroutine
	var wg sync.WaitGroup
	n := max(1, min(runtime.GOMAXPROCS(0), len(rs)/few))
	for part := range n {
		wg.Go(func() {
			for i := part; i < len(rs) && ctx.Err() == nil; i += n {
				states[i], there[i] = observe(rs[i].Dir)
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	seen := make(map[engine.ID]engine.State, len(rs))
	for i, s := range states {
		if there[i] {
			seen[rs[i].ID] = s
		}
	}
	return seen, nil
}

// observe reads how a job stands from its files and its lock. It reports false for a job
// whose directory is not there: it was removed, which is no end.
func observe(dir string) (s engine.State, there bool) { return observeBy(jobdir.Read, dir) }

// observeBy is observe with records that read returns. Of a job whose records cannot be
// read just now nothing is said but that.
func observeBy(read func(dir string) (jobdir.Record, error), dir string) (s engine.State, there bool) {
	rec, err := read(dir)
	for err == nil && !rec.Finished() && !jobdir.Locked(dir) {
		// Since the first look it may have ended; or begun, and then its holder
		// took the lock before it wrote that.
		before := rec.Started
		again, err := read(dir)
		if errors.Is(err, os.ErrNotExist) {
			return s, false
		}
		if again.Unread != nil && err != nil {
			rec.Unread = again.Unread
			break
		}
		if err == nil {
			rec = again
		}
		if !rec.Finished() && rec.Started == before {
			return unheld(dir, &rec), true
		}
	}
	if errors.Is(err, os.ErrNotExist) {
		return s, false
	}
	s = stateOf(&rec)
	if rec.Unread != nil && (err != nil || !rec.Finished()) {
		s.Link, s.LinkError = engine.LinkUnreachable, rec.Unread.Error()
		if s.Status.Finished() { // by a part of the records
			s.Status, s.Exit = engine.Running, engine.Exit{}
		}
	}
	return s, true
}

// stateOf returns the state by the records.
func stateOf(rec *jobdir.Record) engine.State {
	s := rec.CurrentState()
	s.Deadline = deadlineOf(&s, time.Now())
	return s
}

// unheld returns the state of a job without an end whose lock is free.
func unheld(dir string, rec *jobdir.Record) engine.State {
	s := stateOf(rec)
	// A clock that was set back makes a job of the future, which is no younger.
	if !rec.Started && rec.Problem == "" && !rec.Meta.Held && time.Since(rec.Meta.CreatedAt).Abs() < birthTime {
		s.Status = engine.Starting
		return s
	}
	s.Rest()
	s.Status, s.Deadline = engine.Lost, time.Time{}
	s.Exit = engine.Exit{Status: engine.Lost, Reason: engine.ReasonHolderDied, At: rec.Touched, Error: rec.Problem}
	if !rec.Started && rec.Problem == "" && !everHeld(dir) {
		s.Exit.Error = "it was never started: what was to start it has died"
	}
	if said := lastWords(dir); said != "" && rec.Problem == "" {
		s.Exit.Error = "its holder failed: " + said
	}
	if !rec.Started {
		return s
	}
	if s.BootID != "" && s.BootID != proc.BootID() {
		s.Exit.Reason = engine.ReasonReboot
		return s
	}
	if left, err := proc.Members(orphans(engine.ID(rec.ID), rec.State)); err == nil {
		s.Exit.Survivors = describe(left)
	}
	return s
}

// everHeld reports whether a holder has come as far as holding the job in dir: it
// opens the log before anything is started.
func everHeld(dir string) bool {
	return slices.ContainsFunc([]string{jobdir.OutputFile, jobdir.StdoutFile, jobdir.StderrFile}, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}

// orphans is what is left of a job without a holder: only its environment, or the
// record of its end, proves that a process is the job's.
func orphans(id engine.ID, st engine.State) proc.JobRef {
	return proc.JobRef{Leader: st.Leader, Session: st.Session, Holder: st.Holder, Known: survivorsOf(st), JobID: string(id)}
}

// survivorsOf are the processes that the record of an end names.
func survivorsOf(st engine.State) []proc.Identity {
	var ids []proc.Identity
	for _, p := range st.Exit.Survivors {
		ids = append(ids, p.Identity())
	}
	return ids
}

// stopSurvivors ends what a job without a holder left running. Nothing is
// signalled that is not proven to be of this boot and this job.
func (r *Run) stopSurvivors(ctx context.Context, o engine.StopOptions) (engine.StopReport, error) {
	st, err := jobdir.ReadState(r.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) { // it may name some
		return engine.StopReport{}, r.errorOf("stop", err)
	}
	if err != nil || !holdsHere(st) {
		return engine.StopReport{}, r.errorOf("stop", engine.ErrNotRunning)
	}
	ref := orphans(r.id, st)
	left, err := proc.Members(ref)
	if err != nil {
		return engine.StopReport{}, r.errorOf("stop", err)
	}
	if len(left) == 0 {
		return engine.StopReport{}, r.errorOf("stop", engine.ErrNotRunning)
	}
	grace := o.Grace
	if grace == 0 {
		grace = defaultGrace
		if meta, err := jobdir.ReadMeta(r.dir); err == nil && meta.Grace > 0 {
			grace = meta.Grace.Duration()
		}
	}
	res, err := proc.Terminate(ctx, ref, proc.Options{Grace: grace, KeepDaemons: o.KeepDaemons})
	return engine.StopReport{
		Took: res.Took, Escalated: res.Escalated, Survivors: describe(res.Survivors),
	}, r.errorOf("stop", err)
}

// holdsHere reports whether the pids of a record mean processes that this one
// sees.
func holdsHere(st engine.State) bool {
	return st.BootID != "" && st.BootID == proc.BootID() && st.Machine == proc.MachineID() && st.PIDNS == proc.PIDNamespace()
}

// describe puts processes in words.
func describe(procs []proc.Process) []engine.Process {
	var out []engine.Process
	for _, p := range procs {
		text := p.Comm
		if argv, err := proc.Cmdline(p.PID); err == nil && len(argv) > 0 {
			text = strings.Join(argv, " ")
		}
		if len(text) > maxDescription {
			text = strings.ToValidUTF8(text[:maxDescription], "") + "…"
		}
		out = append(out, engine.Process{PID: p.PID, Command: text, Start: p.Identity().Start})
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
