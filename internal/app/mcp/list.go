package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
)

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
		ans.addNoticef("%d finished jobs are not shown; offset and limit page through them", left)
	}
	return ans, nil
}

func rowOf(j engine.Job, now time.Time) row {
	exit, ended := j.Ended()
	return row{
		facts: factsOf(j), UptimeMS: j.Uptime(now).Milliseconds(), StartedAt: j.StartedAt.UTC(), EndedAt: exit.At.UTC(),
		Dir: j.Dir, Command: oneLine(j.CommandLine(), 200), WaitingForInput: j.Waiting && !ended, OutputBytes: j.Output,
		CreatedBy: oneLine(j.CreatedBy, 40),
	}
}
