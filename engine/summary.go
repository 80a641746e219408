package engine

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/ending"
	"github.com/hobjobs/hob/internal/units"
)

// Summary returns one line of printable text about the job at the time now, for a list that shows the status
// beside it:
//
//	failed              why, if its output or its records show it: "port 5173 is in use"
//	needs input         the question; of a program that reports that it is blocked, what it needs
//	unhealthy           that its check fails, and why
//	queued              what it waits for: "next in default", "after deploy prod"
//	waits for a restart "failed 38×: connection refused · in 52s"
//	runs after failures "failed 38×: connection refused", in the first minute of the run
//	unreachable         since when, and the last line: "unreachable 18m; last: copied 12 of 90"
//	running             its progress, what its program reports or else the last line of its output, and the ports
//	                    that it listens on
//	succeeded           its last line, or how long it ran
//
// It is empty if none of this is known. Summary uses only the fields of the job: it reads no file.
func (j Job) Summary(now time.Time) string {
	return strings.TrimSpace(cells.Printable(j.summary(now)))
}

func (j *Job) summary(now time.Time) string {
	if j.Status.Finished() {
		return j.endSummary(now)
	}
	switch j.condition() {
	case isUnreachable:
		return j.unreachableSummary(now)
	case isElsewhere:
		return "on another machine or in a container"
	case isBetweenRuns:
		return j.restartSummary(now)
	case isQueued:
		return j.queueSummary(now)
	case isStopping:
		if deadline := j.StopDeadline(); !deadline.IsZero() {
			return "kill " + units.FormatDuration(max(0, deadline.Sub(now)))
		}
	case isBlocked:
		return j.programSummary()
	case isWaiting:
		return j.Line
	case isUnhealthy:
		return strings.TrimSuffix("check fails: "+j.Health.Output, ": ")
	case isFailing:
		return j.failuresSummary(now)
	case isPaused, isRunning:
	}
	return j.runningSummary()
}

// endSummary is the summary of a job that has ended. The line of the output in Exit.Summary takes precedence
// over the recorded reason; it is empty if the job was stopped or timed out.
func (j *Job) endSummary(now time.Time) string {
	why, shown := ending.Why(&j.Request, &j.State), j.Exit.Summary
	ran := j.Uptime(now)
	if j.succeeded() {
		return cmp.Or(shown, after("ran ", ran))
	}
	return cmp.Or(shown, why, after("after ", ran))
}

func after(word string, ran time.Duration) string {
	if ran <= 0 {
		return ""
	}
	return word + units.FormatDuration(ran)
}

func (j *Job) unreachableSummary(now time.Time) string {
	text := "unreachable"
	switch {
	case j.LinkReason() == "connecting":
		text = "connecting"
	case !j.StaleSince.IsZero():
		text += " " + sinceText(now.Sub(j.StaleSince))
	}
	if j.Line != "" {
		text += "; last: " + j.Line
	}
	return text
}

// sinceText formats a duration without insignificant seconds: "18m".
func sinceText(d time.Duration) string {
	if d < time.Minute {
		return units.FormatDuration(max(0, d))
	}
	return units.FormatMinutes(d)
}

// restartSummary is why the last run ended, and when the next one begins.
func (j *Job) restartSummary(now time.Time) string {
	return j.failuresSummary(now) + " · in " + units.FormatDuration(max(0, j.Runs.NextAt.Sub(now)).Round(time.Second))
}

// failuresSummary returns how many runs have failed in a row, and why the last one did.
func (j *Job) failuresSummary(now time.Time) string {
	last, ok := j.LastRun()
	text := "restarts"
	if lastJob := (Job{Request: j.Request, State: last}); ok && !lastJob.succeeded() {
		text = "failed"
		if n := j.Runs.Failures; n > 1 {
			text += " " + times(n)
		}
		if why := lastJob.endSummary(now); why != "" {
			text += ": " + why
		}
	}
	return text
}

func times(n int) string { return strconv.Itoa(n) + "×" }

// queueSummary is what a queued job waits for.
func (j *Job) queueSummary(now time.Time) string {
	p := j.Pending
	switch {
	case p == nil:
		return ""
	case len(p.After) > 0:
		names := make([]string, len(p.After))
		for i, id := range p.After {
			names[i] = cmp.Or(p.AfterNames[id], slugOf(id))
		}
		return "after " + strings.Join(names, ", ")
	case p.Position == 0, p.Name == "":
		return j.WaitReason(now)
	case p.Position > 1 && p.Paused:
		return p.Name + " is paused, place " + strconv.Itoa(p.Position)
	case p.Position > 1:
		return "place " + strconv.Itoa(p.Position) + " in " + p.Name
	case p.Paused:
		return p.Name + " is paused"
	}
	return "next in " + p.Name
}

// slugOf returns the part of an ID that is derived from the job's name.
func slugOf(id ID) string {
	if i := strings.LastIndexByte(string(id), '-'); i > 0 {
		return string(id[:i])
	}
	return string(id)
}

// runningSummary is how far the job is, what it printed last, and where it can be reached.
func (j *Job) runningSummary() string {
	text := cmp.Or(j.programSummary(), j.Line)
	if p := j.Progress; p != nil && slices.Contains([]string{"normal", "error", "paused"}, p.State) {
		text = strings.TrimSpace(strconv.Itoa(p.Percent) + "%  " + text)
	}
	if j.Alternate && j.Program == nil {
		text = "full screen"
	}
	for i, port := range j.Ports {
		switch n := strconv.Itoa(port); {
		case text == "":
			text = "port " + n
		case i == 0:
			text += " · :" + n
		default:
			text += " :" + n
		}
	}
	return text
}
