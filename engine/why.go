package engine

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hobjobs/hob/internal/cause"
	"github.com/hobjobs/hob/internal/ending"
	"github.com/hobjobs/hob/internal/units"
)

// Explanation is why a job ended, or what a job that has not ended waits for.
type Explanation struct {
	// Summary is one sentence without a full stop, such as "Exited 1: port 8080 is in use". It names
	// a cause only if the records, the system or the output name it.
	Summary string `json:"summary"`
	// Finding is Summary if it names a cause, otherwise "": then [Job.Ending] has as much.
	Finding string `json:"-"`
	// Cause is the kind of the cause, such as "port_in_use" or "killed"; empty if it is not known.
	Cause    string     `json:"cause"`
	Evidence []Evidence `json:"evidence"`
}

// Evidence is one fact that supports an explanation. Its text may contain output of the job and of
// other programs as it came: clean or escape it.
type Evidence struct {
	// Kind is where the fact is from: "output", "program" (what it reports), "process", "command", "file", "port",
	// "usage" or "last_success".
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// Causes that the records of a job name, besides the kinds of package cause.
const (
	causeStopped = "stopped"
	causeTimeout = "timeout"
	causeLost    = "lost"
	causeSignal  = "signal"
	causeMemory  = string(cause.OutOfMemory)
)

// Explain returns why a job ended, from its records and its output and, with evidence, from the system. It
// reads at most the first and the last 2,000 lines of each stream. If the output of the job cannot be read
// now, it uses the records alone.
func (h *Handle) Explain(ctx context.Context, evidence bool) (Explanation, error) {
	x, err := h.explain(ctx)
	if err != nil {
		return Explanation{}, err
	}
	if x.Cause != "" {
		x.Finding = x.Summary
	}
	if !evidence {
		return x.Explanation, nil
	}
	if exit, ended := x.j.Ended(); ended && !x.j.succeeded() {
		x.investigate(ctx, x.found)
		x.used(exit)
		x.lastSuccess(ctx)
	}
	return x.Explanation, nil
}

// explain finds the cause, without asking the system for further evidence.
func (h *Handle) explain(ctx context.Context) (*explainer, error) {
	j, err := h.e.look(ctx, h.id, true)
	if err != nil {
		return nil, err
	}
	x := &explainer{e: h.e, j: j, Explanation: Explanation{Evidence: []Evidence{}}}
	lines, err := x.lastLines(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	exit, ended := j.Ended()
	switch {
	case !ended:
		x.unfinished(lines)
	case j.succeeded():
		x.Summary = "Exited 0: the command succeeded"
	default:
		x.failed(exit, lines)
		x.addFailureReport()
		if x.j.Runs != nil && x.j.Runs.Count > 0 {
			x.Summary += "; it had been restarted " + count(x.j.Runs.Count, "time", "times")
		}
	}
	return x, nil
}

// addFailureReport adds the program's own report of its failure. It is evidence, not a cause that hob has found.
func (x *explainer) addFailureReport() {
	if x.j.Program.Says(ProgramError) {
		x.add("program", x.j.programSummary())
	}
}

// succeeded reports whether the job exited with 0.
func (j Job) succeeded() bool { return j.Exit.Status == Exited && codeOf(j.Exit) == 0 }

// explainer builds the explanation of one job.
type explainer struct {
	e *Engine
	j Job
	Explanation
	found cause.Cause // in the output or the error of the start; zero if none was
	ends  [][]string  // the last lines of each stream
	whole [][]string  // the same after its first lines; nil if no stream is longer than what is searched
}

func (x *explainer) add(kind, text string) {
	if text != "" {
		x.Evidence = append(x.Evidence, Evidence{Kind: kind, Text: text})
	}
}

const (
	// quoteLimit and phraseLimit are the lengths in characters of a line that is quoted beside others
	// in a sentence, and of one that names the cause.
	quoteLimit  = 120
	phraseLimit = 300
)

// shortened returns the beginning of a line that is too long for a sentence.
func shortened(line string, limit int) string {
	if r := []rune(line); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return line
}

// lastLine returns the last line that is not empty.
func lastLine(lines []string) string {
	for _, line := range slices.Backward(lines) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// unfinished explains what keeps a job from its end.
func (x *explainer) unfinished(lines []string) {
	j := x.j
	switch j.condition() {
	case isUnreachable:
		x.unreachable()
	case isElsewhere:
		x.Summary = "Unknown: the job belongs to another machine or container"
	case isBetweenRuns:
		x.betweenRuns(lines)
	case isQueued:
		x.Summary = "It has not started yet"
		if j.Pending != nil {
			x.Summary += ": " + j.WaitReason(x.e.cfg.now())
		}
	case isStopping:
		x.Summary = "It is being stopped"
	case isPaused:
		x.Summary = "It has not ended: it is paused by a signal"
	case isBlocked:
		x.Summary = "It has not ended: its program reports that it needs you"
		x.add("program", j.programSummary())
	case isWaiting:
		x.Summary = "It has not ended: it needs input"
		x.add("output", lastLine(lines))
	case isUnhealthy:
		x.Summary = "It has not ended: its health check fails"
		if output := j.Health.Output; output != "" {
			x.Summary += ": " + shortened(output, phraseLimit)
		}
	case isFailing, isRunning:
		x.running()
	}
}

// running explains the state of a job of which nothing more urgent is known.
func (x *explainer) running() {
	switch {
	case x.j.Status == Starting:
		x.Summary = "It has not started yet"
	case x.j.Program.Says(ProgramError):
		x.Summary = "It has not ended: its program reports a failure"
		x.addFailureReport()
	default:
		now := x.e.cfg.now()
		x.Summary = "It has not ended: it has been running for " + units.FormatDuration(x.j.Uptime(now))
		if x.j.Runs.Failing() {
			x.Summary += "; before that, it " + x.j.failuresSummary(now)
		}
	}
}

// unreachable explains why the status is not known, and what to do about a holder that does not answer,
// unless the reason has that already.
func (x *explainer) unreachable() {
	j := &x.j
	if j.Host != "" {
		x.Summary = "Unknown: " + j.Host + " is unreachable" + ending.Bracketed(j.LinkError)
		return
	}
	x.Summary = "Unknown: " + cmp.Or(j.LinkError, "its records cannot be read")
	pid := j.Holder.PID
	switch {
	case pid == 0, !x.e.here.sameBoot(&j.State), !strings.HasSuffix(j.LinkError, "does not answer"):
		return
	}
	x.add("command", fmt.Sprintf("if it does not recover, end it with kill -KILL %d: the job is then lost, but its output is kept", pid))
}

// betweenRuns explains the end of the last run.
func (x *explainer) betweenRuns(lines []string) {
	wait := x.j.WaitReason(x.e.cfg.now())
	last := x.j
	var ok bool
	last.State, ok = x.j.LastRun()
	switch {
	case !ok:
	case last.succeeded():
		x.Summary = "The last run succeeded; "
	default:
		x.j = last
		x.failed(last.Exit, lines)
		x.Summary += "; "
	}
	x.Summary += wait
}

// failed explains an end that is no success.
func (x *explainer) failed(exit Exit, lines []string) {
	x.Summary = capitalized(x.j.Ending())
	switch exit.Reason {
	case ReasonKill:
		x.Cause = causeStopped
	case ReasonTimeout:
		x.Cause = causeTimeout
		x.add("output", lastLine(lines))
	case ReasonHolderDied, ReasonReboot, ReasonNodeFailed:
		x.Cause = causeLost
		for _, p := range exit.Survivors {
			x.add("process", "pid "+strconv.Itoa(p.PID)+": "+p.Command)
		}
		x.add("output", lastLine(lines))
	case ReasonOOM:
		x.Cause = causeMemory
		x.add("output", lastLine(lines))
	case ReasonDependency, ReasonPreempted:
		x.Cause = string(exit.Reason)
	case ReasonSpawn:
		x.spawnFailed(exit)
	case ReasonSignal:
		x.killed(exit, lines)
	case ReasonExit:
		x.exited(exit, lines)
	default: // not known, because only the code was recorded
		if exit.Status == Exited {
			x.exited(exit, lines)
		}
	}
}

// capitalized returns a phrase as the beginning of a sentence.
func capitalized(phrase string) string {
	first, size := utf8.DecodeRuneInString(phrase)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + phrase[size:]
}

// spawnFailed explains why nothing was started.
func (x *explainer) spawnFailed(exit Exit) {
	c, ok := cause.Find([]string{exit.Error}, codeOf(exit))
	if ok {
		x.Cause = string(c.Kind)
	}
	if c.Kind == cause.CommandNotFound && len(x.j.Command) > 0 {
		c.Subject = x.j.Command[0]
		x.found = c
	}
}

func codeOf(e Exit) int {
	if e.Code == nil {
		return -1
	}
	return *e.Code
}

// killed explains an end by a signal.
func (x *explainer) killed(exit Exit, lines []string) {
	x.Cause = causeSignal
	if exit.EndedBy != "" {
		return // the ending names the sender
	}
	switch exit.Signal {
	case "SIGKILL":
		if exit.OOMKills > 0 {
			x.Cause = causeMemory
			x.Summary = "Killed by the kernel because memory ran out (SIGKILL)"
			return
		}
		x.Summary = "Killed by SIGKILL, which hob did not send: the kernel sends it when memory runs out, or another program did"
	case "SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGFPE", "SIGTRAP", "SIGSYS":
		x.fromOutput("Killed by "+exit.Signal, exit, lines)
	case "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2":
		x.Summary = "Killed by " + exit.Signal + ", which hob did not send" + ending.Bracketed(ending.SignalWord(exit.Signal))
	}
}

// exited explains an exit code other than 0.
func (x *explainer) exited(exit Exit, lines []string) {
	if exit.Status == Failed { // a virtual execution, whose error is the ending
		if c, ok := cause.Find([]string{exit.Error}, -1); ok {
			x.Cause = string(c.Kind)
		}
		return
	}
	outcome := capitalized(cmp.Or(ending.Outcome(&exit), "ended, exit code unknown"))
	switch code := codeOf(exit); {
	case code == 137 && exit.OOMKills > 0:
		x.Cause, x.Summary = causeMemory, outcome+": the kernel killed one of its processes because memory ran out"
		return
	case code == 124 && len(x.j.Command) > 0 && filepath.Base(x.j.Command[0]) == "timeout":
		x.Cause, x.Summary = causeTimeout, outcome+": the program timeout ended it when its time was up"
		return
	}
	if x.fromOutput(outcome, exit, lines) {
		return
	}
	switch code := codeOf(exit); code {
	case 129, 130, 131, 132, 134, 136, 137, 139, 141, 143, 152, 153:
		name := signalNames[code-128]
		x.Cause = causeSignal
		x.Summary = fmt.Sprintf("%s, the code for a process that was killed by %s%s", outcome, name, ending.Bracketed(ending.SignalWord(name)))
	case 124:
		x.Summary = outcome + ", the code with which the program timeout reports that it ended the command"
	case 126:
		x.Summary = outcome + ", with which shells report that a command cannot be executed"
		x.quoteLast(lines)
	case 127:
		x.Summary = outcome + ", with which shells report that a command was not found"
		x.quoteLast(lines)
	default:
		x.Summary = outcome + ", and " + x.searched() + " not show why"
		x.quoteLast(lines)
	}
}

// searched returns which part of the output was searched, as the beginning of a sentence.
func (x *explainer) searched() string {
	if x.whole != nil {
		return "the beginning and the end of its output do"
	}
	return "its output does"
}

// quoteLast adds the last line of the output.
func (x *explainer) quoteLast(lines []string) {
	if last := cause.LastLine(lines); last != "" {
		x.Summary += "; it ends with " + strconv.Quote(shortened(last, quoteLimit))
		x.add("output", last)
	}
}

// signalNames are the signals whose numbers are the same on all systems.
var signalNames = map[int]string{
	1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 6: "SIGABRT", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE", 15: "SIGTERM",
	24: "SIGXCPU", 25: "SIGXFSZ",
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// used adds what the job used. That is no reason for the end of a job that ran for less than a second.
func (x *explainer) used(exit Exit) {
	var parts []string
	ran, lost := x.j.Uptime(x.e.cfg.now()), exit.Status == Lost
	if ran < time.Second && !lost {
		return
	}
	// The time of the last output is all that is known about the end of a lost job.
	if !x.j.StartedAt.IsZero() && !lost {
		parts = append(parts, "ran "+units.FormatDuration(ran))
	}
	if cpu := exit.User.Duration() + exit.System.Duration(); cpu > 0 {
		parts = append(parts, "CPU time "+cpu.Round(10*time.Millisecond).String())
	}
	if exit.MaxRSS > 0 {
		parts = append(parts, "peak memory "+units.FormatBytes(exit.MaxRSS))
	}
	x.add("usage", strings.Join(parts, ", "))
}
