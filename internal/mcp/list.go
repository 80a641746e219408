package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
)

// defaultListed is how many finished jobs a list has unless it asks for more.
const defaultListed = 50

// row is one job in a list.
type row struct {
	SessionID       engine.ID  `json:"sessionId"`
	Name            string     `json:"name"`
	Status          string     `json:"status"`
	ExitCode        *int       `json:"exitCode,omitempty"`
	ExitSignal      string     `json:"exitSignal,omitempty"`
	Reason          string     `json:"reason,omitempty"`
	UptimeMS        int64      `json:"uptimeMs"`
	StartedAt       *time.Time `json:"startedAt,omitempty"`
	EndedAt         *time.Time `json:"endedAt,omitempty"`
	PID             int        `json:"pid,omitempty"`
	Host            string     `json:"host,omitempty"`
	Dir             string     `json:"dir"`
	Command         string     `json:"command"`
	WaitingForInput bool       `json:"waitingForInput"`
	OutputPath      string     `json:"outputPath,omitempty"`
	StdoutPath      string     `json:"stdoutPath,omitempty"`
	StderrPath      string     `json:"stderrPath,omitempty"`
	OutputBytes     int64      `json:"outputBytes"`
	CreatedBy       string     `json:"createdBy,omitempty"`
}

// list shows the jobs of the scope, newest first: all that run, and the finished
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
	f := engine.Filter{Labels: a.scope.labels()}
	if in.All {
		f = engine.Filter{}
	}
	jobs, err := a.eng.List(ctx, f)
	if err != nil {
		return nil, general(err)
	}
	now := time.Now()
	rows := []row{}
	var lines []string
	var running, finished, left int64
	for _, j := range jobs {
		r := rowOf(j, now)
		if !keep.keeps(string(r.SessionID), r.Name, r.Command) {
			continue
		}
		if j.Status.Finished() {
			finished++
			if finished <= offset || finished > offset+limit {
				left++
				continue
			}
		} else {
			running++
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
	rows, lines = a.fit(rows, lines, &left)
	ans := &answer{Jobs: &rows, headline: fmt.Sprintf("%d running, %d finished", running, finished)}
	if len(lines) > 0 {
		ans.headline += "\n" + strings.Join(lines, "\n")
	}
	if left > 0 {
		ans.Truncated = true
		ans.note("%d finished jobs are not shown; offset and limit page through them", left)
	}
	return ans, nil
}

// fit leaves rows away that would make the answer too long.
func (a *agent) fit(rows []row, lines []string, left *int64) ([]row, []string) {
	room := a.c.Settings.MaxOutputChars / 2
	for i := range rows {
		// Of a row in JSON about 300 characters are names.
		room -= 300 + len(rows[i].Command) + len(rows[i].Dir) + 3*len(rows[i].OutputPath)
		if room < 0 {
			i = max(i, 1)
			*left += int64(len(rows) - i)
			return rows[:i], lines[:i]
		}
	}
	return rows, lines
}

func rowOf(j engine.Job, now time.Time) row {
	text := j.Script
	if text == "" {
		text = strings.Join(j.Command, " ")
	}
	r := row{
		SessionID: j.ID, Name: oneLine(j.Name, 60), Status: statusOf(j), UptimeMS: j.Uptime(now).Milliseconds(), PID: j.PID,
		Host: j.Host, Dir: j.Dir, Command: oneLine(text, 200), WaitingForInput: j.Waiting,
		OutputPath: j.OutputPath, StdoutPath: j.StdoutPath, StderrPath: j.StderrPath, OutputBytes: j.Output,
		CreatedBy: oneLine(j.CreatedBy, 40),
	}
	r.StartedAt = moment(j.StartedAt)
	if exit, ok := j.Ended(); ok {
		r.EndedAt = moment(exit.At)
		r.ExitCode, r.ExitSignal, r.Reason, r.WaitingForInput = exit.Code, exit.Signal, string(exit.Reason), false
	}
	return r
}

// moment is t for JSON, nil if it is not known.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
