// Package ssh runs jobs on hosts that ssh can reach. The hosts need only a POSIX sh.
//
//	eng, err := engine.New(engine.WithBackend(local.New()), engine.WithBackend(ssh.New(ssh.WithPrompts(p))))
//	job, err := eng.Start(ctx, engine.Spec{Host: "web1", Script: "make test"})
//
// A host is an argument of `ssh`: the user's configuration, agent, keys and known_hosts
// determine how it is reached. Each job has a directory on its host (see
// docs/remote-layout.md) with its log files, which outlives the connection, this program and
// this machine. It also has a record here, so that jobs can be listed while their host cannot
// be reached.
//
// # State
//
// The job's directory on the host is authoritative; the local record has its last known
// state. While a host cannot be reached its jobs keep their last status, with a link of
// unreachable: a status is never guessed. A job is identified by its token, not its id; a
// process by pid, start time and boot.
//
// # Connections
//
// Each host has one connection, with at most four sessions, and one more while a stream of
// input is sent. It is made when a call needs it. While jobs on the host are watched a lost
// connection is made again, with growing pauses. After a refused login, or a changed or
// unknown host key, the host needs attention: only [Backend.Connect], or another call that may
// prompt, tries again. Hosts never wait for each other.
//
// # Questions
//
// The user is asked (for a passphrase, about an unknown host key) through [Prompts], and only
// on behalf of a call that the user waits for: starting, stopping, writing, [Backend.Connect],
// and calls with a context of [WithInteraction]. Listing and watching jobs never prompts.
//
// # Concurrency
//
// [Backend] is safe for concurrent use. Its goroutines have ended when Close returns.
package ssh

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/client"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/engine/ssh/internal/slurm"
	"github.com/hobjobs/hob/internal/holderfile"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// Name is the name of the backend in records.
const Name = "ssh"

const maxDials = 16 // at once, over all hosts

// Backend runs jobs on hosts. It is safe for concurrent use.
type Backend struct {
	prompts  client.Prompts
	log      *slog.Logger
	warning  func(host, text string) // nil: nothing is to be reported to the user
	patience time.Duration
	passive  bool          // see WithoutDialing
	eager    time.Duration // between attempts to connect while a caller waits
	// queueOften is how old an answer of a cluster's scheduler may be.
	queueOften  time.Duration
	machine     string // id of the machine that this program runs on
	dialer      client.Dialer
	settings    func(host string) HostSettings
	findHolder  func(holderfile.System) (string, error)
	readNotify  func(settings []byte) (command string, events []string, err error) // nil: see WithNotify
	linkRecords string                                                             // state directory with the results of connecting; empty: nothing is recorded
	reach       func(ctx context.Context, host string) (shell.Transport, error)

	life  context.Context // ends with Close: bounds what runs between calls
	end   context.CancelFunc
	all   shell.Group   // goroutines, for which Close waits
	dials chan struct{} // a slot each

	mu      sync.Mutex
	hosts   map[string]*host
	dirs    map[engine.ID]string     // of jobs, on their hosts
	records map[engine.ID]remembered // of jobs that have not ended
}

var (
	_ engine.Backend = (*Backend)(nil)
	_ engine.Placer  = (*Backend)(nil)
	_ engine.Remover = (*Backend)(nil)
	_ engine.Finder  = (*Backend)(nil)
)

// New returns a backend. It connects to nothing.
func New(opts ...Option) *Backend {
	b := &Backend{
		log:        slog.New(slog.DiscardHandler),
		machine:    proc.MachineID(),
		eager:      eagerPause,
		queueOften: queueOften,
		findHolder: holderfile.Find,
		dials:      make(chan struct{}, maxDials),
		hosts:      map[string]*host{},
		dirs:       map[engine.ID]string{},
		records:    map[engine.ID]remembered{},
		settings:   func(string) HostSettings { return HostSettings{} },
	}
	b.life, b.end = context.WithCancel(context.Background())
	for _, o := range opts {
		o(b)
	}
	if b.reach == nil {
		b.reach = b.dial
	}
	return b
}

// dial connects to host; ctx determines whether the user may be prompted.
func (b *Backend) dial(ctx context.Context, host string) (shell.Transport, error) {
	if host == "" {
		return shell.NewLocal("sh", nil), nil // jobs that other machines started here
	}
	if login, ok := slurm.Login(host); ok {
		return b.dial(ctx, login)
	}
	if c, ok, err := client.Enter(host); ok {
		if err != nil {
			return nil, err
		}
		return c, nil
	}
	p := client.Prompts{}
	if interactive(ctx, false) {
		p = b.prompts
	}
	return b.dialer.Dial(ctx, host, p)
}

// Name implements [engine.Backend].
func (b *Backend) Name() string { return Name }

// Capabilities implements [engine.Backend]. A start fails if the host has no holder and its scripts cannot do what
// the job needs.
func (b *Backend) Capabilities(host string) engine.Capabilities {
	mayHaveHolder := host != ""
	return engine.Capabilities{
		PTY:         true,
		Stdin:       true,
		Split:       true,
		Resize:      true,
		LogLimit:    true,
		TTYStdin:    b.HasHolder(host),
		Restart:     true,
		StopCommand: mayHaveHolder,
		Health:      mayHaveHolder,
	}
}

