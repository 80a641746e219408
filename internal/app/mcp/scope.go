package mcp

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/within"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/notes"
	"github.com/hobjobs/hob/internal/units"
)

// The labels of an agent's jobs.
const (
	labelClient  = "agent.client"
	labelProject = "agent.project"
	labelNotify  = "agent.notify" // the parameter notify, if given
	labelTask    = "agent.task"   // its client accepts tasks
	labelShell   = "agent.shell"  // the agent started it from its shell
)

// A scope selects the jobs that an agent sees.
type scope struct {
	client  string
	project string
}

func newScope(client, dir string) scope { return scope{client, projectOf(dir)} }

// projectOf returns the git work tree that contains dir, or else dir itself.
func projectOf(dir string) string {
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		// A directory, or a file in work trees and submodules.
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return filepath.Clean(dir)
		}
	}
}

func (s scope) labels() map[string]string {
	return map[string]string{labelClient: s.client, labelProject: s.project}
}

func (s scope) owns(j engine.Job) bool {
	return j.Labels[labelClient] == s.client && j.Labels[labelProject] == s.project
}

// reader returns the client name of the scope's cursors. The engine truncates long names, so the
// directory is represented by a hash.
func (s scope) reader() string {
	sum := sha256.Sum256([]byte(s.project))
	return fmt.Sprintf("%s %x", oneLine(s.client, 24), sum[:6])
}

// endReader returns the client name of the cursor that records which ends were reported.
func (s scope) endReader() string { return s.reader() + " end" }

// answerReader returns the client name of the cursor that records which question was answered.
func (s scope) answerReader() string { return s.reader() + " answer" }

// filter returns the filter for the jobs of the scope, or for all jobs.
func (s scope) filter(all bool) engine.Filter {
	if all {
		return engine.Filter{}
	}
	return engine.Filter{Labels: s.labels()}
}

// find returns the job for ref: an id, a name, a unique prefix, or @ for the newest. It finds
// jobs outside of the scope only if all is set.
func (a *agent) find(ctx context.Context, ref string, all bool, in engine.Intent) (j engine.Job, err error) {
	switch {
	case ref == "":
		err = engine.ErrNotFound
	case all:
		j, err = a.eng.Find(ctx, ref, in)
	default:
		j, err = a.findOwn(ctx, ref, in)
	}
	switch {
	case err == nil || ctx.Err() != nil:
		return j, err
	case errors.Is(err, engine.ErrNotFound):
		// An agent refers to a wait by its task's id.
		if id, wait := splitTaskID(ref); wait != "" {
			return a.find(ctx, id, all, in)
		}
		return j, a.unknown(ctx, ref, all)
	}
	return j, general(err)
}

func (a *agent) findOwn(ctx context.Context, ref string, in engine.Intent) (engine.Job, error) {
	if j, err := a.eng.Handle(engine.ID(ref)).Facts(ctx); err == nil && a.scope.owns(j) {
		return j, nil
	}
	jobs, err := a.eng.List(ctx, a.scope.filter(false))
	if err != nil {
		return engine.Job{}, err
	}
	return engine.Choose(jobs, ref, in)
}

// Labels returns the labels of a job that an agent starts from its shell in dir, so that its
// server for that project lists the job.
func Labels(client, dir string) map[string]string {
	labels := newScope(client, dir).labels()
	labels[labelShell] = "yes"
	return labels
}

// Running returns the running jobs of an agent in the project of dir, and those that the user
// has started there.
func Running(ctx context.Context, eng *engine.Engine, client, dir string) (own, users []engine.Job, err error) {
	s := newScope(client, dir)
	jobs, err := eng.List(ctx, engine.Filter{Running: true})
	for _, j := range jobs {
		switch {
		case s.owns(j):
			own = append(own, j)
		case j.Labels[labelClient] == "" && j.Host == "":
			users = append(users, j)
		}
	}
	return own, within.Dir(users, s.project), err
}

// RecordEnd records that the agent was given the end of a job by its shell, so that no notice
// follows.
func RecordEnd(eng *engine.Engine, client, dir string, id engine.ID) error {
	return notes.Of(eng.StateDir()).SetNumber(string(id), newScope(client, dir).endReader(), reportSent)
}

