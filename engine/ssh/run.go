package ssh

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/internal/jobdir"
)

// Run is a job on a host. Safe for concurrent use.
type Run struct {
	b   *Backend
	h   *host
	rec engine.Record
}

var (
	_ engine.Run          = (*Run)(nil)
	_ engine.Backgrounder = (*Run)(nil)
	_ engine.InputCopier  = (*Run)(nil)
)

// dir is the job's directory on the host. The host's default is known only when
// it is connected.
func (r *Run) dir(ctx context.Context, asks bool) (string, error) {
	dir := r.b.HostDir(r.rec)
	if !strings.HasPrefix(dir, "~") {
		return dir, nil
	}
	c, err := r.h.connect(ctx, asks)
	if err != nil {
		return "", unreachable(r.h.name, err)
	}
	return c.host.Base + "/" + string(r.rec.ID), nil
}

// act carries out a request that changes something, on lane l, and returns the answer.
func (r *Run) act(ctx context.Context, l lane, o askOptions, request func(dir string) string) (string, error) {
	o.asks = true
	dir, err := r.dir(ctx, true)
	if err != nil {
		return "", err
	}
	var word string
	if scheduled(r.rec) {
		word, err = r.actOnNode(ctx, o, dir, request(dir))
	} else {
		var a shell.Answer
		a, err = r.h.ask(ctx, l, recipe.Here(dir, request(dir)), o)
		word = wordOf(a.Out)
	}
	if err != nil {
		return "", err
	}
	r.h.heat(r.rec.ID)
	if word == recipe.Elsewhere {
		return "", engine.ErrElsewhere
	}
	return word, nil
}

func wordOf(out []byte) string { return strings.TrimSpace(string(out)) }

// Signal implements [engine.Run].
func (r *Run) Signal(ctx context.Context, name, by string) error {
	name = strings.TrimPrefix(strings.ToUpper(name), "SIG")
	if name == "" || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
		return fmt.Errorf("%w: unknown signal %q", engine.ErrInvalid, name)
	}
	word, err := r.act(ctx, slow, askOptions{}, func(dir string) string { return recipe.Signal(dir, string(r.rec.ID), name, by) })
	switch {
	case err != nil:
		return err
	case word == "ok":
		r.h.forget(r.rec.ID) // it may be paused now, or no longer
		return nil
	case word == "no signal":
		return fmt.Errorf("%w: the host has no signal %q", engine.ErrInvalid, name)
	}
	return engine.ErrNotRunning
}

// Stop implements [engine.Run]. If the connection breaks the host continues with it.
func (r *Run) Stop(ctx context.Context, o engine.StopOptions) (engine.StopReport, error) {
	grace := o.Grace
	if grace == 0 {
		grace = r.rec.Job.Grace.Duration()
	}
	reason := string(o.Reason)
	if reason == "" {
		reason = string(engine.ReasonKill)
	}
	if scheduled(r.rec) {
		return r.stopOnCluster(ctx, grace, o.By, reason, o.KeepDaemons)
	}
	began := time.Now()
	out, err := r.act(ctx, slow, askOptions{limit: max(0, grace) + 30*time.Second}, func(dir string) string {
		return recipe.Stop(dir, string(r.rec.ID), grace, o.By, reason, o.KeepDaemons)
	})
	if err != nil {
		return engine.StopReport{}, err
	}
	s := recipe.ParseStop([]byte(out))
	report := engine.StopReport{Took: time.Since(began), Escalated: s.Killed == "KILL" && grace >= 0, Survivors: s.Left}
	// The result is in the record here when this returns.
	_, lookErr := r.h.look(ctx, []engine.Record{r.rec})
	switch {
	case s.Why == "posh":
		return report, fmt.Errorf("%w: the sh of the host is posh, whose kill signals the wrong processes", engine.ErrUnsupported)
	case s.Why != "":
		return report, engine.ErrNotRunning
	case s.Stuck:
		return report, errors.New("processes of the job survived SIGKILL")
	case s.Killed == "":
		return report, errors.New("unexpected answer from the host: " + strings.TrimSpace(out))
	}
	return report, lookErr
}

// Background implements [engine.Backgrounder].
func (r *Run) Background(context.Context) error { return background(r.rec) }

func (r *Run) backgrounded() bool {
	st, err := jobdir.ReadState(r.rec.Dir)
	return err == nil && st.Backgrounded
}
