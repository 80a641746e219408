package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/hobjobs/hob/engine"
)

// reporting wraps look, which reads the logs of job. On a terminal it reports why the job waits on its
// host, and when the host becomes unreachable or reachable again.
func (a *app) reporting(job engine.Job, look func(engine.Job) error) func(engine.Job) error {
	if job.Host == "" || !isTerminal(a.stderr) {
		return look
	}
	var news hostNews
	return func(now engine.Job) error {
		err := look(now)
		for _, line := range news.of(now, err) {
			a.reportf("hob: %s", line)
		}
		return err
	}
}

// hostNews is what the user was told about a job on a host.
type hostNews struct {
	lost  bool   // the host is unreachable
	waits string // why the job waits
}

// of returns the lines that tell what has changed, for the job as it is now. err is that of reading
// its logs.
func (n *hostNews) of(j engine.Job, err error) (lines []string) {
	unread := errors.Is(err, engine.ErrUnreachable)
	lost := unread || j.Link == engine.LinkUnreachable
	switch {
	case lost && !n.lost:
		why := engine.HostPrefix(j.Host) + j.LinkReason()
		if unread {
			why = err.Error()
		}
		lines = append(lines, escape(why)+"; "+meanwhile(&j))
	case n.lost && !lost && err == nil:
		lines = append(lines, "reconnected to "+escape(j.Host))
	}
	n.lost = lost
	if p := j.Pending; p != nil && !lost && p.Reason != n.waits {
		n.waits = p.Reason
		lines = append(lines, fmt.Sprintf("%s is queued: %s", j.ID, escape(j.WaitReason(time.Now()))))
	}
	return lines
}

// meanwhile says what is known of a job while its host is unreachable.
func meanwhile(j *engine.Job) string {
	switch j.Status {
	case engine.Starting:
		return "whether " + string(j.ID) + " has started is known when the host is reachable"
	case engine.Queued:
		return string(j.ID) + " was queued when the host was last reachable"
	case engine.Running, engine.Stopping, engine.Exited, engine.Killed, engine.Failed, engine.Lost:
	}
	return string(j.ID) + " keeps running. Its output continues when the host is reachable"
}
