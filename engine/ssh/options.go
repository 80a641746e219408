package ssh

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/ssh/internal/client"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
)

// Option configures a [Backend].
type Option func(*Backend)

// WithPrompts sets who is asked. Without it nothing is asked, and a host that
// needs an answer needs attention.
func WithPrompts(p Prompts) Option { return func(b *Backend) { b.prompts = p } }

// WithLogger sets where is reported what no caller can be told.
func WithLogger(l *slog.Logger) Option { return func(b *Backend) { b.log = l } }

// WithWarnings sets what is called with what a user should know of a host although nothing
// failed: at most once a start, from any goroutine.
func WithWarnings(f func(host, text string)) Option { return func(b *Backend) { b.warning = f } }

// WithPatience sets how long a look at jobs waits for hosts before it answers
// with what was last known. By default hosts that are not connected are not
// waited for at all, and those that are for a moment: what they say later reaches
// who watches jobs, and the next look.
func WithPatience(d time.Duration) Option { return func(b *Backend) { b.patience = d } }

// WithoutDialing has looks at jobs ask only hosts that are connected: those that
// [Backend.Connect] or another call that needs them has reached. A host that was never
// tried is left alone, and its jobs are as their records here describe them, so that a
// short list of all jobs costs no connection.
func WithoutDialing() Option { return func(b *Backend) { b.passive = true } }

// WithLinkReports has f called after each attempt to connect to a host: err is why that
// failed, nil that it did not. f is called in order for each host, and must not block.
func WithLinkReports(f func(host string, err error)) Option {
	return func(b *Backend) { b.reports = f }
}

// WithConfigFile reads the client's configuration from file instead of the
// user's and the system's, as ssh -F does.
func WithConfigFile(file string) Option { return func(b *Backend) { b.dialer.ConfigFile = file } }

// HostSettings are those of one host that are not in ssh's configuration. The
// zero value leaves everything to that.
type HostSettings struct {
	// Transport is "native" (this package's own connection, never the ssh program
	// nor its ControlMaster), "openssh" (always the ssh program), or empty or
	// "auto": whatever the configuration needs.
	Transport string
	// StateDir is where hob keeps its jobs there, instead of HOB_STATE_DIR or the
	// usual place; it may begin with ~/.
	StateDir string
	// ConnectTimeout bounds connecting; 0: ssh's configuration does, else 10 s.
	ConnectTimeout time.Duration
}

// WithHostSettings sets what is done differently for a host; f is called when it
// is connected to.
func WithHostSettings(f func(host string) HostSettings) Option {
	return func(b *Backend) {
		b.settings = f
		b.dialer.Settings = func(host string) client.Settings {
			s := f(host)
			if s.Transport == "auto" {
				s.Transport = ""
			}
			return client.Settings{Transport: s.Transport, ConnectTimeout: s.ConnectTimeout}
		}
	}
}

type interactionKey struct{}

// WithInteraction marks a context as that of a call that a person waits for, so
// that [Prompts] may be used on its behalf. false forbids it also where it is
// the rule.
func WithInteraction(ctx context.Context, allowed bool) context.Context {
	return context.WithValue(ctx, interactionKey{}, allowed)
}

// interactive reports whether ctx allows questions; usual is the rule where
// nothing was said.
func interactive(ctx context.Context, usual bool) bool {
	if allowed, ok := ctx.Value(interactionKey{}).(bool); ok {
		return allowed
	}
	return usual
}

// hello is what a host is asked first: what it is, and where jobs are kept there.
func (b *Backend) hello(host string) string {
	dir := b.settings(host).StateDir
	switch rest, inHome := strings.CutPrefix(dir, "~/"); {
	case dir == "":
		return recipe.Hello(b.machine)
	case inHome:
		return "HOB_STATE_DIR=${HOME-}/" + recipe.Quote(rest) + "\n" + recipe.Hello(b.machine)
	}
	return "HOB_STATE_DIR=" + recipe.Quote(dir) + "\n" + recipe.Hello(b.machine)
}

// Prompts is how a person is asked. Each function may be nil: then that question
// cannot be answered. They are called from goroutines of the backend, for one
// host one at a time, but for several hosts at once; host is the name that the
// user knows the host by, so that a question shows who asks. An error ends the
// attempt to connect; the context ends when the caller gives up.
type Prompts struct {
	// Passphrase asks for the passphrase of the key in file. again: the one
	// before was wrong.
	Passphrase func(ctx context.Context, host, file string, again bool) (string, error)
	// Password asks for user's password. again: the one before was wrong.
	Password func(ctx context.Context, host, user string, again bool) (string, error)
	// Questions asks what the server wants to know (keyboard-interactive).
	Questions func(ctx context.Context, host string, q Questions) ([]string, error)
	// HostKey asks whether the key of a host that is not known is to be trusted;
	// it is then added to known_hosts.
	HostKey func(ctx context.Context, host string, k HostKey) (bool, error)
	// Banner shows what the server says before somebody is authenticated. It
	// must not block.
	Banner func(host, text string)
}

// Questions is one round of questions of a server.
type Questions = client.Questions

// Question is one of them.
type Question = client.Question

// HostKey is the key that an unknown host shows.
type HostKey = client.HostKey
