// Package cli is the command line of hob: one file for each command or for a few related ones,
// a thin layer over package engine.
//
// Standard output carries only data; messages go to standard error. An error is one line
// with the cause and one with a hint or, with --json, one object on standard output. Names,
// titles and commands are escaped before they are written to a terminal.
//
// Shell prompts and status lines run list, prompt and status many times a minute, so these
// commands load neither the configuration nor the UI.
package cli

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/engine/ssh"
	"github.com/hobjobs/hob/internal/app/project"
	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/internal/logout"
)

// app is one invocation of hob.
type app struct {
	args                  []string // without the program's name
	command               string   // the name of the command, such as "hosts check"
	stdin, stdout, stderr *os.File

	// Set by the flags of all commands.
	json  bool
	color string // auto, always or never
	ascii bool

	everywhere bool         // a name means jobs of all directories
	client     string       // recorded as the one that starts and stops jobs
	onScreen   bool         // jobs are shown on a terminal as they change
	detaches   bool         // the job goes to the background without a key press
	noPrompt   bool         // the user cannot be prompted
	leftBy     signalled    // the signal that made hob leave a job; 0: none
	hosts      *ssh.Backend // see openHosts
	prompter   prompter     // asks on behalf of hosts
	warnings   hostWarnings
	eng        *engine.Engine // see open
	unlock     func()         // releases the lock of --once; may be nil
	loaded     *config.Config // see settings
	helpErr    error          // of writing help; see help
	slog       *slog.Logger   // see logger

	logout func() string // see logout.Advice
}

// Main runs hob with the given arguments, of which the first is the program's name, and
// returns the exit code.
func Main(args []string) int {
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, color: "auto", client: "cli", logout: logout.Advice}
	args = args[min(1, len(args)):]
	a.args = args
	root := a.newRoot()
	root.SetArgs(args)
	ctx := engine.WithLockNotice(context.Background(), func(text string) { a.reportf("%s", escape(text)) })
	err := checkFileLimit()
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if a.eng != nil {
		err = errors.Join(err, a.closeEngine(err))
	}
	err = errors.Join(err, a.helpErr)
	if err == nil {
		return 0
	}
	// Flags after an invalid one have not been parsed.
	a.json = a.json || slices.Contains(ownFlags(root, args), "--json")
	return a.report(err)
}

// ownFlags returns the arguments that may be flags of hob itself. For run that excludes the
// job's command and the values of flags.
func ownFlags(root *cobra.Command, args []string) []string {
	if len(args) == 0 || args[0] != "run" {
		return args
	}
	run, _, err := root.Find(args[:1])
	if err != nil {
		return nil
	}
	var own []string
	for i := 1; i < len(args); i++ {
		name, _, valued := strings.Cut(args[i], "=")
		if args[i] == "-" || args[i] == "--" || !strings.HasPrefix(args[i], "-") {
			break
		}
		own = append(own, args[i])
		flag := run.Flags().Lookup(strings.TrimPrefix(name, "--"))
		if !strings.HasPrefix(name, "--") { // only the last of several letters can have a value
			flag = run.Flags().ShorthandLookup(name[len(name)-1:])
		}
		if !valued && flag != nil && flag.NoOptDefVal == "" {
			i++
		}
	}
	return own
}

// engine opens the engine for a command that starts no job.
func (a *app) engine() (*engine.Engine, error) { return a.open(local.New()) }

// open opens the engine on the first call and returns it on later ones.
func (a *app) open(here *local.Backend, opts ...engine.Option) (*engine.Engine, error) {
	if a.eng != nil {
		return a.eng, nil
	}
	a.hosts = a.openHosts()
	opts = append(opts,
		engine.WithBackend(here), engine.WithBackend(a.hosts), engine.WithClient(a.client), engine.WithLogger(a.logger()),
		engine.WithRenewal(project.Renew),
	)
	eng, err := engine.New(opts...)
	if err != nil {
		return nil, err
	}
	a.eng = eng
	return eng, nil
}

// engineWith opens the engine with the settings of c for starting jobs and keeping finished
// ones. If standard output is a terminal, it also measures the resources of running jobs.
func (a *app) engineWith(c *config.Config) (*engine.Engine, error) {
	here := []local.Option{notifyOption(c)}
	if a.client == "ui" || a.onScreen {
		here = append(here, local.ForUser())
	}
	slots := make(map[string]int, len(c.Queues))
	for name, q := range c.Queues {
		slots[name] = q.Slots
	}
	opts := []engine.Option{
		engine.WithLimits(engine.Limits{Log: c.Log.Limit, QueueSlots: slots}),
		engine.WithRetention(engine.Retention{Age: c.Keep.Finished, Count: c.Keep.Jobs, Bytes: c.Keep.Bytes}),
	}
	if isTerminal(a.stdout) {
		opts = append(opts, engine.WithUsage(usageEvery))
	}
	return a.open(local.New(here...), opts...)
}

// closeEngine closes the engine and prints the collected warnings. After an error it
// returns nil, because an error of closing would hide the cause.
func (a *app) closeEngine(cause error) error {
	err := a.eng.Close()
	for _, w := range a.warnings.text {
		a.reportf("%s %s", a.paintErr("hob:", styleWarn), w)
	}
	if cause != nil {
		return nil
	}
	return err
}

// logVariable is the environment variable with the path of the diagnostic log. It gets what
// is not reported elsewhere, such as a record that cannot be written.
const logVariable = "HOB_LOG"

// logger returns the diagnostic logger. Its file stays open until hob exits. Output and
// environment of jobs are never logged.
func (a *app) logger() *slog.Logger {
	if a.slog != nil {
		return a.slog
	}
	a.slog = slog.New(slog.DiscardHandler)
	path := os.Getenv(logVariable)
	if path == "" {
		return a.slog
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		a.reportf("%s: %v", logVariable, err)
		return a.slog
	}
	h := slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug})
	a.slog = slog.New(h).With("pid", os.Getpid(), "client", a.client)
	return a.slog
}
