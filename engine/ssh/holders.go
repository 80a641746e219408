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

// launcher returns the holder that starts a new job on the host, and false if the job is started by
// scripts. needed is why it cannot be: the option of the job that scripts do not have, or empty. The
// error is the one for the user if there is no holder and the job needs one.
func (h *host) launcher(ctx context.Context, c *conn.Conn, needed string) (recipe.Holder, bool, error) {
	setting := h.b.settings(h.name).Holder
	if setting == HolderNever {
		return recipe.Holder{}, false, needsHolder(h.name, needed, "setting")
	}
	known := c.Programs()
	if p, ok := forNewJobs(known.Holders); ok {
		return p, true, nil
	}
	if setting == HolderAuto {
		p, err := h.installOn(ctx, c, "")
		if err == nil {
			return p.holder, true, nil
		}
		h.b.warn(h.name, fmt.Sprintf("hob's holder cannot be installed there: %v", err))
		return recipe.Holder{}, false, needsHolder(h.name, needed, "")
	}
	if needed != "" { // it may have been installed since the connection was made
		known = h.askPrograms(ctx, c)
		if p, ok := forNewJobs(known.Holders); ok {
			return p, true, nil
		}
	}
	h.warnUnfit(c, known)
	return recipe.Holder{}, false, needsHolder(h.name, needed, "")
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

// warnUnfit tells the user, once for a connection, why holders that are there are not used.
func (h *host) warnUnfit(c *conn.Conn, p recipe.Programs) {
	var why string
	switch {
	case len(p.Unfit) > 0:
		why = p.Unfit[0]
	case len(p.Holders) > 0:
		why = p.Holders[0].Program + " is of another version of hob"
	default:
		return
	}
	if c.FirstWarning() {
		h.b.warn(h.name, fmt.Sprintf("hob's holder there is not used, and jobs are run by shell scripts: %s. To replace it: hob hosts install %s", why, h.name))
	}
}

// needsHolder is the error for a job with an option that works on the host only with a holder; nil if
// needed is empty. where is "setting" if only the settings prevent that it is used.
func needsHolder(host, needed, where string) error {
	switch {
	case needed == "":
		return nil
	case where == "setting":
		return &needsHolderError{fmt.Sprintf("%s on %s needs hob's holder there, which [hosts.%s] holder = %q in config.toml prevents", needed, host, host, HolderNever)}
	}
	return &needsHolderError{fmt.Sprintf("%s on %s needs hob's holder there: hob hosts install %s", needed, host, host)}
}

type needsHolderError struct{ text string }

func (e *needsHolderError) Error() string { return e.text }

func (*needsHolderError) Unwrap() error { return engine.ErrUnsupported }
