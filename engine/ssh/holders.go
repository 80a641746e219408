package ssh

import (
	"context"
	"fmt"
	"slices"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/conn"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/internal/build"
	"github.com/hobjobs/hob/internal/localjob"
)

// Which hob-holder of a host is used. The first request of a connection lists those that are there; a
// job is started by one that takes this program's configuration, and any of them can speak to jobs that
// run, because the holder protocol is only ever extended.

// The values of [HostSettings.Holder].
const (
	HolderAsk   = "ask"   // a holder that is there is used, and none is copied
	HolderAuto  = "auto"  // the first start on a host without a holder copies one there
	HolderNever = "never" // jobs are started without a holder
)

// launcher returns the holder that starts a new job on the host, and false if scripts start it. needed is the
// option of the job that scripts cannot carry out, or empty. If needed is set and there is no holder, the error
// tells the user how to get one.
func (h *host) launcher(ctx context.Context, c *conn.Conn, needed string) (recipe.Holder, bool, error) {
	setting := h.b.settings(h.name).Holder
	if setting == HolderAuto {
		c.Install.Do(func() { h.installFirst(ctx, c) })
	}
	known := c.Programs()
	p, ok := h.usable(known)
	if !ok && needed != "" { // it may have been installed since the connection was made
		known = h.askPrograms(ctx, c)
		p, ok = h.usable(known)
	}
	if !ok && setting != HolderNever {
		c.Warn.Do(func() { h.warnUnfit(known) })
	}
	if ok || needed == "" {
		return p, ok, nil
	}
	return p, false, needsHolder(h.name, needed, setting)
}

// installFirst installs a holder unless the host has one for new jobs.
func (h *host) installFirst(ctx context.Context, c *conn.Conn) {
	if _, ok := h.usable(c.Programs()); ok {
		return
	}
	if _, err := h.installOn(ctx, c, ""); err != nil {
		h.b.warn(h.name, fmt.Sprintf("hob-holder cannot be installed there: %v", err))
	}
}

// usable returns the holder that starts new jobs on the host, if the settings allow one.
func (h *host) usable(p recipe.Programs) (recipe.Holder, bool) {
	if h.b.settings(h.name).Holder == HolderNever {
		return recipe.Holder{}, false
	}
	return forNewJobs(p.Holders)
}

// forNewJobs chooses a holder for a new job: one of this program's build, else any that takes the same
// configuration.
func forNewJobs(holders []recipe.Holder) (recipe.Holder, bool) {
	own := build.Version()
	best, found := recipe.Holder{}, false
	for _, p := range holders {
		if p.Launch == localjob.Version && (!found || p.Build == own) {
			best, found = p, true
		}
	}
	return best, found
}

// speaker returns the program on the host that speaks to jobs that have a holder: the one for new jobs,
// else the one with the highest version.
func speaker(holders []recipe.Holder) (program string, ok bool) {
	if p, ok := forNewJobs(holders); ok {
		return p.Program, true
	}
	if len(holders) == 0 {
		return "", false
	}
	newest := slices.MaxFunc(holders, func(a, b recipe.Holder) int { return a.Launch - b.Launch })
	return newest.Program, true
}

// askPrograms asks the host again which holders it has.
func (h *host) askPrograms(ctx context.Context, c *conn.Conn) recipe.Programs {
	a, err := h.ask(ctx, quick, recipe.ListPrograms(), askOptions{files: true})
	if err != nil {
		return c.Programs()
	}
	p := recipe.ParseHello(a.Out).Programs
	c.SetPrograms(p)
	return p
}

// warnUnfit tells the user why holders that are there are not used.
func (h *host) warnUnfit(p recipe.Programs) {
	var why string
	switch {
	case len(p.Unfit) > 0:
		why = p.Unfit[0]
	case len(p.Holders) > 0:
		why = p.Holders[0].Program + " is of another version of hob"
	default:
		return
	}
	h.b.warn(h.name, fmt.Sprintf("hob-holder there is not used, and shell scripts run the jobs: %s. To replace it: hob hosts install %s", why, h.name))
}

// needsHolder is the error for a job with an option that works on host only with a holder.
func needsHolder(host, option, setting string) error {
	remedy := ": hob hosts install " + host
	if setting == HolderNever {
		remedy = fmt.Sprintf(", which [hosts.%s] holder = %q in config.toml prevents", host, HolderNever)
	}
	return &needsHolderError{fmt.Sprintf("%s on %s needs hob-holder there%s", option, host, remedy)}
}

type needsHolderError struct{ text string }

func (e *needsHolderError) Error() string { return e.text }

func (*needsHolderError) Unwrap() error { return engine.ErrUnsupported }
