package ui

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/prompt"
	"github.com/hobjobs/hob/ui/components/toast"
)

// restarts tracks unfinished restarts. They do not end with the pane: a job that was stopped in
// order to be restarted must be started even if the user quits. Safe for concurrent use.
type restarts struct {
	mu   sync.Mutex
	jobs map[engine.ID]engine.Job
	stop map[engine.ID]bool // those of jobs that are stopped first
	errs []error
	work sync.WaitGroup
}

// begin adds a restart of a job, which stops it first unless keep is set. The result ends it.
func (r *restarts) begin(j engine.Job, keep bool) (end func(error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.jobs == nil {
		r.jobs, r.stop = map[engine.ID]engine.Job{}, map[engine.ID]bool{}
	}
	r.jobs[j.ID], r.stop[j.ID] = j, !keep
	r.work.Add(1)
	return func(err error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.jobs, j.ID)
		delete(r.stop, j.ID)
		r.errs = append(r.errs, err)
		r.work.Done()
	}
}

// stopping reports whether a job is being stopped to be restarted.
func (r *restarts) stopping(id engine.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stop[id]
}

// pending returns the old jobs, and a function that waits for their restarts and returns their
// errors, or the error of ctx.
func (r *restarts) pending() ([]engine.Job, func(ctx context.Context) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errs = nil // already shown by the pane
	return slices.Collect(maps.Values(r.jobs)), func(ctx context.Context) error {
		done := make(chan struct{})
		go func() {
			r.work.Wait()
			close(done)
		}()
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		return errors.Join(r.errs...)
	}
}

// Restarting returns the jobs that are being stopped in order to be started again. That goes on after
// [Pane.Close], unless the program ends first: wait waits for it and returns the failures.
func (p *Pane) Restarting() (jobs []engine.Job, wait func(ctx context.Context) error) {
	return p.jobActions.restarts.pending()
}

// restart runs the commands of jobs again. On the row of a group, the host may have chosen other jobs than those
// behind the row: some are not wanted any more.
func (p *Pane) restart(jobs []engine.Job) tea.Cmd {
	if p.opts.groupRestart == nil || !p.conditions.onGroup() {
		return p.jobActions.restart(jobs)
	}
	return p.jobActions.restartGroup(p.output.group.of)
}

// restartGroup restarts the jobs that the host chooses for a group.
func (a *jobActions) restartGroup(of jobGroup) tea.Cmd {
	return a.tasks.async(func(ctx context.Context) func() tea.Cmd {
		jobs, err := a.opts.groupRestart(ctx, of.labels())
		name := cells.Clean(of.name)
		switch {
		case err != nil:
			return a.notices.onError("Can't restart "+name, err)
		case len(jobs) == 0:
			return func() tea.Cmd {
				return a.notices.message(toast.Info, "Nothing of "+name+" is to be restarted")
			}
		}
		return func() tea.Cmd { return a.restart(jobs) }
	})
}

// restart runs the commands of jobs again. A running job is stopped first; the new job takes its
// row.
func (a *jobActions) restart(jobs []engine.Job) tea.Cmd {
	return a.runAgain(jobs, engine.RestartOptions{Stop: engine.StopOptions{By: client}})
}

// runAnother runs the commands of jobs again as further jobs.
func (a *jobActions) runAnother(jobs []engine.Job) tea.Cmd {
	return a.runAgain(jobs, engine.RestartOptions{Keep: true})
}