// Serves implements [engine.Backend]. No jobs are started on this machine, but jobs that other
// machines started here over SSH are observed, by a local sh.
func (b *Backend) Serves(host string) bool { return host != "" }

// local reports whether a host name stands for this machine, whose sh is asked.
func local(name string) bool {
	login, onCluster := slurm.Login(name)
	return name == "" || onCluster && login == ""
}

// host returns the state of a host, which is made on the first call.
func (b *Backend) host(name string) *host {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.hosts[name]
	if h == nil {
		h = newHost(b, name)
		b.hosts[name] = h
	}
	return h
}

// async runs f in a goroutine that Close waits for; false if it is closed.
func (b *Backend) async(f func()) bool { return b.life.Err() == nil && b.all.Go(f) }

// Close implements [engine.Backend].
func (b *Backend) Close() error {
	b.end()
	b.mu.Lock()
	hosts := slices.Collect(maps.Values(b.hosts))
	b.mu.Unlock()
	var closing sync.WaitGroup
	for _, h := range hosts {
		closing.Go(h.close)
	}
	closing.Wait()
	b.all.Close()
	return nil
}

// Open implements [engine.Backend].
func (b *Backend) Open(_ context.Context, r engine.Record) (engine.Run, error) {
	run := &Run{b: b, h: b.host(hostName(r)), rec: r}
	if isHeld(&r) {
		return &heldRun{run}, nil
	}
	return run, nil
}

// HostDir implements [engine.Placer].
func (b *Backend) HostDir(r engine.Record) string {
	if r.Job.Host == "" {
		return filepath.ToSlash(r.Dir)
	}
	b.mu.Lock()
	dir, ok := b.dirs[r.ID]
	b.mu.Unlock()
	if ok {
		return dir
	}
	if st, err := jobdir.ReadState(r.Dir); err == nil && st.HostDir != "" {
		b.keepDir(r.ID, st.HostDir)
		return st.HostDir
	}
	if ownDir(r) {
		return filepath.ToSlash(r.Dir)
	}
	return "~/.local/state/hob/jobs/" + string(r.ID)
}

func (b *Backend) keepDir(id engine.ID, dir string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dirs[id] = dir
}

// Observe implements [engine.Backend]. Hosts are asked at the same time; for
// how long they are waited for see [WithPatience], and [WithoutDialing].
func (b *Backend) Observe(ctx context.Context, rs []engine.Record) (map[engine.ID]engine.State, error) {
	byHost := grouped(rs, func(r *engine.Record) string { return hostName(*r) })
	var mu sync.Mutex
	seen := make(map[engine.ID]engine.State, len(rs))
	var wg sync.WaitGroup
	for name, rs := range byHost {
		wg.Go(func() {
			look := b.host(name).observe
			if b.passive && !local(name) {
				look = b.host(name).observeIfConnected
			}
			states := look(ctx, rs)
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(seen, states)
		})
	}
	wg.Wait()
	return seen, ctx.Err()
}

// goneFor is how long after a failed connection a host is not retried only to remove jobs.
const goneFor = time.Hour

// Remove implements [engine.Remover]. If the host of a job that ended long ago no longer answers, the
// files there are left to the host's own sweep.
func (b *Backend) Remove(ctx context.Context, r engine.Record) error {
	if ownDir(r) {
		return nil
	}
	dir := b.HostDir(r)
	if strings.HasPrefix(dir, "~") {
		return nil // it never got there
	}
	h := b.host(r.Job.Host)
	h.forget(r.ID)
	err := h.unreachableSince(time.Now().Add(-goneFor))
	var a shell.Answer
	if err == nil {
		a, err = h.ask(ctx, quick, recipe.Discard(dir, r.Job.Token), askOptions{})
	}
	if err != nil {
		at := r.Job.Exit.At
		swept := !at.IsZero() && time.Since(at) > sweepDays*24*time.Hour
		if swept && errors.Is(err, engine.ErrUnreachable) {
			return nil
		}
		return err
	}
	switch word := strings.TrimSpace(string(a.Out)); word {
	case "ok", "taken":
		return nil
	default:
		return errors.New("its directory on the host cannot be deleted: " + word)
	}
}

// dirAndName returns the directory of job directories, and the name of the job's directory in it.
func dirAndName(dir string) (base, name string) { return path.Dir(dir), path.Base(dir) }

// remoteID is the name of the job's directory on its host.
func remoteID(dir string) string { return path.Base(dir) }

// byBase sorts records by the directory that holds their directories.
func (b *Backend) byBase(rs []engine.Record, base string) map[string][]engine.Record {
	return grouped(rs, func(r *engine.Record) string {
		if dir := b.HostDir(*r); !strings.HasPrefix(dir, "~") {
			return path.Dir(dir)
		}
		return base
	})
}

// grouped groups records by the key that of returns. Usually all records share one key, and records
// are large.
func grouped(rs []engine.Record, of func(*engine.Record) string) map[string][]engine.Record {
	m := map[string][]engine.Record{}
	for i := range rs {
		key := of(&rs[i])
		if m[key] == nil {
			m[key] = make([]engine.Record, 0, len(rs)-i)
		}
		m[key] = append(m[key], rs[i])
	}
	return m
}

func ids(b *Backend, rs []engine.Record) []string {
	var ids []string
	for _, r := range rs {
		ids = append(ids, remoteID(b.HostDir(r)))
	}
	slices.Sort(ids)
	return ids
}
