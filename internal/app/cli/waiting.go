package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/units"
)

// waiting is a wait for jobs, and how far it has come.
type waiting struct {
	app      *app
	jobs     []engine.Job
	until    []engine.Condition // none: the end
	any      bool               // one job is enough
	outcomes []engine.Outcome   // for each job; Met: it is part of the result
	first    int                // with any, the job that was first
	code     int                // the exit code
}

// all waits for all jobs concurrently. The code is the first exit code in their order that is not 0, or with any
// that of the first one that is done.
func (w *waiting) all(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.outcomes = make([]engine.Outcome, len(w.jobs))
	if w.firstEnded() {
		return nil
	}
	codes, errs := make([]int, len(w.jobs)), make([]error, len(w.jobs))
	done := make(chan int, len(w.jobs)) // the jobs in the order in which they are done
	var work sync.WaitGroup
	for i := range w.jobs {
		work.Go(func() {
			codes[i], errs[i] = w.one(ctx, i)
			if errs[i] == nil {
				done <- i
			}
			if w.any == (errs[i] == nil) {
				cancel() // nothing changes the result any more
			}
		})
	}
	work.Wait()
	if w.any && len(done) > 0 {
		w.first = <-done
		w.code = codes[w.first]
		return nil
	}
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	w.code = cmp.Or(codes...)
	return nil
}

// firstEnded ends a wait for the end of any job if some have ended before it: they count in their order, not at
// random.
func (w *waiting) firstEnded() bool {
	if !w.any || len(w.until) > 0 {
		return false
	}
	for i, j := range w.jobs {
		if exit, ended := j.Ended(); ended {
			w.outcomes[i] = engine.Outcome{Met: true, Exit: exit}
			w.first, w.code = i, ownCode(exit)
			return true
		}
	}
	return false
}

// one waits for one job and returns its exit code if that is the condition. It reports
// an end that cannot be recorded, because other clients do not see it.
func (w *waiting) one(ctx context.Context, i int) (code int, err error) {
	job := w.jobs[i]
	out, err := w.waitFor(ctx, job)
	if why, ok := errors.AsType[*engine.Error](err); ok && errors.Is(err, engine.ErrUnrecorded) {
		w.app.reportf("hob: %s has ended but is still recorded as running: %v", job.ID, why.Err)
		err = nil
	}
	forPort := slices.ContainsFunc(w.until, func(c engine.Condition) bool { return c.Port != 0 })
	switch {
	case forPort && errors.Is(err, engine.ErrUnsupported):
		return 0, &failure{
			exit: exitFailed,
			code: "unsupported",
			err:  fmt.Errorf("%s runs on host %s, where hob cannot check ports", job.ID, job.Host),
			hint: "wait for a line of output instead: hob wait --for REGEX " + string(job.ID),
		}
	case err != nil:
		return 0, noLog(job, err)
	case !out.Met:
		return 0, endedBefore(job, w.until)
	}
	w.outcomes[i] = out
	if len(w.until) > 0 {
		return 0, nil
	}
	return ownCode(out.Exit), nil
}

// waitFor waits for the conditions. While it waits for the end of a job on a host, it reports when the host is lost:
// otherwise it would wait in silence although the user may have to act.
func (w *waiting) waitFor(ctx context.Context, job engine.Job) (engine.Outcome, error) {
	h := w.app.eng.Handle(job.ID)
	if job.Host == "" || len(w.until) > 0 {
		return h.WaitFor(ctx, w.until...)
	}
	out, err := h.WaitFor(ctx, engine.Condition{Look: w.app.news(func(engine.Job) error { return nil })})
	if errors.Is(err, engine.ErrNotFound) { // it may have been cleared; its end is known
		return h.WaitFor(ctx, w.until...)
	}
	return out, err
}

// endedBefore returns the failure of conditions that can no longer hold.
func endedBefore(job engine.Job, until []engine.Condition) error {
	what := "one of the conditions held"
	if len(until) == 1 {
		switch c := until[0]; {
		case c.Line != nil:
			what = fmt.Sprintf("a line matched %q", c.Line)
		case c.Port != 0:
			what = fmt.Sprintf("it listened on port %d", c.Port)
		default:
			what = "its program reported that status"
		}
	}
	return &failure{
		exit: exitFailed,
		code: "ended",
		err:  fmt.Errorf("%s ended before %s", job.ID, what),
		hint: "Its output: hob log " + string(job.ID),
	}
}

// choice reports whether the exit code does not show which condition ended the wait.
func (w *waiting) choice() bool { return len(w.until) > 1 || w.any && len(w.jobs) > 1 }

// held is the condition that held for a job: the flag that gave it, or "end", and what it came to.
type held struct {
	Condition string `json:"condition"`
	Value     string `json:"value"`
}

// maxHeldLine limits the line of output in held, in characters.
const maxHeldLine = 2000

// held returns what held for a job; nil if nothing has.
func (w *waiting) held(i int) *held {
	out := w.outcomes[i]
	switch {
	case !out.Met:
		return nil
	case len(w.until) == 0:
		j := w.jobs[i]
		j.Status, j.Exit = out.Exit.Status, out.Exit // it may not be recorded
		return &held{"end", j.Ending()}
	}
	switch c := w.until[out.Held]; {
	case c.Line != nil:
		return &held{"for", logfile.FirstRunes(out.Line, maxHeldLine)}
	case c.Port != 0:
		return &held{"for-port", strconv.Itoa(c.Port)}
	case len(c.Says) > 0:
		return &held{"for-status", string(out.Said)}
	default:
		return &held{"quiet", units.DurationText(c.Quiet)}
	}
}

// object returns the JSON form of a job with what held.
func (w *waiting) object(i int) ([]byte, error) {
	job, err := w.jobs[i].MarshalJSON()
	if err != nil {
		return nil, err
	}
	what := bytes.NewBuffer(bytes.TrimSuffix(job, []byte("}")))
	what.WriteString(`,"held":`)
	if err := encodeJSON(what, w.held(i)); err != nil {
		return nil, err
	}
	what.Truncate(what.Len() - 1) // its line feed
	what.WriteByte('}')
	return what.Bytes(), nil
}

// print prints the jobs with what held, or if there was a choice, a line for each that counts.
func (w *waiting) print() error {
	if w.app.json {
		return printArray(w.app.stdout, len(w.jobs), w.object)
	}
	if !w.choice() {
		return nil
	}
	out := bufio.NewWriter(w.app.stdout)
	for i, j := range w.jobs {
		if w.any && i != w.first {
			continue
		}
		h := w.held(i)
		fmt.Fprintf(out, "%s %s %s\n", j.ID, h.Condition, escape(h.Value))
	}
	return out.Flush()
}
