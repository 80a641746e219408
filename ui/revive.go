package ui

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/ui/components/toast"
)

// WithReboot makes the pane show, when it opens, how many jobs a reboot has ended, and the key that starts them again.
func WithReboot(jobs int) Option { return func(o *options) { o.rebooted = jobs } }

// rebooted is the message of [WithReboot].
func (a *jobActions) rebooted() tea.Cmd {
	if a.opts.rebooted == 0 {
		return nil
	}
	text := units.Count(a.opts.rebooted, "job") + " ended with the reboot"
	return a.notices.message(toast.Error, a.dotted(text, a.does(a.opts.keys.Jobs.Revive, "revive")))
}

// WithWarning makes the pane show a warning when it opens, such as about mistakes in its program's settings; "": none.
func WithWarning(text string) Option { return func(o *options) { o.warning = text } }

// warned is the message of [WithWarning].
func (a *jobActions) warned() tea.Cmd {
	if a.opts.warning == "" {
		return nil
	}
	return a.notices.message(toast.Error, a.opts.warning)
}

// revive offers to restart the jobs that a reboot ended: those of a host if one of them is selected, else those of
// this machine.
func (a *jobActions) revive() tea.Cmd {
	eng, host := a.tasks.eng, ""
	if j, ok := a.list.Selected(); ok && j.Exit.Reason == engine.ReasonReboot {
		host = j.Host
	}
	return a.tasks.async(func(ctx context.Context) func() tea.Cmd {
		offered, err := eng.Revive(ctx, engine.ReviveOptions{Host: host, DryRun: true})
		if err != nil {
			return a.notices.onError("Can't find what the reboot ended", err)
		}
		return func() tea.Cmd { return a.askToRevive(host, offered) }
	})
}

func (a *jobActions) askToRevive(host string, offered []engine.Revival) tea.Cmd {
	var jobs, left []engine.Job
	for _, r := range offered {
		if r.Err == nil {
			jobs = append(jobs, r.Lost)
		} else {
			left = append(left, r.Lost)
		}
	}
	where := ""
	if host != "" {
		where = " on " + cells.Clean(host)
	}
	var notes []string
	if len(left) > 0 {
		notes = append(notes, "Left out: "+a.allNames(left)+". "+howToRevive(host, offered))
	}
	switch {
	case len(offered) == 0:
		return a.notices.refuse("No job to start: no job was ended by a reboot, or all were started again")
	case len(jobs) == 0:
		return a.notices.refuse(strings.Join(notes, " "))
	case a.pane.CapturesKeys(): // the user types something else by now
		return nil
	}
	notes = append([]string{a.allNames(jobs)}, notes...)
	title := "Start " + units.Count(len(jobs), "job") + " again" + where + "?"
	return a.modal.confirm(title, "Start", func() tea.Cmd { return a.reviveNow(host, idsOf(jobs)) }, notes...)
}

// howToRevive returns the command that starts those of the offered jobs that are left out, if they need values of
// variables only; else the one that says why they are left out.
func howToRevive(host string, offered []engine.Revival) string {
	command := "hob revive"
	if host != "" {
		command += " --on " + cells.Clean(host)
	}
	given := map[string]bool{}
	for _, r := range offered {
		missing, ok := errors.AsType[*engine.MissingEnvError](r.Err)
		if r.Err != nil && !ok {
			return "To see why: " + command + " --dry-run"
		}
		if ok {
			for _, name := range missing.Names {
				given[" -e "+cells.Clean(name)+"=VALUE"] = true
			}
		}
	}
	return "To start: " + command + strings.Join(slices.Sorted(maps.Keys(given)), "")
}

func (a *jobActions) reviveNow(host string, ids []engine.ID) tea.Cmd {
	eng := a.tasks.eng
	o := engine.ReviveOptions{Host: host, Select: func(j engine.Job) bool { return slices.Contains(ids, j.ID) }}
	return a.tasks.async(func(ctx context.Context) func() tea.Cmd {
		revivals, err := eng.Revive(ctx, o)
		started := 0
		for _, r := range revivals {
			if r.Err == nil {
				started++
			} else if err == nil {
				err = r.Err
			}
		}
		return func() tea.Cmd {
			done := a.notices.message(toast.Success, "Started "+units.Count(started, "job")+" again")
			if err != nil {
				return tea.Batch(done, a.notices.fail("Can't start all", err))
			}
			return done
		}
	})
}
