package cli

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh"
	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/internal/jobdir"
)

// remotes is the backend of jobs on hosts, as a program of short verbs needs it:
// it is made when something of a host is wanted, and a look at jobs connects to
// nothing unless it was asked for with [askingHosts]. A list so has the last
// known of each job at once, and following a job brings the news.
type remotes struct {
	prompts  ssh.Prompts
	settings func(host string) ssh.HostSettings
	always   bool // looks ask the hosts unasked, for as long as the backend's patience
	log      *slog.Logger

	mu       sync.Mutex
	warnings []string // to be printed when the screen is free

	once sync.Once
	made atomic.Pointer[ssh.Backend] // see backend
}

var (
	_ engine.Backend = (*remotes)(nil)
	_ engine.Placer  = (*remotes)(nil)
	_ engine.Remover = (*remotes)(nil)
	_ engine.Finder  = (*remotes)(nil)
)

const (
	// patience is how long a look that was asked for waits for a host to answer.
	patience = 5 * time.Second
	// glance is how long one waits that was not asked for.
	glance = 1500 * time.Millisecond
	// passing is how long it waits for a host that only happens to be connected.
	passing = 250 * time.Millisecond
)

func (r *remotes) backend() *ssh.Backend {
	r.once.Do(func() {
		wait := patience
		if r.always {
			wait = glance
		}
		r.made.Store(ssh.New(
			ssh.WithPrompts(r.prompts), ssh.WithPatience(wait), ssh.WithHostSettings(r.settings), ssh.WithLogger(r.log),
			ssh.WithLinkReports(r.noteLink), ssh.WithWarnings(r.warn),
		))
	})
	return r.made.Load()
}

// warn keeps a warning for the end of the command, once.
func (r *remotes) warn(host, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if text = host + ": " + text; !slices.Contains(r.warnings, text) {
		r.warnings = append(r.warnings, text)
	}
}

// Name implements [engine.Backend].
func (*remotes) Name() string { return ssh.Name }

// Capabilities implements [engine.Backend].
func (r *remotes) Capabilities() engine.Capabilities { return r.backend().Capabilities() }

// Serves implements [engine.Backend].
func (r *remotes) Serves(host string) bool { return r.backend().Serves(host) }

// Prepare implements [engine.Preparer].
func (r *remotes) Prepare(dir string) (io.Closer, error) { return r.backend().Prepare(dir) }

// Start implements [engine.Backend].
func (r *remotes) Start(ctx context.Context, l engine.Launch) (engine.Run, error) {
	return r.backend().Start(ctx, l)
}

// Open implements [engine.Backend].
func (r *remotes) Open(ctx context.Context, rec engine.Record) (engine.Run, error) {
	return r.backend().Open(ctx, rec)
}

// HostDir implements [engine.Placer].
func (r *remotes) HostDir(rec engine.Record) string { return r.backend().HostDir(rec) }

// Find implements [engine.Finder].
func (r *remotes) Find(ctx context.Context, host string, known func(token string) bool, found func(engine.Found) error) error {
	return r.backend().Find(ctx, host, known, found)
}

// Remove implements [engine.Remover].
func (r *remotes) Remove(ctx context.Context, rec engine.Record) error {
	return r.backend().Remove(ctx, rec)
}

// Close implements [engine.Backend].
func (r *remotes) Close() error {
	r.once.Do(func() {}) // from here on there is none to be made
	if b := r.made.Load(); b != nil {
		return b.Close()
	}
	return nil
}

// hostSettings says what the settings say of a host; one that they do not speak of
// is left to ssh's configuration. The settings are read when the first host is
// connected to, unless loaded are they.
func hostSettings(loaded *config.Config) func(host string) ssh.HostSettings {
	load := sync.OnceValue(func() *config.Config {
		if loaded != nil {
			return loaded
		}
		return config.Load() // whoever has to be told of problems has loaded them
	})
	return func(host string) ssh.HostSettings {
		c := load()
		h, ok := c.Hosts[host]
		if !ok {
			return ssh.HostSettings{}
		}
		if h.ConnectTimeout == c.Host("").ConnectTimeout {
			h.ConnectTimeout = 0 // the default: ssh_config may know better
		}
		return ssh.HostSettings{Transport: h.Transport, StateDir: h.StateDir, ConnectTimeout: h.ConnectTimeout}
	}
}

