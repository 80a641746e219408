package tool

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/plain"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
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
	Summary         string    `json:"summary,omitempty" jsonschema:"What it does, asks or waits for, or why it failed"`
	WaitingForInput bool      `json:"waitingForInput"`
	OutputBytes     int64     `json:"outputBytes"`
	CreatedBy       string    `json:"createdBy,omitempty"`
}

// list returns the jobs of the scope, newest first: all that have not ended, and limit finished
// ones from offset on.
func (t *Tools) list(ctx context.Context, in ProcessArgs) (*Answer, error) {
	offset, limit := int64(0), int64(defaultListed)
	if in.Offset != nil {
		offset = *in.Offset
	}
	if in.Limit != nil {
		limit = *in.Limit
	}
	keep, err := newLineFilter(in.Filter, in.Exclude)
	if err != nil {
		return nil, err
	}
	jobs, err := t.Eng.List(ctx, t.Scope.Filter(in.All))
	if err != nil {
		return nil, General(err)
	}
	now := time.Now()
	rows := []row{}
	var lines []string
	var running, silent, queued, finished, left int64
	room := t.Settings.MaxOutputChars / 2
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
		case unreachable(j):
			silent++
		default:
			running++
		}
		// The field names of a row take about 300 characters of JSON.
		if room -= 300 + len(r.Command) + len(r.Summary) + len(r.Dir) + 3*len(r.OutputPath); room < 0 && len(rows) > 0 {
			left++
			continue
		}
		rows = append(rows, r)
		line := fmt.Sprintf("%s · %s · %s · %s", j.ID, r.Name, r.shownStatus(), InWords(j, now))
		if r.WaitingForInput {
			line += " · waits for input"
		}
		if r.Summary != "" && j.Status != engine.Queued { // otherwise InWords has it
			line += " · " + r.Summary
		}
		if in.All && r.CreatedBy != "" {
			line += " · by " + r.CreatedBy
		}
		lines = append(lines, line)
	}
	counts := fmt.Sprintf("%d running", running)
	if silent > 0 {
		counts += fmt.Sprintf(", %d unreachable", silent)
	}
	if queued > 0 {
		counts += fmt.Sprintf(", %d queued", queued)
	}
	ans := &Answer{Jobs: &rows, headline: fmt.Sprintf("%s, %d finished", counts, finished)}
	if len(lines) > 0 {
		ans.headline += "\n" + strings.Join(lines, "\n")
	}
	if left > 0 {
		ans.Truncated = true
		ans.AddNoticef("%s not shown; offset and limit page through them", units.Count(int(left), "finished job"))
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
		Command:         plain.OneLine(j.CommandLine(), 200),
		Summary:         plain.OneLine(j.Summary(now), 200),
		WaitingForInput: j.Waiting && !ended,
		OutputBytes:     j.Output,
		CreatedBy:       plain.OneLine(j.CreatedBy, 40),
	}
}
