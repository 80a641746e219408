package ssh

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/judge"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/proc"
)

// remember writes what was observed of a job into its local record, before any subscriber is
// notified: lists show it while the host cannot be reached, and an end is kept. boot is the boot of
// the host in which the job was started, and dir its directory there; empty: unknown. held means
// that the caller holds the lock of the record. If another program holds it, nothing is written:
// that program has looked at the same job, or the next look writes.
func (b *Backend) remember(r engine.Record, o engine.State, boot, dir string, held bool) {
	now := remembered{o, boot, dir, time.Now()}
	if !o.Status.Finished() && b.recorded(r.ID, now) {
		return
	}
	if !held {
		lock, err := b.lock(r, o.Status.Finished())
		if err != nil {
			return
		}
		defer lock.Close()
	}
	old, err := jobdir.ReadState(r.Dir)
	if old.Exit.Known() || jobdir.MayExist(err) {
		return // the next look records it
	}
	if o.HostHolder != "" {
		b.rememberHeld(r, o, old, now)
		return
	}
	st := old
	if st.StartedAt.IsZero() {
		st.StartedAt = o.StartedAt
	}
	if o.StartedUp != 0 {
		st.StartedUp, st.UpBoot = o.StartedUp, proc.BootID()
	}
	st.Machine = r.Job.Machine
	if r.Job.Host == "" { // the directory is this machine's own
		st.Machine, st.PIDNS = b.machine, proc.PIDNamespace()
	}
	if boot != "" {
		st.BootID = boot
	}
	if o.Leader.PID != 0 {
		st.Leader.PID = o.Leader.PID
		if id, err := proc.IdentityOf(o.Leader.PID); r.Job.Host == "" && err == nil {
			st.Leader = id
		}
	}
	if dir != "" {
		st.HostDir = dir
		b.keepDir(r.ID, dir)
	}
	st.Backgrounded = st.Backgrounded || o.Backgrounded
	st.Paused, st.Deadline, st.Output, st.Dropped = o.Paused, o.Deadline, o.Output, o.Dropped
	st.NoLimit = r.Job.LogLimit > 0 && o.NoLimit
	st.Pending = o.Pending
	st.Stopping = nil
	if o.Status == engine.Stopping {
		st.Stopping = o.Stopping
	}
	if o.Status.Finished() {
		b.finish(r, o, st)
		return
	}
	if o.Status == engine.Starting && (dir == "" || judge.Scheduled(r)) {
		return // a record of a job that does not wait means that it runs
	}
	b.store(r, st, old, now)
}

// rememberHeld is remember for a job with a holder: its state is that of a local job of the host.
func (b *Backend) rememberHeld(r engine.Record, o, old engine.State, now remembered) {
	b.keepDir(r.ID, now.dir)
	o.Backgrounded = o.Backgrounded || old.Backgrounded
	switch {
	case o.Status.Finished():
		b.finish(r, o, o)
	case o.Status != engine.Starting: // a record of a job that does not wait means that it runs
		b.store(r, o, old, now)
	}
}

