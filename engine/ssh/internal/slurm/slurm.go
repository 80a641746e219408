// Package slurm knows what hob uses of Slurm: which hosts are login nodes of a cluster, the options of
// sbatch that hob sets itself, the answers of squeue, and the command that enters a job's node. The
// commands that run on the login node are in package recipe, in slurm.sh.
package slurm

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Name is the scheduler's name in requests and records.
const Name = "slurm"

// Login returns the login node of a host name such as "slurm:login1"; it is empty for "slurm:", where
// this machine is the login node. ok is false for every other host.
func Login(host string) (login string, ok bool) { return strings.CutPrefix(host, Name+":") }

// Comment is the comment of the job with that token: numbers of jobs are given again.
func Comment(token string) string { return "hob-" + token }

// refused are options of sbatch that hob sets itself, or with which it does not start one job that
// squeue lists.
func refused() []string {
	return []string{
		"--array", "--wrap", "--output", "--error", "--comment", "--job-name", "--parsable", "--wait", "--clusters", "--test-only", "--version", "--help", "--usage",
	}
}

const (
	// refusedShort are the short forms.
	refusedShort = "aoeJWMVhu"
	// bareShort are short options without an argument: others may follow in the same word.
	bareShort = "HIOQsv"
)

// CheckOptions returns an error that names the first of options that hob does not pass on to sbatch.
func CheckOptions(options []string) error {
	for _, o := range options {
		// These words end the options, or those of this job.
		switch {
		case o == "--", o == ":", isRefused(o):
			name, _, _ := strings.Cut(o, "=")
			return fmt.Errorf("the option %s of sbatch cannot be used: hob sets it, or it does not start a single job", name)
		}
	}
	return nil
}

// isRefused reports whether the word o has one of the refused options.
func isRefused(o string) bool {
	if name, _, _ := strings.Cut(o, "="); strings.HasPrefix(name, "--") {
		return slices.ContainsFunc(refused(), func(r string) bool { return abbreviates(name, r) })
	}
	short, ok := strings.CutPrefix(o, "-")
	return ok && strings.IndexAny(strings.TrimLeft(short, bareShort), refusedShort) == 0
}

// abbreviates reports whether sbatch may take name for a long option: it accepts any unique beginning.
func abbreviates(name, option string) bool {
	return len(name) > len("--a") && strings.HasPrefix(option, name)
}

// After returns the options with which a job starts when those with the numbers after have exited with
// 0, and those with the numbers afterAny have ended. If that becomes impossible, Slurm cancels the job.
func After(after, afterAny []string) []string {
	var all []string
	for _, number := range after {
		all = append(all, "afterok:"+number)
	}
	for _, number := range afterAny {
		all = append(all, "afterany:"+number)
	}
	if all == nil {
		return nil
	}
	return []string{"--dependency=" + strings.Join(all, ","), "--kill-on-invalid-dep=yes"}
}

// Depends reports whether options make a job wait for others.
func Depends(options []string) bool {
	return slices.ContainsFunc(options, func(o string) bool {
		name, _, _ := strings.Cut(o, "=")
		return strings.HasPrefix(o, "-d") || abbreviates(name, "--dependency")
	})
}

// Minutes is the time limit for a job that hob ends after d: hob is to be the first, and Slurm counts
// whole minutes.
func Minutes(d time.Duration) int { return int((d+time.Minute-1)/time.Minute) + 1 }

// Enter is the command that runs a sh on the job's node, as a step of the job.
func Enter(number, node string) []string {
	argv := []string{"srun", "--quiet", "--jobid=" + number, "--overlap", "-n1", "-N1", "--mem=0", "--unbuffered"}
	if node != "" {
		argv = append(argv, "--nodelist="+node)
	}
	return append(argv, "sh")
}

// Stage is how far Slurm is with a job.
type Stage int

// The stages.
const (
	Unknown Stage = iota
	Waiting
	Started // or about to start, or ending
	Suspended
	Ended
)

// Job is a job as squeue lists it.
type Job struct {
	Number, State, Comment string
	Partition, Reason      string // empty: none
	Start, End             int64  // seconds since 1970 by the cluster's clock; 0: unknown
}

