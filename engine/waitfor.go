package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/watch"
)

// A Condition can be waited for with [Handle.WaitFor]. At most one of Line, Port, Quiet, Says and Look may be set;
// with none, it is the end of the job.
type Condition struct {
	// Line matches a line of any of the job's streams. The incomplete last line of a running job
	// counts too: a prompt has no line feed.
	Line *regexp.Regexp
	// FromNow ignores lines that were complete when the waiting began, and the last one as long as
	// it does not grow.
	FromNow bool
	// Port is a TCP port of this machine on which a process of the job listens.
	Port int
	// Quiet is how long the job must print nothing. A job that has ended is quiet, a queued one is not.
	Quiet time.Duration
	// Since, with Quiet, is when the waiting began if that was earlier, for example in another
	// process. Silence since then counts, as far as the time of the last output is known.
	Since time.Time
	// Says are states of which a program in the job's terminal reports one. The last report of a
	// program that has ended counts too.
	Says []ProgramState
	// Look is called with the job at once, then whenever the job has changed, for example its output
	// size, and a last time when it has ended. Calls do not overlap. Its error ends the waiting and is
	// returned, except ErrUnreachable: it is called again until the host can be reached.
	Look func(Job) error
}

// Outcome is the result of waiting for conditions.
type Outcome struct {
	Met  bool         // a condition holds; otherwise the job ended first
	Held int          // which one, counted from 0
	Line string       // the text of the line that matched
	Said ProgramState // the state that its program reports
	Exit Exit         // how the job ended, if its end ended the waiting
}

// waitForOne returns when c holds for the job. A job in the trash has ended; its lines are not checked.
func (h *Handle) waitForOne(ctx context.Context, c Condition) (Outcome, error) {
	out, err := h.waitFor(ctx, c)
	if c.Look == nil && errors.Is(err, ErrNotFound) { // it may have been cleared since the caller found it
		if exit, ended := h.e.recordedEnd(h.id); ended {
			return Outcome{Met: !c.failsAtEnd(), Exit: exit}, nil
		}
	}
	return out, err
}

// failsAtEnd reports whether the condition cannot hold any more when the job has ended.
func (c *Condition) failsAtEnd() bool { return c.Line != nil || c.Port != 0 || len(c.Says) > 0 }

func (h *Handle) waitFor(ctx context.Context, c Condition) (Outcome, error) {
	switch {
	case c.Line != nil:
		return h.waitForLine(ctx, c)
	case c.Port != 0:
		return h.waitForPort(ctx, c.Port)
	case c.Quiet > 0:
		return h.waitForQuiet(ctx, c.Quiet, c.Since)
	case len(c.Says) > 0:
		return h.waitForStatus(ctx, c.Says)
	case c.Look != nil:
		exit, err := h.lookAt(ctx, c.Look)
		return Outcome{Met: known(err), Exit: exit}, err
	}
	exit, err := h.Wait(ctx)
	return Outcome{Met: known(err), Exit: exit}, err
}

// known reports whether the end of a job is known after it was waited for, recorded or not.
func known(err error) bool { return err == nil || errors.Is(err, ErrUnrecorded) }

// waitForStatus waits until a program reports one of the states.
func (h *Handle) waitForStatus(ctx context.Context, states []ProgramState) (Outcome, error) {
	errSaid := errors.New("it is in one of the states")
	var out Outcome
	exit, err := h.lookAt(ctx, func(j Job) error {
		if j.Program != nil && slices.Contains(states, j.Program.State) {
			out.Said = j.Program.State
			return errSaid
		}
		return nil
	})
	if errors.Is(err, errSaid) {
		out.Met = true
		return out, nil
	}
	return Outcome{Exit: exit}, err
}

