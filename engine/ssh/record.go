package ssh

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/proc"
)

// remember writes what was seen of a job into its record here, before anybody is
// told: so that lists are complete while the host cannot be reached, and an end
// is kept. held says that the caller has the lock of the directory. What another
// program is writing at the same moment is the same.
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
	if err == nil && old.Exit.Known() || jobdir.MayBeThere(err) {
		return // the next look records it
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
		if id, err := proc.Of(o.Leader.PID); r.Job.Host == "" && err == nil {
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
	st.Stopping = nil
	if o.Status == engine.Stopping {
		st.Stopping = o.Stopping
	}
	if o.Status.Finished() {
		b.finish(r, o, st)
		return
	}
	if o.Status == engine.Starting && dir == "" {
		return
	}
	if !reflect.DeepEqual(st, old) {
		if err := jobdir.WriteState(r.Dir, &st); err != nil {
			b.log.Warn("what a host says cannot be recorded", "job", r.ID, "host", r.Job.Host, "err", err)
			return
		}
	} else if err := os.Chtimes(filepath.Join(r.Dir, jobdir.StateFile), time.Time{}, now.at); err != nil {
		b.log.Debug("it cannot be recorded when a job was last seen", "job", r.ID, "err", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.records[r.ID] = now
}

// lock takes the lock of a job's record. Where the wrapper writes the exit code into
// the record itself, nobody asks again how the job ended: then it is waited for.
func (b *Backend) lock(r engine.Record, ended bool) (*jobdir.Held, error) {
	for end := time.Now().Add(endPatience); ; {
		lock, err := jobdir.Lock(r.Dir) // waits for a moment by itself
		if err == nil || !ended || !ownDir(r) || !errors.Is(err, jobdir.ErrLocked) {
			return lock, err
		}
		if time.Now().After(end) || b.life.Err() != nil {
			b.log.Warn("an end cannot be recorded", "job", r.ID, "err", err)
			return nil, err
		}
	}
}

// endPatience is how long the record of a job that has ended may be in use by others.
const endPatience = 10 * time.Second

// remembered is what was last put into the record of a job.
type remembered struct {
	o         engine.State
	boot, dir string
	at        time.Time
}

// outputEvery is how often the record says anew how much a job has printed, if nothing
// else has changed: the host knows, and a job may print all the time.
const outputEvery = 5 * time.Second

// seenEvery is how often the record is touched of a job that does not change: its time
// says until when the job was known to run.
const seenEvery = time.Minute

// recorded reports whether the record of a job already says that, or is to say it
// later: this program wrote it, and of two that look at the same host neither knows less.
func (b *Backend) recorded(id engine.ID, now remembered) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	last, ok := b.records[id]
	if ok && now.at.Sub(last.at) < outputEvery {
		now.o.Output, now.o.Dropped = last.o.Output, last.o.Dropped
	}
	if now.at.Sub(last.at) >= seenEvery {
		return false
	}
	now.at = last.at
	return ok && reflect.DeepEqual(last, now)
}

// startedUp is what is known of it, by the record or by what this program saw.
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
	st.Stopping, st.Paused = nil, false
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

// background records that nobody waits for the job any longer.
func background(r engine.Record) error {
	news := false
	err := changeState(r, func(st *engine.State) {
		news = !st.Backgrounded
		st.Backgrounded = true
	})
	if err != nil || !news {
		return err
	}
	return jobdir.AppendFact(r.Dir, jobdir.Fact{At: time.Now(), Kind: string(engine.EventBackgrounded), Offset: r.Job.Output})
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

// RunsHere reports whether the job of r runs where this program does: its own sh can be
// asked about it, with whatever name of a host it was started. So it is on a host that
// has the state root of the client, because both have the same home directory or are the
// same machine: there the directory of the record has the files of the job's wrapper.
// When it has ended those files are all there is, and any machine that has them will do.
func RunsHere(r engine.Record) bool {
	if r.Job.Host == "" {
		return true
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

// wordsOf are the words in the first line of a file in the directory of the record.
func wordsOf(r engine.Record, name string) []string {
	data, err := plainfile.Read(filepath.Join(r.Dir, name), maxLine)
	if err != nil {
		return nil
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.Fields(line)
}

const maxLine = 4 << 10

// hostOf returns the actor that a job is asked about.
func (b *Backend) hostOf(r engine.Record) *host { return b.host(hostName(r)) }

func hostName(r engine.Record) string {
	if RunsHere(r) {
		return "" // the sh of this machine
	}
	return r.Job.Host
}