// Listed reports whether squeue lists the job; the zero Job is one that it does not.
func (j *Job) Listed() bool { return j.Number != "" }

// Stage returns the stage that the job's state means.
func (j *Job) Stage() Stage {
	switch j.State {
	case "PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD":
		return Waiting
	case "CONFIGURING", "RUNNING", "COMPLETING", "STAGE_OUT", "SIGNALING", "RESIZING", "STOPPED":
		return Started
	case "SUSPENDED":
		return Suspended
	case "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "DEADLINE", "OUT_OF_MEMORY", "NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "REVOKED":
		return Ended
	}
	return Unknown
}

// HasBegun reports whether the job has run on a node. One that was cancelled while it waited has no
// start, or its end as its start.
func (j *Job) HasBegun() bool {
	switch j.Stage() {
	case Started, Suspended:
		return j.State != "CONFIGURING"
	case Ended:
		if j.State == "CANCELLED" && j.Start >= j.End {
			return false
		}
		return j.Start > 0
	case Unknown, Waiting:
	}
	return false
}

// Depends reports whether the job waits for others.
func (j *Job) Depends() bool { return j.Stage() == Waiting && j.Reason == "Dependency" }

// Unsatisfiable reports whether Slurm has cancelled the job because another one was not successful.
func (j *Job) Unsatisfiable() bool {
	return j.Stage() == Ended && j.Reason == "DependencyNeverSatisfied"
}

// AnswerLasts is how long after it was asked for an answer of squeue describes the present.
const AnswerLasts = time.Minute

// Queue is an answer of squeue.
type Queue struct {
	Date int64 // when squeue was asked, by the login node's clock
	// Jobs by comment. If several have the same, the one that is furthest from its end.
	Jobs map[string]Job
	// Err is why Slurm did not answer. Nothing is then known about jobs, and Jobs and Date are those of an
	// earlier answer, if there was one.
	Err error
}

// Answered reports whether Slurm has answered. A nil queue is one that was not requested yet.
func (q *Queue) Answered() bool { return q != nil && q.Err == nil }

// Failure returns why Slurm did not answer. It is nil if Slurm did, or was not asked yet.
func (q *Queue) Failure() error {
	if q == nil {
		return nil
	}
	return q.Err
}

// ErrSilent is the error for a controller that hangs.
var ErrSilent = errors.New("the cluster's controller does not answer")

// Reason returns the error for what the scripts report when a program of Slurm has failed.
func Reason(why string) error {
	if why == ErrSilent.Error() {
		return ErrSilent
	}
	return fmt.Errorf("Slurm does not answer: %s", why) //nolint:staticcheck // a name
}

const fields = 7

// ParseQueue reads the answer to recipe.Queue.
func ParseQueue(out []byte) Queue {
	text := strings.TrimSpace(string(out))
	if why, no := strings.CutPrefix(text, "no "); no {
		return Queue{Err: Reason(why)}
	}
	date, rest, _ := strings.Cut(text, "\n")
	q := Queue{Jobs: map[string]Job{}}
	var err error
	if q.Date, err = strconv.ParseInt(strings.TrimSpace(date), 10, 64); err != nil {
		return Queue{Err: fmt.Errorf("unexpected answer of squeue: %q", date)}
	}
	for line := range strings.Lines(rest) {
		f := strings.SplitN(strings.TrimRight(line, "\r\n"), "|", fields)
		if len(f) < fields {
			continue
		}
		j := Job{
			Number:    f[0],
			State:     f[1],
			Comment:   f[2],
			Start:     seconds(f[3]),
			End:       seconds(f[4]),
			Partition: word(f[5]),
			Reason:    word(strings.TrimSuffix(f[6], "|")),
		}
		if old, ok := q.Jobs[j.Comment]; !ok || old.Stage() == Ended {
			q.Jobs[j.Comment] = j
		}
	}
	return q
}

func seconds(s string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// word returns s, or nothing for what Slurm prints if there is no value.
func word(s string) string {
	switch s = strings.TrimSpace(s); s {
	case "n/a", "N/A", "(null)", "None":
		return ""
	}
	return s
}
