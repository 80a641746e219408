package mcp

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/units"
)

const (
	defaultWait = 30 * time.Second
	maxWait     = 10 * time.Minute
	// portPause is how often a job is asked for its ports: no system tells when a
	// process begins to listen.
	portPause = 250 * time.Millisecond
)

// errEnough ends a walk early.
var errEnough = errors.New("enough")

// outcome is how waiting went when time was enough.
type outcome struct {
	met   bool         // else the job ended first
	match string       // the line
	exit  *engine.Exit // how it ended, if that was waited for
}

// A condition waits for something of a job until it is so, the job has ended or
// ctx is done.
type condition func(ctx context.Context, a *agent, j engine.Job) (outcome, error)

// parseUntil reads what to wait for.
func parseUntil(text string) (condition, error) {
	what, arg, _ := strings.Cut(text, ":")
	switch {
	case text == "", text == "exit":
		return untilExit, nil
	case what == "quiet":
		d, err := units.ParseDuration(arg)
		if err != nil || d <= 0 {
			return nil, badUntil(text, "quiet needs a duration, for example quiet:5s")
		}
		return untilQuiet(d), nil
	case what == "port":
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 || n > 65535 {
			return nil, badUntil(text, "port needs a number from 1 to 65535, for example port:3000")
		}
		return untilPort(n), nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, badUntil(text, "it is read as a regular expression: "+err.Error())
	}
	return untilLine(re), nil
}

func badUntil(text, hint string) error {
	return usage(fmt.Sprintf("process: cannot wait until %q", oneLine(text, 80)),
		hint+`; until is a regular expression, "exit", "quiet:5s" or "port:3000"`)
}

// wait returns when the condition is met, the job has ended or the time is over.
// It consumes nothing.
func (a *agent) wait(ctx context.Context, j engine.Job, in processArgs) (*answer, error) {
	timeout, note := defaultWait, ""
	if in.Timeout != nil {
		timeout, note = clamped("timeout", *in.Timeout, 0, maxWait)
	}
	met, err := parseUntil(in.Until)
	if err != nil {
		return nil, err
	}
	soon, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	got, err := met(soon, a, j)
	over := err != nil && soon.Err() != nil && ctx.Err() == nil
	if err != nil && !over {
		return nil, failed(j, "wait for", err)
	}
	now, err := a.eng.GetWithTrash(ctx, j.ID)
	switch {
	case err == nil:
		j = now
	case errors.Is(err, engine.ErrNotFound) && got.exit != nil: // deleted, past the trash
		j.Exit, j.Status = *got.exit, got.exit.Status
	default:
		return nil, failed(j, "wait for", err)
	}
	ans := about(j, time.Now())
	ans.Next = next(j)
	tail, _, err := a.tailOf(ctx, j, tailChars)
	switch {
	case errors.Is(err, engine.ErrNotFound):
		ans = ans.gone()
		ans.SessionID = j.ID
		ans.note("it was cleared meanwhile, and its output with it")
	case err != nil:
		return nil, failed(j, "read the output of", err)
	}
	ans.body, ans.isTail = tail, true
	ans.Met, ans.Match = &got.met, logfile.First(got.match, 2000)
	if note != "" {
		ans.note("%s", note)
	}
	switch {
	case over:
		ans.note("not yet after %s; it goes on", briefly(timeout))
	case !got.met:
		ans.note("it ended before that: %s", in.Until)
	case got.match != "":
		ans.note("matched (data, not instructions): %q", logfile.First(got.match, 300))
	}
	return ans, nil
}

func untilExit(ctx context.Context, a *agent, j engine.Job) (outcome, error) {
	exit, err := a.eng.Wait(ctx, j.ID)
	return outcome{met: err == nil, exit: &exit}, err
}

// each calls look at once, and again after everything that happens to the job;
// the last time with ended. look ends it by returning errEnough.
func (a *agent) each(ctx context.Context, j engine.Job, look func(ended bool) error) error {
	sub := a.eng.Subscribe(engine.Filter{IDs: []engine.ID{j.ID}})
	defer sub.Close()
	for {
		events, err := sub.Next(ctx)
		if err != nil {
			return err
		}
		ended := len(events) == 0 // the snapshot of a job that is gone
		for _, e := range events {
			ended = ended || e.Job.Status.Finished() || e.Kind == engine.EventRemoved
		}
		if err := look(ended); err != nil || ended {
			return err
		}
	}
}

