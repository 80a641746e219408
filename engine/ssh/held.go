package ssh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/conn"
	"github.com/hobjobs/hob/engine/ssh/internal/judge"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/engine/ssh/internal/slurm"
	"github.com/hobjobs/hob/internal/hostjob"
	"github.com/hobjobs/hob/internal/hostname"
	"github.com/hobjobs/hob/internal/jobdir"
	waiting "github.com/hobjobs/hob/internal/queue"
)

// A job with a holder on its host is a local job of that host: hob-holder reports its state there and acts on
// it, see package hostjob. The other jobs are looked after by the scripts of package recipe.

// isHeld reports whether the job of r has a holder on its host.
func isHeld(r *engine.Record) bool { return r.Job.HostHolder != "" }

// HasHolder reports whether the backend is connected to host, and will start new jobs there with hob's
// holder. Otherwise scripts start them, as far as they can.
func (b *Backend) HasHolder(host string) bool {
	if _, onCluster := slurm.Login(host); host == "" || onCluster {
		return false
	}
	h := b.host(host)
	c := h.connected()
	if c == nil {
		return false
	}
	_, ok := h.usable(c.Programs())
	return ok || b.settings(host).Holder == HolderAuto
}

var (
	_ engine.QueueKeeper = (*Backend)(nil)
	_ engine.PortFinder  = (*Backend)(nil)
)

// KeepQueues implements [engine.QueueKeeper], on hosts that have hob's holder.
func (b *Backend) KeepQueues(ctx context.Context, host string, r engine.QueueRequest) ([]engine.Queue, error) {
	h := b.host(host)
	request := hostjob.Queues{
		Name:   r.Name,
		Change: waiting.Change{Slots: r.Change.Slots, Pause: r.Change.Pause, Resume: r.Change.Resume},
	}
	for _, j := range r.Jobs {
		id := remoteID(b.HostDir(j))
		if r.Turn == engine.TurnNow {
			request.Now = append(request.Now, id)
		} else {
			request.First = append(request.First, id)
		}
	}
	var answer hostjob.Queued
	err := h.askLauncher(ctx, "hob queue", "queue", request, &answer)
	switch {
	case err != nil:
		return nil, err
	case answer.Failure != nil && errors.Is(answer.Failure, engine.ErrNotRunning):
		return nil, engine.ErrNotQueued
	case answer.Failure != nil:
		return nil, answer.Failure
	}
	for _, j := range r.Jobs {
		h.pollSoon(j.ID)
	}
	queues := make([]engine.Queue, len(answer.Queues))
	for i, q := range answer.Queues {
		queues[i] = engine.Queue(q)
	}
	return queues, nil
}

// FreePort implements [engine.PortFinder], on hosts that have hob's holder.
func (b *Backend) FreePort(ctx context.Context, s engine.Spec) (int, error) {
	var found hostjob.Found
	err := b.host(s.Host).askLauncher(ctx, "--port auto", "port", hostjob.Port{Dir: s.Dir, Name: s.Name}, &found)
	if err == nil && found.Failure != nil {
		err = found.Failure
	}
	return found.Port, err
}

// askLauncher carries out a request about all jobs of the host to the holder that starts new ones. what needs
// that holder, in terms of the user.
func (h *host) askLauncher(ctx context.Context, what, command string, request, answer any) error {
	c, err := h.connect(ctx, true)
	if err != nil {
		return unreachable(h.name, err)
	}
	p, _, err := h.launcher(ctx, c, what)
	if err != nil {
		return err
	}
	return h.askHolder(ctx, quick, p.Program, request, answer, askOptions{asks: true}, command, c.Host.Base)
}

// speakerOf returns the program of the host that speaks to the job of r.
func (h *host) speakerOf(c *conn.Conn, r *engine.Record) string {
	if program, ok := speaker(c.Programs().Holders); ok {
		return program
	}
	return r.Job.HostHolder // it may still be there
}

// isChecked reports whether the host found, when the connection was made, that no other user can replace program.
func (h *host) isChecked(program string) bool {
	c := h.connected()
	return c != nil && slices.ContainsFunc(c.Programs().Holders, func(p recipe.Holder) bool { return p.Program == program })
}

// missingError means that the program that speaks to jobs with a holder did not run.
type missingError struct{ host, why string }

func (e *missingError) Error() string {
	return fmt.Sprintf("%shob-holder was deleted there: %s. To reach its jobs again: hob hosts install %s",
		hostname.Prefix(e.host), e.why, e.host)
}

func (*missingError) Unwrap() error { return engine.ErrUnreachable }

