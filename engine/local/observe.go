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
func (b *Backend) Observe(ctx context.Context, rs []engine.Record) ([]engine.Observation, error) {
	b.kids.reap()
	out := make([]engine.Observation, len(rs))
	there := make([]bool, len(rs))
	const few = 32 // are not worth a goroutine
	var wg sync.WaitGroup
	n := max(1, min(runtime.GOMAXPROCS(0), len(rs)/few))
	for part := range n {
		wg.Go(func() {
			for i := part; i < len(rs) && ctx.Err() == nil; i += n {
				if r := &rs[i]; r.Records != nil {
					out[i], there[i] = b.judge(r.Dir, r.ID, *r.Records, nil, true)
				} else {
					out[i], there[i] = b.observe(r.Dir, r.ID, true)
				}
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	seen := out[:0]
	for i, o := range out {
		if there[i] {
			seen = append(seen, o)
		}
	}
	return seen, nil
}

// observe reads how a job stands from its files and its lock. With survivors it
// names what a lost job left running. It reports false for a job whose directory is
// not there: it was removed, which is no end.
func (b *Backend) observe(dir string, id engine.ID, survivors bool) (o engine.Observation, there bool) {
	rec, err := jobdir.Read(dir)
	return b.judge(dir, id, rec, err, survivors)
}

// judge is observe with the records that were read, or why they could not be. Of a
// job whose records cannot be read just now nothing is said but that.
func (b *Backend) judge(dir string, id engine.ID, rec jobdir.Record, err error, survivors bool) (o engine.Observation, there bool) {
	return b.judgeBy(jobdir.Read, dir, id, rec, err, survivors)
}

// judgeBy is judge where read looks at the records once more.
func (b *Backend) judgeBy(
	read func(dir string) (jobdir.Record, error), dir string, id engine.ID, rec jobdir.Record, err error, survivors bool,
) (o engine.Observation, there bool) {
	for err == nil && !rec.Finished() && !jobdir.Locked(dir) {
		// Since the first look it may have ended; or begun, and then its holder
		// took the lock before it wrote that.
		before := rec.Started
		again, err := read(dir)
		if errors.Is(err, os.ErrNotExist) {
			return o, false
		}
		if again.Unread != nil && err != nil {
			rec.Unread = again.Unread
			break
		}
		if err == nil {
			rec = again
		}
		if !rec.Finished() && rec.Started == before {
			return b.unheld(dir, id, rec, survivors), true
		}
	}
	if errors.Is(err, os.ErrNotExist) {
		return o, false
	}
	o = observationOf(id, &rec.State)
	o.Output = rec.Output
	if !rec.State.NoLimit {
		o.LogLimit = max(0, rec.Meta.LogLimit)
	}
	switch {
	case rec.Unread != nil && (err != nil || !rec.Finished()):
		o.Link, o.LinkError = engine.LinkUnreachable, rec.Unread.Error()
		if !rec.Started && rec.Output > 0 {
			o.Status = engine.Running // it has printed
		}
	case rec.State.End == nil && rec.Code != nil:
		// Only the code: it holds, the rest is unknown.
		o.Status = engine.Exited
		o.Exit = engine.Exit{Status: engine.Exited, Code: rec.Code, Reason: engine.ReasonExit, At: rec.Touched}
	case !rec.Started && err == nil && !rec.Finished():
		o.Status, o.Backgrounded = engine.Starting, rec.Meta.Backgrounded
	}
	return o, true
}

// unheld judges a job without an end whose lock is free.
func (b *Backend) unheld(dir string, id engine.ID, rec jobdir.Record, survivors bool) engine.Observation {
	o := observationOf(id, &rec.State)
	o.Output = rec.Output
	if !rec.Started {
		o.Backgrounded = rec.Meta.Backgrounded
		// A clock that was set back makes a job of the future, which is no younger.
		if rec.Problem == "" && !rec.Meta.Held && time.Since(rec.Meta.CreatedAt).Abs() < birthTime {
			o.Status = engine.Starting
			return o
		}
	}
	o.Status, o.Paused, o.Waiting, o.Entry, o.Alternate = engine.Lost, false, false, engine.EntryUnknown, false
	o.StopDeadline, o.Deadline = time.Time{}, time.Time{}
	o.Exit = engine.Exit{Status: engine.Lost, Reason: engine.ReasonHolderDied, At: rec.Touched, Error: rec.Problem}
	if !rec.Started && rec.Problem == "" && !everHeld(dir) {
		o.Exit.Error = "it was never started: what was to start it has died"
	}
	if said := lastWords(dir); said != "" && rec.Problem == "" {
		o.Exit.Error = "its holder failed: " + said
	}
	if rec.Started && rec.State.BootID != "" && rec.State.BootID != proc.BootID() {
		o.Exit.Reason = engine.ReasonReboot
		return o
	}
	if survivors && rec.Started {
		if left, err := proc.Members(orphans(id, rec.State)); err == nil {
			o.Exit.Survivors = processesOf(describe(left))
		}
	}
	return o
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
func orphans(id engine.ID, st jobdir.State) proc.JobRef {
	return proc.JobRef{Leader: st.Job, Session: st.Session, Holder: st.Holder, Known: survivorsOf(st), JobID: string(id)}
}

// survivorsOf are the processes that the record of an end names.
func survivorsOf(st jobdir.State) []proc.Identity {
	if st.End == nil {
		return nil
	}
	var ids []proc.Identity
	for _, p := range st.End.Survivors {
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
		if meta, err := jobdir.ReadMeta(r.dir); err == nil && meta.GraceMS > 0 {
			grace = time.Duration(meta.GraceMS) * time.Millisecond
		}
	}
	res, err := proc.Terminate(ctx, ref, proc.Options{Grace: grace, KeepDaemons: o.KeepDaemons})
	return engine.StopReport{
		Took: res.Took, Escalated: res.Escalated, Survivors: processesOf(describe(res.Survivors)),
	}, r.errorOf("stop", err)
}

// holdsHere reports whether the pids of a record mean processes that this one
// sees.
func holdsHere(st jobdir.State) bool {
	return st.BootID != "" && st.BootID == proc.BootID() && st.Machine == proc.MachineID() && st.PIDNS == proc.PIDNamespace()
}

// describe puts processes in words.
func describe(procs []proc.Process) []jobdir.Process {
	var out []jobdir.Process
	for _, p := range procs {
		text := p.Comm
		if argv, err := proc.Cmdline(p.PID); err == nil && len(argv) > 0 {
			text = strings.Join(argv, " ")
		}
		if len(text) > maxDescription {
			text = strings.ToValidUTF8(text[:maxDescription], "") + "…"
		}
		out = append(out, jobdir.Process{PID: p.PID, Command: text, Start: p.Identity().Start})
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
