package ssh

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/client"
	"github.com/hobjobs/hob/engine/ssh/internal/hostconf"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/internal/hostjob"
	"github.com/hobjobs/hob/internal/hostname"
	"github.com/hobjobs/hob/internal/jobdir"
)

// Host is the state of the connection to a host.
type Host struct {
	Name string
	Link engine.Link // ok or unreachable; empty: not tried yet
	// Connecting: an attempt is under way.
	Connecting bool
	Err        error // why it is unreachable
	// Attention: this does not change until the user acts; [Backend.Connect] asks any pending
	// questions.
	Attention bool
	Hint      string
	System    string // "Linux x86_64"
	User      string
	// Holder is the path of the hob-holder that starts new jobs there, and HolderBuild the build of hob that
	// it is of; empty: there is none, or its build is unknown.
	Holder, HolderBuild string
}

// Hosts lists the hosts that this backend was used with, by name. It connects to none.
func (b *Backend) Hosts() []Host {
	b.mu.Lock()
	hosts := slices.Collect(maps.Values(b.hosts))
	b.mu.Unlock()
	list := make([]Host, 0, len(hosts))
	for _, h := range hosts {
		if h.name != "" {
			list = append(list, h.state())
		}
	}
	slices.SortFunc(list, func(a, b Host) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (h *host) state() Host {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := Host{Name: h.name, Connecting: h.dialing != nil}
	switch {
	case h.conn != nil:
		s.Link, s.System, s.User = engine.LinkOK, h.conn.Host.System, h.conn.Host.User
		if p, ok := h.usable(h.conn.Programs()); ok {
			s.Holder, s.HolderBuild = p.Program, p.Build
		}
	case h.err != nil:
		s.Link, s.Err = engine.LinkUnreachable, h.err
		if he, ok := errors.AsType[*HostError](h.err); ok {
			s.Attention, s.Hint = he.Attention, he.Hint
		}
	}
	return s
}

// Connect connects to host now, regardless of earlier failures, and may prompt. The UI calls it
// when the user presses Enter on a host that needs attention.
func (b *Backend) Connect(ctx context.Context, host string) error {
	h := b.host(host)
	_, err := h.connect(ctx, true)
	h.wakePoller()
	return unreachable(host, err)
}

// Known lists the names of hosts in the user's ssh configuration, for completion.
func (b *Backend) Known() []string { return hostconf.Hosts(b.dialer.ConfigFile) }

// HostError reports why a request to a host failed. It is an [engine.ErrUnreachable].
type HostError struct {
	Host string
	Err  error
	// Attention: retrying will not help; the user has to act, see Hint.
	Attention bool
	Hint      string
}

// Error returns the error after the name of the host.
func (e *HostError) Error() string {
	if e.Host == "" {
		return fmt.Sprintf("the shell of this machine: %v", e.Err)
	}
	return hostname.Prefix(e.Host) + e.Err.Error()
}

// Unwrap returns engine.ErrUnreachable and the error.
func (e *HostError) Unwrap() []error { return []error{engine.ErrUnreachable, e.Err} }

// unreachable wraps err for host.
func unreachable(host string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if _, ok := errors.AsType[*HostError](err); ok {
		return err
	}
	e := &HostError{Host: host, Err: err}
	if ce, ok := errors.AsType[*client.Error](err); ok {
		e.Attention, e.Hint = ce.Final, ce.Hint
	}
	return e
}

// InputFullError reports that a job has not read its input for some seconds and its buffer is full.
type InputFullError struct{ Taken int } // bytes of what was to be written

// Error returns what happened, without the number of bytes.
func (*InputFullError) Error() string {
	return "the job does not read its input, and its buffer is full"
}

// perRequest is how many records are requested at once.
const perRequest = 100

// Find implements [engine.Finder].
func (b *Backend) Find(ctx context.Context, host string, known func(token string) bool, found func(engine.Found) error) error {
	h := b.host(host)
	c, err := h.connect(ctx, false)
	if err != nil {
		return lateOrLost(host, err)
	}
	base := c.Host.Base
	a, err := h.ask(ctx, quick, recipe.Known(base), askOptions{})
	if err != nil {
		return lateOrLost(host, err)
	}
	tokens := recipe.ParseFiles(a.Out)
	var ids []string
	for id, files := range tokens {
		if token := files["token"]; token != "" && !known(token) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for some := range slices.Chunk(ids, perRequest) {
		if a, err = h.ask(ctx, quick, recipe.Records(base, some), askOptions{}); err != nil {
			return lateOrLost(host, err)
		}
		for id, files := range recipe.ParseFiles(a.Out) {
			m, err := jobdir.DecodeMeta([]byte(files[jobdir.MetaFile]))
			if files[hostjob.HolderFile] != "" {
				m.Backend = Name // there it is a local job
			}
			if err != nil || m.Token != tokens[id]["token"] || m.Backend != Name {
				continue // a start that was given up, or not a job of this backend
			}
			m.ID, m.ClientMachine = engine.ID(id), strings.Trim(files["owner"], "-")
			if err := found(engine.Found{Request: m.Request, HostDir: path.Join(base, id)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// lateOrLost wraps the error of a request to host. An answer that was too late counts as none.
func lateOrLost(host string, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		err = errNoAnswer
	}
	return unreachable(host, err)
}

var errNoAnswer = errors.New("no answer in time")