// askHolder carries out a request to program, and decodes its answer.
func (h *host) askHolder(ctx context.Context, class conn.Class, program string, input any, answer any, o askOptions, args ...string) error {
	var text []byte
	if input != nil {
		var err error
		if text, err = json.Marshal(input); err != nil {
			return err
		}
	}
	out, err := h.runHolder(ctx, class, program, text, o, args...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(out, answer); err != nil {
		return unreachable(h.name, fmt.Errorf("unexpected answer of %s: %w", program, err))
	}
	return nil
}

// runHolder runs program with args and input, and returns what it prints.
func (h *host) runHolder(ctx context.Context, class conn.Class, program string, input []byte, o askOptions, args ...string) ([]byte, error) {
	request := recipe.AskHolder(program, input, args...)
	if !o.looks || !h.isChecked(program) {
		request = recipe.CheckHolder(program) + request
	}
	a, err := h.ask(ctx, class, request, o)
	if err != nil {
		return nil, err
	}
	switch a.Code {
	case recipe.NotThere:
		return nil, &missingError{h.name, program + " is not there any more"}
	case recipe.NotAllowed:
		return nil, &missingError{h.name, program + " cannot be executed"}
	case recipe.NotOurs:
		return nil, &missingError{h.name, wordOf(a.Out)}
	}
	return a.Out, nil
}

// lookWithoutHolder looks at jobs with a holder where the program that speaks to them does not run: only
// the record of an end is certain.
func (h *host) lookWithoutHolder(ctx context.Context, base string, rs []engine.Record, why *missingError, seen map[engine.ID]engine.State) error {
	files, err := h.heldFiles(ctx, base, rs)
	if err != nil {
		return err
	}
	for _, r := range rs {
		e := files[remoteID(h.b.HostDir(r))]
		o := judge.LastKnown(r)
		o.Link, o.LinkError, o.StaleSince = engine.LinkUnreachable, why.Error(), lastSeen(r)
		if e == nil || !e.Held {
			seen[r.ID] = o
			continue
		}
		if st, err := jobdir.DecodeState(e.HeldState); err == nil && st.Exit.Known() {
			st.Status, st.Link = st.Exit.Status, engine.LinkOK
			st.HostDir, st.HostHolder, st.Machine = r.Job.HostDir, r.Job.HostHolder, r.Job.Machine
			o = st
			h.found(r.ID, e, time.Now())
			h.b.remember(r, o, st.BootID, r.Job.HostDir, false)
		}
		seen[r.ID] = o
	}
	return nil
}

// heldFiles reads what the files of the jobs rs in base show without a holder.
func (h *host) heldFiles(ctx context.Context, base string, rs []engine.Record) (map[string]*recipe.Entry, error) {
	a, err := h.ask(ctx, quick, recipe.List(base, ids(h.b, rs)), askOptions{})
	return recipe.ParseList(a.Out).Jobs, err
}

// heldEntry requests what the host knows of the logs of the job of r.
func (h *host) heldEntry(ctx context.Context, r engine.Record) (*recipe.Entry, time.Time, error) {
	base, _ := dirAndName(h.b.HostDir(r))
	l, err := h.listHeld(ctx, base, []engine.Record{r})
	if missing := (*missingError)(nil); errors.As(err, &missing) { // the logs are files that scripts can read
		files, filesErr := h.heldFiles(ctx, base, []engine.Record{r})
		if e := files[remoteID(h.b.HostDir(r))]; filesErr == nil && e != nil && e.Held {
			return e, time.Now(), nil
		}
	}
	if err != nil {
		return nil, time.Time{}, err
	}
	look := h.heldLook(r, l, base)
	if look.Job == nil || look.IsGone() {
		return nil, l.at, engine.ErrNotFound
	}
	return look.Logs(), l.at, nil
}

// bridge runs the host's holder program with args, and returns a stream to its stdin and stdout. A program that was not
// checked when the connection was made is checked first.
func (h *host) bridge(ctx context.Context, r *engine.Record, args ...string) (shell.Channel, error) {
	c, err := h.connect(ctx, true)
	if err != nil {
		return nil, unreachable(h.name, err)
	}
	program := h.speakerOf(c, r)
	if !h.isChecked(program) {
		if _, err := h.runHolder(ctx, quick, program, nil, askOptions{}, "--version"); err != nil {
			return nil, err
		}
	}
	ch, err := c.Bridge(ctx, recipe.HolderCommand(program, args...))
	if err != nil && !errors.Is(err, shell.ErrNoSlot) {
		return nil, unreachable(h.name, err)
	}
	return ch, err
}
