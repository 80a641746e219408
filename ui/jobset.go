package ui

import (
	"maps"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/detail"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// jobSet has the jobs that the engine has reported, with what the pane remembers about them. Events and
// ticks change it; what acts on jobs or draws them reads it. A job is as the engine last reported it,
// except that a failure which the user has seen here counts as seen at once.
type jobSet struct {
	all      map[engine.ID]*job
	gone     map[engine.ID]time.Time // when jobs were removed that had just ended
	counted  *Counts                 // nil: count again
	measured bool                    // the usage of some job has been known
}

func newJobSet() *jobSet {
	return &jobSet{all: map[engine.ID]*job{}, gone: map[engine.ID]time.Time{}}
}

// job is a job with what the pane remembers about it.
type job struct {
	engine.Job
	unread int
	usage  usage
	// why is one sentence about how a job failed; empty until asked is set and the answer came.
	why   string
	asked bool
	// reportShown is when the pane last showed a message about a report of the job's program, and notified when
	// the job last sent a notification.
	reportShown, notified time.Time
	// due is the reported state that a message will show as soon as another message may be shown; empty: none.
	due engine.ProgramState
}

// finished reports whether a job is known to have ended, running whether it is known and has not.
func (s *jobSet) finished(id engine.ID) bool {
	j, ok := s.all[id]
	return ok && j.Status.Finished()
}

func (s *jobSet) running(id engine.ID) bool {
	j, ok := s.all[id]
	return ok && !j.Status.Finished()
}

// backgrounded reports whether a job is known to be in the background.
func (s *jobSet) backgrounded(id engine.ID) bool {
	j, ok := s.all[id]
	return ok && j.Backgrounded
}

// justNow distinguishes a job that came and ended between two batches from an old one that was
// restored from the trash. A job that is cleared and restored sooner is remembered in gone.
const justNow = 10 * time.Second

// put stores the current state of a job.
func (s *jobSet) put(j engine.Job, now time.Time) *job {
	known, had := s.all[j.ID]
	if !had {
		known = &job{}
		s.all[j.ID] = known
	}
	switch {
	case known.Seen: // this pane may have marked it in the meantime
		j.Seen = true
	case j.Seen: // in another program
		known.unread = 0
	}
	if j.NotifyFailed == nil {
		j.NotifyFailed = known.NotifyFailed
	}
	known.Job, s.counted = j, nil
	known.sample(now)
	if j.CPU != nil {
		s.measured = true
	}
	return known
}

func (s *jobSet) drop(id engine.ID, now time.Time) {
	if s.finished(id) {
		s.gone[id] = s.all[id].Exit.At
		maps.DeleteFunc(s.gone, func(_ engine.ID, at time.Time) bool { return now.Sub(at) >= justNow })
	}
	delete(s.all, id)
	s.counted = nil
}

// justEnded reports whether a job that was not known to run has ended a moment ago.
func (s *jobSet) justEnded(j *job, now time.Time) bool {
	_, again := s.gone[j.ID]
	return !again && now.Sub(j.Exit.At) < justNow
}

// addUnread counts something about a job that the user has not seen.
func (s *jobSet) addUnread(j *job) {
	j.unread++
	s.counted = nil
}

// markSeen marks a job as seen. changed reports whether it was not; failed, whether that is to be
// recorded.
func (s *jobSet) markSeen(j *job) (changed, failed bool) {
	failed = j.FailedUnseen()
	if j.unread == 0 && !failed {
		return false, false
	}
	if failed {
		j.Seen = true
	}
	j.unread, s.counted = 0, nil
	return true, failed
}

// counts returns the numbers of the jobs.
func (s *jobSet) counts() Counts {
	if s.counted != nil {
		return *s.counted
	}
	var c Counts
	for _, j := range s.all {
		done := c.Done
		c.Add(j.Job)
		c.UnseenDone += min(j.unread, c.Done-done) // 1 at most
	}
	s.counted = &c
	return c
}

// commands returns the commands of the jobs, newest first.
func (s *jobSet) commands() []string {
	jobs := slices.SortedFunc(maps.Values(s.all), func(a, b *job) int { return b.CreatedAt.Compare(a.CreatedAt) })
	var all []string
	for _, j := range jobs {
		all = append(all, j.CommandLine())
	}
	return all
}

// hosts returns the hosts of the jobs.
func (s *jobSet) hosts() []string {
	found := map[string]bool{}
	for _, j := range s.all {
		found[j.Host] = true
	}
	delete(found, "")
	return slices.Collect(maps.Keys(found))
}

// timesChange returns how often a time in the list of jobs changes; 0: never. second is how often a
// time that is shown in seconds is updated.
func (s *jobSet) timesChange(now time.Time, second time.Duration) time.Duration {
	every := time.Duration(0)
	for _, j := range s.all {
		if !j.Status.Finished() || now.Sub(j.Exit.At) < time.Minute {
			return second
		}
		every = time.Minute // how long ago jobs ended is shown in minutes
	}
	return every
}

// samplesOf returns what a job used. Where usage is measured, a job that is not measured yet has
// one sample that is not known, so that its rows have their place from the start.
func (s *jobSet) samplesOf(j *job) []detail.Sample {
	if len(j.usage.samples) > 0 || !s.measured {
		return j.usage.samples
	}
	measurable := j.Host == "" && j.Leader.PID != 0 && !j.Status.Finished()
	if !measurable {
		return nil
	}
	return []detail.Sample{{CPU: -1}}
}

// Counts are numbers of jobs by state.
type Counts struct {
	statusbadge.Counts
	UnseenDone int // those of Done that succeeded while not on screen
}
