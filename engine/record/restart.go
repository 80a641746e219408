package record

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// RestartPolicy says after which ends a job's command is started again. The zero value is never.
type RestartPolicy struct {
	Always    bool
	OnFailure bool // after every end but exit code 0
	Max       int  // how often, with OnFailure; 0: without limit
}

// ParseRestart returns the policy that Request.Restart names: "always", "on-failure",
// "on-failure:N" or "".
func ParseRestart(text string) (RestartPolicy, error) {
	switch text {
	case "":
		return RestartPolicy{}, nil
	case "always":
		return RestartPolicy{Always: true}, nil
	case "on-failure":
		return RestartPolicy{OnFailure: true}, nil
	}
	number, ok := strings.CutPrefix(text, "on-failure:")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 1 || strconv.Itoa(n) != number {
		return RestartPolicy{}, fmt.Errorf("%w: the restart policy %q", ErrInvalid, text)
	}
	return RestartPolicy{OnFailure: true, Max: n}, nil
}

// Restarts reports whether a command that has been started again count times is started once more
// after this end of a run.
func (p RestartPolicy) Restarts(end Exit, count int) bool {
	if p.OnFailure {
		succeeded := end.Status == Exited && end.Code != nil && *end.Code == 0
		return !succeeded && (p.Max == 0 || count < p.Max)
	}
	return p.Always
}

// Between reports whether a run has ended and the next one has not begun.
func (r *Runs) Between() bool { return r != nil && !r.NextAt.IsZero() }

// Number returns the number of the current run, or of the last one; the first is 1.
func (r *Runs) Number() int {
	if r == nil {
		return 1
	}
	return r.Count + 1
}

// Reason returns why a job with the given policy waits between two runs, as Pending.Reason.
func (r *Runs) Reason(policy string, now time.Time) string {
	wait := max(0, r.NextAt.Sub(now)).Round(time.Second)
	text := fmt.Sprintf("restarting in %ds", int(wait.Seconds()))
	if p, err := ParseRestart(policy); err == nil && p.Max > 0 {
		text += fmt.Sprintf(" (%d of %d)", r.Count+1, p.Max)
	}
	return text
}

// runLine is the beginning of the line of hob's own that separates the runs in a log.
const runLine = "── run "

// RunLine returns the line that comes before the output of a run, counted from 1, that begins at the
// given time.
func RunLine(number int, at time.Time) string {
	return fmt.Sprintf(runLine+"%d · %s ──", number, at.Format("15:04:05"))
}

// IsRunLine reports whether a line of a log is as RunLine returns it.
func IsRunLine(line string) bool {
	return strings.HasPrefix(line, runLine) && strings.HasSuffix(line, " ──")
}