// store writes the state st of a job that has not ended, if it differs from the old one.
func (b *Backend) store(r engine.Record, st, old engine.State, now remembered) {
	if !reflect.DeepEqual(st, old) {
		if err := jobdir.WriteState(r.Dir, &st); err != nil {
			b.log.Warn("the state of a job on a host cannot be recorded", "job", r.ID, "host", r.Job.Host, "err", err)
			return
		}
	} else if err := os.Chtimes(filepath.Join(r.Dir, jobdir.StateFile), time.Time{}, now.at); err != nil {
		b.log.Debug("cannot record when a job was last seen", "job", r.ID, "err", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.records[r.ID] = now
}

// lock acquires the lock of a job's record. It fails if another program holds it, except for the
// end of a job whose wrapper writes into the same directory: the exit code there counts as the end,
// so no later look would record it. Then lock waits.
func (b *Backend) lock(r engine.Record, ended bool) (*jobdir.FileLock, error) {
	for end := time.Now().Add(endPatience); ; {
		lock, err := jobdir.Lock(r.Dir) // waits for a moment by itself
		if !errors.Is(err, jobdir.ErrLocked) {
			return lock, err
		}
		if !ended || !ownDir(r) {
			return lock, err
		}
		if time.Now().After(end) || b.life.Err() != nil {
			b.log.Warn("an end cannot be recorded", "job", r.ID, "err", err)
			return nil, err
		}
	}
}

// endPatience is how long [Backend.lock] waits.
const endPatience = 10 * time.Second

// remembered is what was last put into the record of a job.
type remembered struct {
	o         engine.State
	boot, dir string
	at        time.Time
}

// outputEvery is how often the record is updated with the amount of output, if nothing else has
// changed: the host has the exact number, and a job may print all the time.
const outputEvery = 5 * time.Second

// seenEvery is how often the record of an unchanged job is touched: its modification time is the
// last time at which the job was known to run.
const seenEvery = time.Minute

// recorded reports whether the record of a job already contains now, or will later: this program
// wrote it, and of two programs that look at the same host neither has less information.
func (b *Backend) recorded(id engine.ID, now remembered) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	last, ok := b.records[id]
	if ok && now.at.Sub(last.at) < outputEvery {
		now.o.Output, now.o.Dropped, now.o.Line = last.o.Output, last.o.Dropped, last.o.Line
	}
	if now.at.Sub(last.at) >= seenEvery {
		return false
	}
	now.at = last.at
	return ok && reflect.DeepEqual(last, now)
}

// startedUp returns it from the record, or from the last look of this program.
func (b *Backend) startedUp(r engine.Record) engine.Milliseconds {
	if r.Job.StartedUp != 0 {
		return r.Job.StartedUp
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.records[r.ID].o.StartedUp
}

// finish records the end.
func (b *Backend) finish(r engine.Record, o engine.State, st engine.State) {
	b.mu.Lock()
	delete(b.records, r.ID)
	b.mu.Unlock()
	st.Program = o.Program
	st.Rest()
	st.Exit = o.Exit
	st.Exit.Status = o.Status
	if st.Exit.At.IsZero() {
		st.Exit.At = time.Now()
	}
	if err := jobdir.Finish(r.Dir, &st); err != nil {
		b.log.Warn("an end cannot be recorded", "job", r.ID, "host", r.Job.Host, "err", err)
		return
	}
	kind := engine.EventExited
	if o.Status == engine.Lost {
		kind = engine.EventLost
	}
	if err := jobdir.AppendFact(r.Dir, jobdir.Fact{At: st.Exit.At, Kind: string(kind), Offset: o.Output}); err != nil {
		b.log.Debug("a fact cannot be recorded", "job", r.ID, "err", err)
	}
}

// background records that no client waits for the job any longer.
func background(r engine.Record) error {
	news := false
	err := changeState(r, func(st *engine.State) {
		news = !st.Backgrounded
		st.Backgrounded = true
	})
	if err != nil || !news {
		return err
	}
	return jobdir.AppendFact(r.Dir, jobdir.Fact{
		At:     time.Now(),
		Kind:   string(engine.EventBackgrounded),
		Offset: r.Job.Output,
	})
}

// changeState changes the record here.
func changeState(r engine.Record, change func(*engine.State)) error {
	lock, err := jobdir.Lock(r.Dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	st, err := jobdir.ReadState(r.Dir)
	if err != nil {
		return err
	}
	change(&st)
	return jobdir.WriteState(r.Dir, &st)
}

// RunsHere reports whether the job of r runs on the machine of this program. That may be a host of jobs that
// were started from elsewhere, under any host name: both have the same home directory, so the directory
// of the record also contains the files of the job's wrapper, and a local sh can determine the state. For
// a job that has ended the files suffice, so any machine that has them will do.
func RunsHere(r engine.Record) bool {
	if r.Job.Host == "" {
		return true
	}
	if judge.Scheduled(r) && !r.Job.Status.Finished() {
		return false // its processes are its node's
	}
	place := wordsOf(r, jobdir.PlaceFile)
	if len(place) > 0 && r.Job.Status.Finished() {
		return true
	}
	if len(place) < 3 || place[len(place)-1] != proc.PIDNamespace() {
		return false
	}
	wrapper := wordsOf(r, "wrapper")
	return len(wrapper) >= 3 && wrapper[2] == proc.BootID()
}

// ownDir reports whether the directory of the record is that of the job on its host.
func ownDir(r engine.Record) bool { return r.Job.Host == "" || jobdir.HasWrapper(r.Dir) }

// wordsOf returns the fields of the first line of a file in the directory of the record.
func wordsOf(r engine.Record, name string) []string {
	data, err := plainfile.Read(filepath.Join(r.Dir, name), maxLine)
	if err != nil {
		return nil
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.Fields(line)
}

const maxLine = 4 << 10

// hostName returns the name of the host that is asked about a job.
func hostName(r engine.Record) string {
	if RunsHere(r) {
		return "" // the sh of this machine
	}
	return r.Job.Host
}