type askingKey struct{}

// askingHosts has looks at jobs under ctx ask these hosts; without names, all.
func askingHosts(ctx context.Context, hosts ...string) context.Context {
	return context.WithValue(ctx, askingKey{}, hosts)
}

// Observe implements [engine.Backend]. Hosts that are connected are always asked,
// and so is this machine about what others started on it.
func (r *remotes) Observe(ctx context.Context, recs []engine.Record) ([]engine.Observation, error) {
	if r.always {
		return r.backend().Observe(ctx, recs)
	}
	hosts, asking := ctx.Value(askingKey{}).([]string)
	connected := r.connected()
	var ask, peek []engine.Record
	var seen []engine.Observation
	for _, rec := range recs {
		name := rec.Job.Host
		switch {
		case ssh.RunsHere(rec) || asking && (len(hosts) == 0 || slices.Contains(hosts, name)):
			ask = append(ask, rec)
		case connected[name]:
			peek = append(peek, rec)
		default:
			seen = append(seen, lastKnown(rec))
		}
	}
	if len(peek) > 0 {
		soon, cancel := context.WithTimeout(ctx, passing)
		defer cancel()
		now, _ := r.backend().Observe(soon, peek) // it has no other error than that of soon
		seen = append(seen, now...)
	}
	if len(ask) == 0 {
		return seen, ctx.Err()
	}
	now, err := r.backend().Observe(ctx, ask)
	return append(seen, now...), err
}

// connect connects to host; made is false if it was connected before.
func (r *remotes) connect(ctx context.Context, host string) (made bool, err error) {
	if r.connected()[host] {
		return false, nil
	}
	return true, r.backend().Connect(ctx, host)
}

// connected names the hosts that there is a connection to; "" is this machine.
func (r *remotes) connected() map[string]bool {
	connected := map[string]bool{"": true}
	if b := r.made.Load(); b != nil {
		for _, h := range b.Hosts() {
			connected[h.Name] = h.Link == engine.LinkOK
		}
	}
	return connected
}

// lastKnown is what the record here says, stale since it was written.
func lastKnown(rec engine.Record) engine.Observation {
	j := &rec.Job
	o := engine.Observation{
		ID: rec.ID, Status: j.Status, Exit: j.Exit, PID: j.PID, StartedAt: j.StartedAt, StopDeadline: j.StopDeadline,
		Deadline: j.Deadline, Backgrounded: j.Backgrounded, Paused: j.Paused, Title: j.Title, Cwd: j.Cwd, Size: j.Size,
		Output: j.Output, Dropped: j.Dropped, LogLimit: j.LogLimit, Link: j.Link, StaleSince: ssh.LastSeen(rec),
	}
	root := filepath.Dir(filepath.Dir(rec.Dir))
	if o.LinkError = jobdir.LinkNote(root, j.Host); o.LinkError != "" {
		o.Link = engine.LinkUnreachable
	}
	return o
}

// noteLink keeps for other programs whether host could be reached.
func (r *remotes) noteLink(host string, err error) {
	root, rootErr := engine.StateRoot()
	if rootErr != nil {
		return
	}
	reason := ""
	if err != nil {
		reason = err.Error()
	}
	if err := jobdir.NoteLink(root, host, reason); err != nil {
		r.log.Debug("it cannot be noted whether a host answers", "host", host, "err", err)
	}
}

// connect connects to the hosts of those jobs that have not ended, so that what
// is done to them next is done, and known, now. A person is asked what there is
// to ask.
func (a *app) connect(ctx context.Context, jobs ...engine.Job) error {
	for _, j := range jobs {
		if j.Status.Finished() {
			continue
		}
		if err := a.connectFor(ctx, j); err != nil {
			return err
		}
	}
	return nil
}

// connectFor connects to the host of one job, unless that can be asked without.
func (a *app) connectFor(ctx context.Context, j engine.Job) error {
	dir := filepath.Join(a.eng.StateDir(), "jobs", string(j.ID))
	if ssh.RunsHere(engine.Record{ID: j.ID, Dir: dir, Job: j}) {
		return nil
	}
	return a.connectTo(ctx, j.Host)
}

// connectTo connects to one host; "" is this machine.
func (a *app) connectTo(ctx context.Context, host string) error {
	if host == "" {
		return nil
	}
	return a.hosts.backend().Connect(ctx, host)
}
