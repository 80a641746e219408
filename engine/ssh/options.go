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

// WithPrompts sets how the user is prompted. Without it nothing is asked, and a host that needs an
// answer needs attention.
func WithPrompts(p Prompts) Option { return func(b *Backend) { b.prompts = p.forClient() } }

// WithLogger sets the logger for errors that cannot be returned to a caller.
func WithLogger(l *slog.Logger) Option { return func(b *Backend) { b.log = l } }

// WithWarnings sets the function that receives warnings about a host when nothing failed: it is
// called at most once per start, from any goroutine.
func WithWarnings(f func(host, text string)) Option { return func(b *Backend) { b.warning = f } }

// WithPatience sets how long a look at jobs waits for hosts before it returns the last known state.
// By default it does not wait for hosts that are not connected, and only briefly for those that
// are: later answers reach subscribers, and the next look.
func WithPatience(d time.Duration) Option { return func(b *Backend) { b.patience = d } }

// WithoutDialing limits requests for the state of jobs to hosts that are connected: those that
// [Backend.Connect] or another call that needs them has reached. The jobs of other hosts have the
// state in their records here, so that listing jobs makes no connection.
func WithoutDialing() Option { return func(b *Backend) { b.passive = true } }

// WithLinkRecords records in the state directory dir, after each attempt to connect to a host, why that
// failed. A program that makes no connection, as with [WithoutDialing], reads there that the host is
// unreachable.
func WithLinkRecords(dir string) Option { return func(b *Backend) { b.linkRecords = dir } }

// WithNotify makes the holders on hosts run the command for notifications that the settings there name. read gets
// the content of the host's settings file, and returns the command and the events, as local.WithNotify takes
// them; an empty command is none. The user is warned of its error, and the job starts. Without this option
// holders on hosts run no command.
func WithNotify(read func(settings []byte) (command string, events []string, err error)) Option {
	return func(b *Backend) { b.readNotify = read }
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
	// StateDir is where hob keeps its jobs on the host, instead of HOB_STATE_DIR or the default
	// directory; it may begin with ~/.
	StateDir string
	// ConnectTimeout bounds connecting, up to the first answer of the host's sh and without the time
	// that prompts are open; 0: ssh's configuration does, else 10 s.
	ConnectTimeout time.Duration
	// Holder says whether jobs on the host have hob-holder there: [HolderAsk] (the default),
	// [HolderAuto] or [HolderNever].
	Holder string
	// Sbatch are options for sbatch, of a cluster's login node.
	Sbatch []string
}

// WithHostSettings sets the settings of each host; f is called before a connection is made.
func WithHostSettings(f func(host string) HostSettings) Option {
	return func(b *Backend) {
		b.settings = f
		b.dialer.Settings = func(host string) client.Settings {
			s := f(host)
			return client.Settings{Transport: s.Transport, ConnectTimeout: s.ConnectTimeout}
		}
	}
}

type interactionKey struct{}

// WithInteraction specifies whether [Prompts] may be used on behalf of a call with that context,
// whatever the default of the call is.
func WithInteraction(ctx context.Context, allowed bool) context.Context {
	return context.WithValue(ctx, interactionKey{}, allowed)
}

// interactive reports whether ctx allows prompts; usual is the default if ctx does not specify it.
func interactive(ctx context.Context, usual bool) bool {
	if allowed, ok := ctx.Value(interactionKey{}).(bool); ok {
		return allowed
	}
	return usual
}

type deadlineKey struct{}

// WithHostDeadline limits how long calls with that context wait for hosts, all of them together: a host
// that has not answered at t is unreachable to them. Unlike after a deadline of the context itself, they
// still return what is known without the host.
func WithHostDeadline(ctx context.Context, t time.Time) context.Context {
	return context.WithValue(ctx, deadlineKey{}, t)
}

// forHost returns the context for waiting for a host on behalf of a call with ctx.
func forHost(ctx context.Context) (context.Context, context.CancelFunc) {
	t, ok := ctx.Value(deadlineKey{}).(time.Time)
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, t)
}

// waitError is the error of a call with ctx that has waited for host with the context waiting of forHost,
// which has ended.
func waitError(ctx, waiting context.Context, host string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if waiting.Err() != nil {
		return unreachable(host, errNoAnswer)
	}
	return nil
}

// hello is the first request to a host: its properties, and the directory of its jobs.
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
