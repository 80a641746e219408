package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh"
	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/internal/hostname"
)

const (
	// hostTimeout limits how long a command waits for hosts that the user named.
	hostTimeout = 5 * time.Second
	// agentHostTimeout limits how long an agent's requests wait for hosts.
	agentHostTimeout = 1500 * time.Millisecond
)

// openHosts returns the backend for jobs on hosts. A list shows the last known state of each
// job at once; only commands that connect to a host first get its current state. An agent
// cannot name hosts, so its requests contact all of them, for a short time.
func (a *app) openHosts() *ssh.Backend {
	opts := []ssh.Option{
		ssh.WithHostSettings(hostSettings(a.loaded)), ssh.WithLogger(a.logger()), ssh.WithWarnings(a.warnings.add),
		ssh.WithNotify(readNotify),
	}
	if dir, err := engine.DefaultStateDir(); err == nil {
		opts = append(opts, ssh.WithLinkRecords(dir))
	}
	switch {
	case a.noPrompt:
		opts = append(opts, ssh.WithPatience(agentHostTimeout))
	case a.client == "ui", a.onScreen: // later reports of a host update the screen
		opts = append(opts, ssh.WithoutDialing(), ssh.WithPrompts(a.prompter.prompts()))
	default:
		opts = append(opts, ssh.WithoutDialing(), ssh.WithPrompts(a.prompter.prompts()), ssh.WithPatience(hostTimeout))
	}
	return ssh.New(opts...)
}

// hostWarnings collects warnings to be printed when the command ends, because before that
// they would disturb the screen.
type hostWarnings struct {
	mu   sync.Mutex
	text []string
}

// add adds a warning unless it is already there.
func (w *hostWarnings) add(host, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if text = hostname.Prefix(host) + text; !slices.Contains(w.text, text) {
		w.text = append(w.text, text)
	}
}

// hostSettings returns a function that looks up the settings of a host. A host without
// settings uses ssh's configuration. The settings are read for the first connection,
// unless they are already loaded.
func hostSettings(loaded *config.Config) func(host string) ssh.HostSettings {
	load := sync.OnceValue(func() *config.Config {
		if loaded != nil {
			return loaded
		}
		return config.Load() // problems are reported only by commands that load the settings
	})
	return func(host string) ssh.HostSettings {
		c := load()
		h, ok := c.Hosts[host]
		if login, onCluster := strings.CutPrefix(host, "slurm:"); onCluster && !ok {
			h, ok = c.Hosts[login]
		}
		if !ok {
			return ssh.HostSettings{}
		}
		if h.ConnectTimeout == c.Host("").ConnectTimeout {
			h.ConnectTimeout = 0 // the default; ssh_config may have a value
		}
		return ssh.HostSettings{
			Transport:      h.Transport,
			StateDir:       h.StateDir,
			ConnectTimeout: h.ConnectTimeout,
			Holder:         h.Holder,
			Sbatch:         h.Sbatch,
		}
	}
}

// tryHosts connects to hosts concurrently, for at most hostTimeout and without prompting the
// user. The backend keeps the results.
func (a *app) tryHosts(ctx context.Context, hosts ...string) {
	ctx, cancel := context.WithTimeout(ssh.WithInteraction(ctx, false), hostTimeout)
	defer cancel()
	var work sync.WaitGroup
	for _, host := range hosts {
		work.Go(func() { _ = a.hosts.Connect(ctx, host) })
	}
	work.Wait()
}

// tryHost connects to one host, like tryHosts. It returns why the host cannot be reached.
func (a *app) tryHost(ctx context.Context, host string) error {
	soon, cancel := context.WithTimeout(ssh.WithInteraction(ctx, false), hostTimeout)
	defer cancel()
	if err := a.hosts.Connect(soon, host); errors.Is(err, engine.ErrUnreachable) {
		return err
	}
	return nil
}

// connectFor connects to the host of a job if that is necessary to reach it, so that the next
// operation on it is done at once and its result is known. It may prompt the user.
func (a *app) connectFor(ctx context.Context, j engine.Job) error {
	if !a.onOtherMachine(j) {
		return nil
	}
	return a.connectTo(ctx, j.Host)
}

// onOtherMachine reports whether j can only be reached through its host.
func (a *app) onOtherMachine(j engine.Job) bool {
	dir := filepath.Join(a.eng.StateDir(), "jobs", string(j.ID))
	return !ssh.RunsHere(engine.Record{
		ID:  j.ID,
		Dir: dir,
		Job: j,
	})
}

// connectTo connects to one host; "" is this machine.
func (a *app) connectTo(ctx context.Context, host string) error {
	if host == "" {
		return nil
	}
	return a.hosts.Connect(ctx, host)
}

// connectForUI connects to host. connected is false if it already was.
func (a *app) connectForUI(ctx context.Context, host string) (connected bool, err error) {
	for _, h := range a.hosts.Hosts() {
		if h.Name == host && h.Link == engine.LinkOK {
			return false, nil
		}
	}
	return true, a.hosts.Connect(ctx, host)
}

// reporting wraps look, which reads the logs of job. On a terminal it reports why the job waits on its
// host, and when the host becomes unreachable or reachable again.
func (a *app) reporting(job engine.Job, look func(engine.Job) error) func(engine.Job) error {
	if job.Host == "" || !isTerminal(a.stderr) {
		return look
	}
	return a.news(look)
}

// news is reporting, on a terminal or not.
func (a *app) news(look func(engine.Job) error) func(engine.Job) error {
	var news hostNews
	return func(now engine.Job) error {
		err := look(now)
		for _, line := range news.of(now, err) {
			a.reportf("hob: %s", line)
		}
		return err
	}
}

// hostNews is what hob has reported to the user about a job on a host.
type hostNews struct {
	lost  bool   // the host is unreachable
	waits string // why the job waits
}

// of returns the lines that report what has changed since, for the job as it is now. err is that of reading
// its logs.
func (n *hostNews) of(j engine.Job, err error) (lines []string) {
	unread := errors.Is(err, engine.ErrUnreachable)
	lost := unread || j.Link == engine.LinkUnreachable
	switch {
	case lost && !n.lost:
		why := hostname.Prefix(j.Host) + j.LinkReason()
		if unread {
			why = err.Error()
		}
		lines = append(lines, escape(why)+"; "+meanwhile(&j))
	case n.lost && !lost && err == nil:
		lines = append(lines, "reconnected to "+escape(j.Host))
	}
	n.lost = lost
	if p := j.Pending; p != nil && !lost && p.Reason != n.waits {
		n.waits = p.Reason
		lines = append(lines, fmt.Sprintf("%s is queued: %s", j.ID, escape(j.WaitReason(time.Now()))))
	}
	return lines
}

// meanwhile returns what is known of a job while its host is unreachable.
func meanwhile(j *engine.Job) string {
	switch j.Status {
	case engine.Starting:
		return "whether " + string(j.ID) + " has started is known when the host is reachable"
	case engine.Queued:
		return string(j.ID) + " was queued when the host was last reachable"
	case engine.Running, engine.Stopping, engine.Exited, engine.Killed, engine.Failed, engine.Lost:
	}
	return string(j.ID) + " keeps running. Its output continues when the host is reachable"
}
