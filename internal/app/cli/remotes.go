package cli

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh"
	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/internal/jobdir"
)

const (
	// patience is how long hosts that were asked for are waited for.
	patience = 5 * time.Second
	// glance is how long an agent's looks at jobs wait for hosts.
	glance = 1500 * time.Millisecond
)

// openHosts makes the backend of jobs on hosts. A list has the last known of each job at
// once; hosts are asked by those verbs that connect to them first. An agent cannot name
// the hosts, so that its looks ask all, for a short time.
func (a *app) openHosts() *ssh.Backend {
	opts := []ssh.Option{
		ssh.WithHostSettings(hostSettings(a.loaded)), ssh.WithLogger(a.logger()),
		ssh.WithLinkReports(a.noteLink), ssh.WithWarnings(a.warnings.add),
	}
	switch {
	case a.quiet:
		opts = append(opts, ssh.WithPatience(glance))
	case a.client == "ui" || a.shows: // what a host reports later is drawn then
		opts = append(opts, ssh.WithoutDialing(), ssh.WithPrompts(a.asker.prompts()))
	default:
		opts = append(opts, ssh.WithoutDialing(), ssh.WithPrompts(a.asker.prompts()), ssh.WithPatience(patience))
	}
	return ssh.New(opts...)
}

// hostWarnings are printed when the command ends, so that they do not disturb the screen.
type hostWarnings struct {
	mu   sync.Mutex
	text []string
}

// add keeps a warning, once.
func (w *hostWarnings) add(host, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if text = host + ": " + text; !slices.Contains(w.text, text) {
		w.text = append(w.text, text)
	}
}

// hostSettings returns what the settings have about a host; a host without any is left to
// ssh's configuration. They are read when the first host is connected to, unless loaded
// has them.
func hostSettings(loaded *config.Config) func(host string) ssh.HostSettings {
	load := sync.OnceValue(func() *config.Config {
		if loaded != nil {
			return loaded
		}
		return config.Load() // a verb that reports problems has loaded them
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

// noteLink keeps for other programs whether host could be reached.
func (a *app) noteLink(host string, err error) {
	root, rootErr := engine.StateRoot()
	if rootErr != nil {
		return
	}
	reason := ""
	if err != nil {
		reason = err.Error()
	}
	if err := jobdir.NoteLink(root, host, reason); err != nil {
		a.logger().Debug("it cannot be noted whether a host answers", "host", host, "err", err)
	}
}

// tryHosts connects to hosts, all at once and for no longer than the patience, without
// asking the person anything. The backend knows which of them answered.
func (a *app) tryHosts(ctx context.Context, hosts ...string) {
	soon, cancel := context.WithTimeout(ssh.WithInteraction(ctx, false), patience)
	defer cancel()
	var work sync.WaitGroup
	for _, host := range hosts {
		work.Go(func() { _ = a.hosts.Connect(soon, host) })
	}
	work.Wait()
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
	if !a.onOtherMachine(j) {
		return nil
	}
	return a.connectTo(ctx, j.Host)
}

// onOtherMachine reports whether a host must be asked about j.
func (a *app) onOtherMachine(j engine.Job) bool {
	dir := filepath.Join(a.eng.StateDir(), "jobs", string(j.ID))
	return !ssh.RunsHere(engine.Record{ID: j.ID, Dir: dir, Job: j})
}

// connectTo connects to one host; "" is this machine.
func (a *app) connectTo(ctx context.Context, host string) error {
	if host == "" {
		return nil
	}
	return a.hosts.Connect(ctx, host)
}

// connectForUI connects to host; made is false if it was connected before.
func (a *app) connectForUI(ctx context.Context, host string) (made bool, err error) {
	for _, h := range a.hosts.Hosts() {
		if h.Name == host && h.Link == engine.LinkOK {
			return false, nil
		}
	}
	return true, a.hosts.Connect(ctx, host)
}
