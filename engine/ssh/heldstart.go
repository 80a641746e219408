package ssh

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/conn"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/internal/hostjob"
	"github.com/hobjobs/hob/internal/jobdir"
)

// neededBy returns the option of a job that scripts on a host cannot carry out; empty: there is none.
func neededBy(s *engine.Spec) string {
	switch {
	case s.Queue != "":
		return "--queue"
	case len(s.After) > 0:
		return "--after"
	case len(s.AfterAny) > 0:
		return "--after-any"
	case s.Restart != "":
		return "--restart"
	case s.StopCommand != "":
		return "--stop-command"
	case s.Health.Check != "":
		return "--health"
	case s.Notify:
		return "--notify"
	}
	return ""
}

// launch starts a job by a holder of the host, as [Backend.Start] does. ok is false if scripts have to start
// it.
func (h *host) launch(ctx context.Context, c *conn.Conn, holder recipe.Holder, needed string, l engine.Launch) (begun *engine.State, ok bool, err error) {
	base := c.Host.Base
	request, err := h.launchRequest(base, l)
	if err != nil {
		return nil, true, err
	}
	notify, err := h.notify(ctx, c)
	if err != nil {
		return nil, true, err
	}
	request.Notify, request.Events = notify.command, notify.events
	answer, sent, err := h.sendLaunch(ctx, holder.Program, request)
	if answer.Result == hostjob.Taken {
		request.ID += "-" + l.Job.Token[:min(5, len(l.Job.Token))]
		answer, sent, err = h.sendLaunch(ctx, holder.Program, request)
	}
	dir := path.Join(base, request.ID)
	unfit := answer.Result == hostjob.Homeless || answer.Result == hostjob.Shared
	missing := (*missingError)(nil)
	if needed == "" && (unfit || errors.As(err, &missing)) {
		return nil, false, nil
	}
	switch {
	case err != nil && !sent:
		return nil, true, unreachable(h.name, err)
	case err != nil:
		h.b.keepDir(l.ID, dir)
		h.b.log.Warn("it is not known whether a job was started", "job", l.ID, "host", h.name, "err", err)
		return nil, true, nil
	case answer.Result == hostjob.Begun, answer.Result == hostjob.Exists:
		h.b.keepDir(l.ID, dir)
		return h.launched(l, &answer.List, base, holder.Program), true, nil
	}
	return nil, true, fmt.Errorf("%s: %s", h.name, refusedBecause(answer))
}

// replacedBy is the reason for not starting a job in the place of a lost one.
func replacedBy(other string) string { return "another machine has started " + other + " in its place" }

func refusedBecause(a hostjob.Launched) string {
	switch a.Result {
	case hostjob.Abandoned:
		return "the connection broke before the job was started"
	case hostjob.Taken:
		return "its directory belongs to another job"
	case hostjob.Replaced:
		return replacedBy(a.Why)
	case hostjob.Shared:
		return "it shares the state directory of this machine, and hob-holder does not run jobs on such a host"
	}
	return a.Why
}

// launched returns the state of a job that was just started, and records it.
func (h *host) launched(l engine.Launch, list *hostjob.Listing, base, program string) *engine.State {
	listed := &heldListing{Listing: *list, at: time.Now()}
	look := h.heldLook(l.Record, listed, base)
	if look.Job == nil || look.IsGone() {
		return nil // the next look decides
	}
	o := look.State()
	if o.HostHolder == "" {
		o.HostHolder = program
	}
	o.Backgrounded = l.Spec.Backgrounded
	h.found(l.ID, look.Logs(), listed.at)
	h.b.remember(l.Record, o, list.Boot, look.Dir, true)
	return &o
}

// launchRequest converts l to the request of a holder.
func (h *host) launchRequest(base string, l engine.Launch) (*hostjob.Launch, error) {
	m, err := jobdir.ReadMeta(l.Dir)
	if err != nil {
		return nil, err
	}
	m.Host, m.Dir = "", l.Spec.Dir
	env := map[string][]byte{}
	for name, value := range l.Spec.Env {
		env[name] = []byte(value)
	}
	return &hostjob.Launch{
		Base:  base,
		ID:    string(l.ID),
		Owner: recipe.OneWord(owner(l.Job)),
		Meta:  m.WithRaw(),
		Env:   env,

		InPlaceOf: l.InPlaceOf,

		After:    h.there(l, l.Spec.After),
		AfterAny: h.there(l, l.Spec.AfterAny),
	}, nil
}

// there returns the names on the host of jobs that have records beside that of l.
func (h *host) there(l engine.Launch, jobs []engine.ID) []engine.ID {
	var names []engine.ID
	for _, id := range jobs {
		other := engine.Record{
			ID:  id,
			Dir: filepath.Join(filepath.Dir(l.Dir), string(id)),
			Job: engine.Job{Request: engine.Request{Host: h.name}},
		}
		names = append(names, engine.ID(remoteID(h.b.HostDir(other))))
	}
	return names
}

// sendLaunch sends a launch until the host answers. sent reports whether the host may have received it.
func (h *host) sendLaunch(ctx context.Context, program string, l *hostjob.Launch) (answer hostjob.Launched, sent bool, err error) {
	sent, err = untilKnown(ctx, func(o askOptions) error {
		return h.askHolder(ctx, slow, program, l, &answer, o, "launch")
	})
	return answer, sent, err
}