// lookAt calls look as described with [Condition].Look.
func (h *Handle) lookAt(ctx context.Context, look func(Job) error) (Exit, error) {
	rec, err := h.e.record(h.id)
	if err != nil {
		return Exit{}, err
	}
	last := h.e.jobOf(rec)
	var lookErr error
	looked := false
	// The job's holder reports output only some times a second. Programs that communicate through a
	// pipe must not wait for that.
	var written <-chan struct{}
	if jobdir.ValidID(string(h.id)) {
		w := watch.Files(h.e.root.Dir(string(h.id)))
		defer w.Close()
		written = w.C
	}
	exit, stopped, err := h.waitUnless(ctx, written, func(j Job) bool {
		looked, last = true, j
		lookErr = retryUnreachable(ctx, func() error { return look(j) })
		return lookErr != nil
	})
	switch {
	case stopped:
		return Exit{}, lookErr
	case err == nil, errors.Is(err, ErrUnrecorded):
		last.Status, last.Exit = exit.Status, exit
		if lookErr := retryUnreachable(ctx, func() error { return look(last) }); lookErr != nil {
			return exit, lookErr
		}
	case !looked && mayHaveFiles(err):
		// It cannot be watched from here, but its files can be read.
		if lookErr := look(last); lookErr != nil {
			return Exit{}, lookErr
		}
	}
	return exit, err
}

// unreachableRetry is the time between two attempts to read from an unreachable host.
const unreachableRetry = time.Second

// retryUnreachable calls do until it returns an error other than ErrUnreachable, or ctx is done.
func retryUnreachable(ctx context.Context, do func() error) error {
	for {
		err := do()
		if !errors.Is(err, ErrUnreachable) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(unreachableRetry):
		}
	}
}

// waitForLine searches the existing output of each stream for the line, then new output.
func (h *Handle) waitForLine(ctx context.Context, c Condition) (Outcome, error) {
	rec, err := h.e.recordAnywhere(h.id)
	if err != nil {
		return Outcome{}, err
	}
	var searches []*lineSearch
	for _, s := range h.e.jobOf(rec).Streams() {
		log, err := h.Log(ctx, s)
		if err != nil {
			return Outcome{}, err
		}
		defer log.Close()
		searches = append(searches, &lineSearch{log: log, pattern: c.Line, fromNow: c.FromNow})
	}
	reading := ctx
	if errors.Is(ctx.Err(), context.DeadlineExceeded) { // no time to wait; what is there counts
		reading = context.WithoutCancel(ctx)
	}
	var out Outcome
	exit, err := h.lookAt(ctx, func(j Job) error {
		for _, s := range searches {
			if err := s.look(reading, j.Status.Finished()); err != nil {
				out.Line = s.match
				return err
			}
		}
		return nil
	})
	if errors.Is(err, errFound) {
		out.Met = true
		return out, nil
	}
	return Outcome{Exit: exit}, err
}

// lineSearch searches a growing log for a line.
type lineSearch struct {
	log     *joblog.Log
	pattern *regexp.Regexp
	fromNow bool
	match   string

	feed  *joblog.Follower // nil before the first look
	began int64            // lines that end here or before do not count
	seen  int64            // the incomplete last line was checked up to here
}

var errFound = errors.New("found")

// look returns errFound if it has found a match.
func (s *lineSearch) look(ctx context.Context, ended bool) error {
	if s.feed == nil {
		if err := s.start(ctx); err != nil {
			return err
		}
	}
	if err := s.first(s.feed.Read(ctx, ended)); err != nil {
		return err
	}
	size, err := s.log.Size(ctx)
	if err != nil || size == s.seen || ended {
		return err
	}
	s.seen = size
	for line, err := range s.log.Lines(ctx, joblog.Query{Last: true, Limit: 1}) {
		if err != nil {
			return err
		}
		if s.pattern.MatchString(line.Text) {
			s.match = line.Text
			return errFound
		}
	}
	return nil
}

// start searches the existing log, unless only later lines count, and then follows it from its last
// line, which may still grow.
func (s *lineSearch) start(ctx context.Context) error {
	// What is added after the first request is new, so the size is read first.
	size, err := s.log.Size(ctx)
	if err != nil {
		return err
	}
	feed, err := s.log.FollowFrom(ctx, size, joblog.Query{Filter: s.pattern})
	if err != nil {
		return err
	}
	if s.fromNow {
		s.began, s.seen = size, size
	} else {
		err = s.first(s.log.Lines(ctx, joblog.Query{Filter: s.pattern, Limit: 1}))
	}
	s.feed = feed
	return err
}

// first returns errFound if there is a line that counts.
func (s *lineSearch) first(lines iter.Seq2[joblog.Line, error]) error {
	for line, err := range lines {
		if err != nil {
			return err
		}
		if line.End <= s.began {
			continue
		}
		s.match = line.Text
		return errFound
	}
	return nil
}

