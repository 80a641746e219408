package ssh

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
)

// homeless are the errors of a spawn that another directory may cure.
var homeless = []string{"home", "mkdir", "write"}

// spareBase returns a private directory for jobs on a host where s says that the usual one
// cannot hold them; empty if there is none, or the user chose the directory. ask carries
// out a request.
func (b *Backend) spareBase(host string, s recipe.Spawned, ask func(script string) ([]byte, error)) string {
	if host == "" || !slices.Contains(homeless, s.Error) || b.settings(host).StateDir != "" {
		return ""
	}
	out, err := ask(recipe.Spare())
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(out), "\n")
}

// spawnIn starts j in base, where the usual directory could not hold it. Where the job is
// gets recorded first: nothing else leads there.
func (h *host) spawnIn(ctx context.Context, base string, l engine.Launch, j *recipe.Job, cause recipe.Spawned) (recipe.Spawned, bool, error) {
	j.Base = base
	dir := path.Join(base, j.ID)
	o := lastKnown(l.Record)
	o.Status, o.Backgrounded = engine.Starting, l.Spec.Backgrounded
	h.b.remember(l.Record, o, "", dir, true)
	s, sent, err := h.spawn(ctx, *j)
	if s.OK {
		h.b.warnSpare(h.name, base, cause)
	}
	return s, sent, err
}

func (b *Backend) warnSpare(host, base string, cause recipe.Spawned) {
	b.warn(host, fmt.Sprintf("%s; jobs are kept in %s, which the host may empty at any time. %s", reasonOf(cause), base, stateDirHint(host)))
}

// warn reports something to the user that is no error.
func (b *Backend) warn(host, text string) {
	b.log.Warn(text, "host", host)
	if b.warning != nil {
		b.warning(host, text)
	}
}

// stateDirHint is what the user can do about a host whose home cannot hold jobs.
func stateDirHint(host string) string {
	return fmt.Sprintf("Set [hosts.%s] state_dir in config.toml to a directory there that keeps files", host)
}
