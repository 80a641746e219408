package ssh

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/internal/jobdir"
)

// Run is a job on a host. Safe for concurrent use.
type Run struct {
	b     *Backend
	h     *host
	rec   engine.Record
	begun *engine.State // of a job that this program has started; may be nil
}

var (
	_ engine.Run           = (*Run)(nil)
	_ engine.Backgrounder  = (*Run)(nil)
	_ engine.StartObserver = (*Run)(nil)
	_ engine.InputCopier   = (*Run)(nil)
)

// ID implements [engine.Run].
func (r *Run) ID() engine.ID { return r.rec.ID }

// Begun implements [engine.StartObserver].
func (r *Run) Begun() (o engine.State, known bool) {
	if r.begun == nil {
		return o, false
	}
	return *r.begun, true
}

// Wait implements [engine.Run].
func (r *Run) Wait(ctx context.Context) (engine.Exit, error) {
	var exit engine.Exit
	err := r.Watch(ctx, func(s engine.State, _ engine.Note) { exit = s.Exit })
	return exit, err
}

// dir is the job's directory on the host. The host's default is known only when
// it is connected.
func (r *Run) dir(ctx context.Context, asks bool) (string, error) {
	dir := r.b.HostDir(r.rec)
	if !strings.HasPrefix(dir, "~") {
		return dir, nil
	}
	c, err := r.h.connect(ctx, interactive(ctx, asks))
	if err != nil {
		return "", unreachable(r.h.name, err)
	}
	return c.host.Base + "/" + string(r.rec.ID), nil
}

// act carries out a request that makes a difference, and returns its words.
func (r *Run) act(ctx context.Context, o askOptions, request func(dir string) string) (string, error) {
	o.asks = true
	dir, err := r.dir(ctx, true)
	if err != nil {
		return "", err
	}
	l := slow
	if o.brief {
		l = quick
	}
	a, err := r.h.ask(ctx, l, recipe.Here(dir, request(dir)), o)
	if err != nil {
		return "", err
	}
	r.h.heat(r.rec.ID)
	word := strings.TrimSpace(string(a.Out))
	if word == recipe.Elsewhere {
		return "", engine.ErrElsewhere
	}
	return word, nil
}

// Signal implements [engine.Run].
func (r *Run) Signal(ctx context.Context, name, by string) error {
	name = strings.TrimPrefix(strings.ToUpper(name), "SIG")
	if name == "" || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
		return fmt.Errorf("%w: no signal is called %q", engine.ErrInvalid, name)
	}
	word, err := r.act(ctx, askOptions{}, func(dir string) string { return recipe.Signal(dir, string(r.rec.ID), name, by) })
	switch {
	case err != nil:
		return err
	case word == "ok":
		r.h.forget(r.rec.ID) // it may be paused now, or no longer
		return nil
	case word == "no signal":
		return fmt.Errorf("%w: the host knows no signal %q", engine.ErrInvalid, name)
	}
	return engine.ErrNotRunning
}

// Stop implements [engine.Run]. The host goes on with it when the connection
// breaks meanwhile.
func (r *Run) Stop(ctx context.Context, o engine.StopOptions) (engine.StopReport, error) {
	grace := o.Grace
	if grace == 0 {
		grace = r.rec.Job.Grace.Duration()
	}
	reason := string(o.Reason)
	if reason == "" {
		reason = string(engine.ReasonKill)
	}
	began := time.Now()
	out, err := r.act(ctx, askOptions{limit: max(0, grace) + 30*time.Second}, func(dir string) string {
		return recipe.Stop(dir, string(r.rec.ID), grace, o.By, reason, o.KeepDaemons)
	})
	if err != nil {
		return engine.StopReport{}, err
	}
	s := recipe.ParseStop([]byte(out))
	report := engine.StopReport{Took: time.Since(began), Escalated: s.Killed == "KILL" && grace >= 0, Survivors: s.Left}
	// What became of it is in the record here when this returns.
	_, lookErr := r.h.look(ctx, []engine.Record{r.rec})
	switch {
	case s.Why == "posh":
		return report, fmt.Errorf("%w: the sh of the host is posh, whose kill hits other processes", engine.ErrUnsupported)
	case s.Why != "":
		return report, engine.ErrNotRunning
	case s.Stuck:
		return report, errors.New("processes of the job survived SIGKILL")
	case s.Killed == "":
		return report, errors.New("the host does not say what became of it: " + strings.TrimSpace(out))
	}
	return report, lookErr
}

// Background implements [engine.Backgrounder].
func (r *Run) Background(context.Context) error { return background(r.rec) }

func (r *Run) backgrounded() bool {
	st, err := jobdir.ReadState(r.rec.Dir)
	return err == nil && st.Backgrounded
}