// waitForQuiet waits until the output has not grown for d, where silence since a time counts unless
// that is zero.
func (h *Handle) waitForQuiet(ctx context.Context, d time.Duration, since time.Time) (Outcome, error) {
	quiet, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.AfterFunc(math.MaxInt64, cancel) // until the first look
	defer timer.Stop()
	reached := int64(-1)
	exit, _, err := h.waitUnless(quiet, nil, func(j Job) bool {
		if j.Status == Queued { // it has not begun, so its silence means nothing
			timer.Stop()
			reached = -1
			return false
		}
		if j.Output != reached {
			rest := d
			if reached < 0 && !since.IsZero() {
				rest = d - h.e.silence(j, since)
			}
			reached = j.Output
			timer.Reset(rest)
		}
		return false
	})
	if err != nil && quiet.Err() != nil && ctx.Err() == nil {
		err = nil
	}
	return Outcome{Met: known(err), Exit: exit}, err
}

// silence returns for how long a job has run and printed nothing, at most since a time; 0 if it is not
// known.
func (e *Engine) silence(j Job, since time.Time) time.Duration {
	if j.Waits() && j.StartedAt.After(since) {
		since = j.StartedAt
	}
	for _, s := range j.Streams() {
		info, err := os.Stat(filepath.Join(e.root.Dir(string(j.ID)), s.File()))
		if err != nil || j.Host != "" {
			return 0
		}
		if at := info.ModTime(); at.After(since) {
			since = at
		}
	}
	return max(0, e.cfg.now().Sub(since))
}

// portPollInterval is how often the ports of a job are looked up: no system reports when a process
// starts to listen.
const portPollInterval = 100 * time.Millisecond

// waitForPort waits until a process of the job listens on port.
func (h *Handle) waitForPort(ctx context.Context, port int) (Outcome, error) {
	tick := time.NewTicker(portPollInterval)
	defer tick.Stop()
	for {
		j, err := h.e.read(ctx, h.id)
		switch {
		case err != nil:
			return Outcome{}, err
		case j.Status.Finished():
			return Outcome{Exit: j.Exit}, nil
		case j.Unrecorded != nil:
			return Outcome{Exit: j.Unrecorded.Exit}, h.unrecorded(j)
		case j.Host != "":
			if met, err := h.listensThere(ctx, j, port); met || err != nil {
				return Outcome{Met: met}, err
			}
			tick.Reset(hostPortInterval)
		case h.e.listens(j, port):
			return Outcome{Met: true}, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return Outcome{}, ctx.Err()
		}
	}
}

// hostPortInterval is portPollInterval for a job on a host.
const hostPortInterval = 500 * time.Millisecond

// listensThere asks the host of j. It returns ErrUnsupported if ports cannot be checked there.
func (h *Handle) listensThere(ctx context.Context, j Job, port int) (bool, error) {
	used, measured := h.e.usedThere(ctx, []Job{j})[j.ID]
	if !measured && j.Link == LinkOK && j.HostHolder == "" {
		err := fmt.Errorf("%w: it runs on %s, whose ports cannot be checked from here", ErrUnsupported, j.Host)
		return false, &Error{
			Op:   "wait for a port of",
			Job:  h.id,
			Err:  err,
			Hint: "wait for a line that it prints",
		}
	}
	return slices.Contains(used.Ports, port), nil
}

// listens checks all processes of the job, including those that have left its process tree and are
// found by the job's id in their environment.
func (e *Engine) listens(j Job, port int) bool {
	ref, _ := e.processesOf(j)
	ref.JobID = string(j.ID)
	members, err := proc.Members(ref)
	if err != nil {
		return false
	}
	ports, err := proc.ListeningPorts(members)
	return err == nil && slices.ContainsFunc(ports, func(p proc.Port) bool { return int(p.Addr.Port()) == port })
}

// secretPrompt matches prompts for secrets. It is compiled on first use, to keep starts fast.
var secretPrompt = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(pass(word|phrase|code)|\b(pin|secret|token|verification code))(\b.*:|\s*\?)\s*$`)
})

// asksSecret reports whether a line of output is a prompt for a password or another secret, as far
// as its text shows.
func asksSecret(line string) bool { return secretPrompt().MatchString(line) }