// findShellEnds queues notices about jobs that the agent has started from its shell in this
// session and that have ended. A process that still follows such a job in the agent's shell
// reports its end there, and records that within answerGrace.
func (a *agent) findShellEnds() {
	if a.eng == nil {
		return
	}
	labels := a.scope.labels()
	labels[labelShell] = "yes"
	jobs, err := a.eng.List(a.life, engine.Filter{Finished: true, Labels: labels})
	if err != nil {
		a.c.Logger.Debug("the jobs of the agent's shell cannot be listed", "err", err)
		return
	}
	a.news.mu.Lock()
	defer a.news.mu.Unlock()
	now := time.Now()
	for _, j := range slices.Backward(jobs) { // oldest first
		// resume has taken care of older ones.
		if j.CreatedAt.Before(a.began) || j.EndedAgo(now) < answerGrace || a.news.of(j.ID).shellEnd {
			continue
		}
		a.news.of(j.ID).shellEnd = true
		if text := a.endNotice(j); text != "" && a.endReport(j.ID) == 0 {
			a.news.add(notice{job: j, text: text, logged: true})
		}
	}
}

// defaultListed is the default number of finished jobs in a list.
const defaultListed = 50

// row is one job in a list.
type row struct {
	facts
	UptimeMS        int64     `json:"uptimeMs"`
	StartedAt       time.Time `json:"startedAt,omitzero"`
	EndedAt         time.Time `json:"endedAt,omitzero"`
	Dir             string    `json:"dir"`
	Command         string    `json:"command"`
	WaitingForInput bool      `json:"waitingForInput"`
	OutputBytes     int64     `json:"outputBytes"`
	CreatedBy       string    `json:"createdBy,omitempty"`
}

// list returns the jobs of the scope, newest first: all that have not ended, and limit finished
// ones from offset on.
func (a *agent) list(ctx context.Context, in processArgs) (*answer, error) {
	offset, limit := int64(0), int64(defaultListed)
	if in.Offset != nil {
		offset = *in.Offset
	}
	if in.Limit != nil {
		limit = *in.Limit
	}
	keep, err := newLineFilter(in)
	if err != nil {
		return nil, err
	}
	jobs, err := a.eng.List(ctx, a.scope.filter(in.All))
	if err != nil {
		return nil, general(err)
	}
	now := time.Now()
	rows := []row{}
	var lines []string
	var running, queued, finished, left int64
	room := a.c.Settings.MaxOutputChars / 2
	for _, j := range jobs {
		r := rowOf(j, now)
		if !keep.keeps(string(r.SessionID), r.Name, r.Command) {
			continue
		}
		switch {
		case j.Status.Finished():
			finished++
			if finished <= offset || finished > offset+limit {
				left++
				continue
			}
		case j.Status == engine.Queued:
			queued++
		default:
			running++
		}
		// The field names of a row take about 300 characters of JSON.
		if room -= 300 + len(r.Command) + len(r.Dir) + 3*len(r.OutputPath); room < 0 && len(rows) > 0 {
			left++
			continue
		}
		rows = append(rows, r)
		line := fmt.Sprintf("%s · %s · %s · %s", j.ID, r.Name, r.Status, inWords(j, now))
		if r.WaitingForInput {
			line += " · waits for input"
		}
		if in.All && r.CreatedBy != "" {
			line += " · by " + r.CreatedBy
		}
		lines = append(lines, line)
	}
	ans := &answer{Jobs: &rows, headline: fmt.Sprintf("%d running, %d finished", running, finished)}
	if queued > 0 {
		ans.headline = fmt.Sprintf("%d running, %d queued, %d finished", running, queued, finished)
	}
	if len(lines) > 0 {
		ans.headline += "\n" + strings.Join(lines, "\n")
	}
	if left > 0 {
		ans.Truncated = true
		ans.addNoticef("%s not shown; offset and limit page through them", units.Count(int(left), "finished job"))
	}
	return ans, nil
}

func rowOf(j engine.Job, now time.Time) row {
	exit, ended := j.Ended()
	return row{
		facts:           factsOf(j),
		UptimeMS:        j.Uptime(now).Milliseconds(),
		StartedAt:       j.StartedAt.UTC(),
		EndedAt:         exit.At.UTC(),
		Dir:             cells.VisibleName(j.Dir),
		Command:         oneLine(j.CommandLine(), 200),
		WaitingForInput: j.Waiting && !ended,
		OutputBytes:     j.Output,
		CreatedBy:       oneLine(j.CreatedBy, 40),
	}
}