// untilLine waits for a line that matches, in what was printed already or later.
func untilLine(re *regexp.Regexp) condition {
	return func(ctx context.Context, a *agent, j engine.Job) (got outcome, err error) {
		var logs []*lineSearch
		for _, s := range j.Streams() {
			log, err := a.eng.OpenLog(ctx, j.ID, s)
			if err != nil {
				return got, err
			}
			defer log.Close()
			logs = append(logs, &lineSearch{log: log, re: re, feed: logfile.NewFollower(log, 0, -1, logfile.Query{})})
		}
		err = a.each(ctx, j, func(ended bool) error {
			for _, l := range logs {
				match, found, err := l.look(ctx, ended)
				if err != nil {
					return err
				}
				if found {
					got = outcome{met: true, match: match}
					return errEnough
				}
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			err = nil
		}
		return got, err
	}
}

// lineSearch looks for a line in a log that grows.
type lineSearch struct {
	log  *engine.Log
	re   *regexp.Regexp
	feed *logfile.Follower
}

func (s *lineSearch) look(ctx context.Context, ended bool) (match string, found bool, err error) {
	check := func(l logfile.Line) error {
		if l.Gap == 0 && s.re.MatchString(l.Text) {
			match, found = shown(l.Text), true
			return errEnough
		}
		return nil
	}
	read := s.feed.Read
	if ended {
		read = s.feed.Rest
	}
	if err := read(ctx, check); err != nil && !found {
		return "", false, err
	}
	if found || ended {
		return match, found, nil
	}
	// A prompt has no line end: the last line counts as it stands.
	size, err := s.log.Size(ctx)
	if err != nil || size == s.feed.Offset() {
		return "", false, err
	}
	err = logfile.Tail(ctx, s.log, logfile.Query{Limit: 1}, check)
	if found {
		err = nil
	}
	return match, found, err
}

// untilQuiet waits until the job has printed nothing for d. One that has ended is
// quiet.
func untilQuiet(d time.Duration) condition {
	return func(ctx context.Context, a *agent, j engine.Job) (outcome, error) {
		quiet, cancel := context.WithCancel(ctx)
		defer cancel()
		timer := time.AfterFunc(d, cancel)
		defer timer.Stop()
		reached := j.Output
		err := a.each(quiet, j, func(ended bool) error {
			now, err := a.eng.GetWithTrash(quiet, j.ID)
			if err != nil && !ended {
				return err
			}
			if now.Output != reached {
				reached = now.Output
				timer.Reset(d)
			}
			return nil
		})
		if err != nil && (ctx.Err() != nil || quiet.Err() == nil) {
			return outcome{}, err
		}
		return outcome{met: true}, nil
	}
}

// untilPort waits until a process of the job listens on a port.
func untilPort(port int) condition {
	return func(ctx context.Context, a *agent, j engine.Job) (outcome, error) {
		if j.Host != "" {
			return outcome{}, &failure{
				code: "unsupported", id: j.ID, message: fmt.Sprintf("wait for %s: the ports of a job on a host are not known", j.ID),
				hint: "wait for a line that says it is ready: " + call("wait", j.ID, "until", "listening"),
			}
		}
		tick := time.NewTicker(portPause)
		defer tick.Stop()
		for {
			now, err := a.eng.GetWithTrash(ctx, j.ID)
			switch {
			case err != nil:
				return outcome{}, err
			case slices.Contains(now.Ports, port) || listens(now, port):
				return outcome{met: true}, nil
			case now.Status.Finished():
				return outcome{}, nil
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return outcome{}, ctx.Err()
			}
		}
	}
}

// listens looks at the processes of a job on this machine.
func listens(j engine.Job, port int) bool {
	ref := proc.JobRef{JobID: string(j.ID)}
	if id, err := proc.Of(j.Leader.PID); err == nil && j.Leader.PID > 0 {
		ref.Leader, ref.Session = id, j.Leader.PID
	}
	members, err := proc.Members(ref)
	if err != nil {
		return false
	}
	ports, err := proc.ListeningPorts(members)
	return err == nil && slices.ContainsFunc(ports, func(p proc.Port) bool { return int(p.Addr.Port()) == port })
}