func (a *jobActions) runAgain(jobs []engine.Job, o engine.RestartOptions) tea.Cmd {
	var cmds []tea.Cmd
	for _, before := range jobs {
		eng, name, begin := a.tasks.eng, a.shortName(before), a.restarts.begin
		cmds = append(cmds, a.tasks.async(func(ctx context.Context) func() tea.Cmd {
			end := begin(before, o.Keep)
			j, err := eng.Restart(context.WithoutCancel(ctx), before.ID, o)
			end(err)
			var missing *engine.MissingEnvError
			switch {
			case errors.As(err, &missing):
				return func() tea.Cmd { return a.askValues(before, missing.Names, o) }
			case err != nil:
				return a.notices.onError("Can't restart "+name, err)
			}
			return func() tea.Cmd {
				if o.Keep && !finished(before) && j.Status != engine.Failed {
					return tea.Batch(a.startedAgain(before, j), a.notices.message(toast.Info, "Started a second "+name+"; the first is still running"))
				}
				return a.startedAgain(before, j)
			}
		}))
	}
	a.list.Unmark()
	return tea.Batch(cmds...)
}

// edited returns a function that restarts a job with the edited spec, or nil if spec is not that of a
// job here that can be restarted.
func (a *jobActions) edited(spec engine.Spec) func(context.Context) (engine.Job, error) {
	known, ok := a.jobs.all[spec.RestartedFrom]
	if !ok || known.Kind == engine.KindVirtual {
		return nil
	}
	before := known.Job // events change what is known while the function runs
	eng, begin := a.tasks.eng, a.restarts.begin
	o := engine.RestartOptions{Stop: engine.StopOptions{By: client}, Edited: &spec}
	return func(ctx context.Context) (engine.Job, error) {
		end := begin(before, false)
		j, err := eng.Restart(context.WithoutCancel(ctx), before.ID, o)
		end(err)
		return j, err
	}
}

// askValues asks for values of variables, which hob does not store, and restarts the job with
// them. It does nothing if another box or prompt has been opened in the meantime.
func (a *jobActions) askValues(j engine.Job, names []string, o engine.RestartOptions) tea.Cmd {
	name := a.shortName(j)
	if a.pane.CapturesKeys() {
		text := strings.Join(names, ", ") + " isn't saved"
		if len(names) > 1 {
			text = strings.Join(names, ", ") + " aren't saved"
		}
		return a.notices.message(toast.Error, "Can't restart "+name+": "+cells.Clean(text))
	}
	form := prompt.NewForm("Restart "+name, a.promptKeys(), a.styles)
	for _, env := range names {
		form.Add(env, "", prompt.Options{Verb: "restart", Placeholder: "value of " + env}) // a narrow form has no names
	}
	form.SetQuestion("Values of -e are not stored.")
	return a.modal.openForm(form, prompt.Actions{
		Accept: func() tea.Cmd {
			values := map[string]string{}
			for _, env := range names {
				if values[env] = form.Value(env); values[env] == "" {
					form.Go(env)
					form.SetError("enter a value")
					return nil
				}
			}
			a.modal.shut()
			o.Env = values
			return a.runAgain([]engine.Job{j}, o)
		},
	})
}

// start starts the job of a form. If attach is set, it then attaches to the job unless the user has
// done something else in the meantime. back is called if the start fails.
func (p *Pane) start(spec engine.Spec, attach bool, back func()) tea.Cmd {
	eng, run := p.tasks.eng, p.jobActions.edited(spec)
	if run == nil {
		run = func(ctx context.Context) (engine.Job, error) { return eng.Start(ctx, spec) }
	}
	return p.tasks.async(func(ctx context.Context) func() tea.Cmd {
		j, err := run(ctx)
		return func() tea.Cmd {
			if err != nil {
				back()
				return p.notices.fail("Can't start "+cells.Truncate(cells.Clean(spec.Script), 40, p.opts.glyphs.Ellipsis), err)
			}
			if attach && !j.Status.Finished() && !p.CapturesKeys() {
				return tea.Batch(p.jobActions.started(j), p.attach(j.ID, false))
			}
			return p.jobActions.started(j)
		}
	})
}

// attachedSize returns the size of the terminal of a job that is attached.
func (p *Pane) attachedSize() engine.Size { return TerminalSize(p.view.w, p.view.h) }
