// Package cli is the command line of hob: one file a verb, thin over package
// engine.
//
// Standard output carries data and nothing else; what hob reports about it goes to
// standard error. Failures are one line with what happened and one
// with what to do, or, with --json, one object on standard output. Whatever a
// job or a person put into a name, a title or a command is escaped before it
// reaches a terminal.
//
// The short verbs (list, prompt, status) are run by prompts and status lines
// many times a minute: they read job directories and load neither configuration
// nor UI.
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
	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/internal/logout"
)

// app is one invocation of hob.
type app struct {
	stdin, stdout, stderr *os.File

	// Set by the flags that all verbs have.
	json  bool
	color string // auto, always or never
	ascii bool

	client   string       // who starts and ends jobs
	shows    bool         // a person sees here what becomes of the jobs
	leaves   bool         // the job is left by itself, and not by a person
	quiet    bool         // nobody is there to be asked anything
	told     signalled    // the signal that had hob leave a job; 0: none
	hosts    *ssh.Backend // see openHosts
	asker    asker        // what hosts want to know of a person
	warnings hostWarnings
	eng      *engine.Engine // see open
	alone    func()         // lets others start what was asked for --once; may be nil
	loaded   *config.Config // see settings
	unsaid   error          // why help was not shown whole; see help
	diary    *slog.Logger   // see logger

	logout func() string // see logout.Advice
}

// Main runs hob with args, the first of which is the program's own name, and
// returns its exit code.
func Main(args []string) int {
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, color: "auto", client: "cli", logout: logout.Advice}
	words := args[min(1, len(args)):]
	root := a.newRoot()
	root.SetArgs(words)
	err := root.ExecuteContext(context.Background())
	if a.eng != nil {
		err = errors.Join(err, a.closeEngine(err))
	}
	err = errors.Join(err, a.unsaid)
	if err == nil {
		return 0
	}
	// A flag that could not be parsed hides those behind it.
	a.json = a.json || slices.Contains(ownFlags(root, words), "--json")
	return a.report(err)
}

// ownFlags are the words of the command line among which hob's own flags are: of
// run those before the command, without the values of flags.
func ownFlags(root *cobra.Command, words []string) []string {
	if len(words) == 0 || words[0] != "run" {
		return words
	}
	run, _, err := root.Find(words[:1])
	if err != nil {
		return nil
	}
	var own []string
	for i := 1; i < len(words); i++ {
		name, _, valued := strings.Cut(words[i], "=")
		if words[i] == "-" || words[i] == "--" || !strings.HasPrefix(words[i], "-") {
			break
		}
		own = append(own, words[i])
		flag := run.Flags().Lookup(strings.TrimPrefix(name, "--"))
		if !strings.HasPrefix(name, "--") { // of several letters the last may take a value
			flag = run.Flags().ShorthandLookup(name[len(name)-1:])
		}
		if !valued && flag != nil && flag.NoOptDefVal == "" {
			i++
		}
	}
	return own
}

// engine opens the state root for a verb that starts nothing.
func (a *app) engine() (*engine.Engine, error) { return a.open(local.New()) }

// open opens the state root once.
func (a *app) open(here *local.Backend, opts ...engine.Option) (*engine.Engine, error) {
	if a.eng != nil {
		return a.eng, nil
	}
	a.hosts = a.openHosts()
	opts = append(opts, engine.WithBackend(here), engine.WithBackend(a.hosts), engine.WithClient(a.client), engine.WithLogger(a.logger()))
	eng, err := engine.New(opts...)
	if err != nil {
		return nil, err
	}
	a.eng = eng
	return eng, nil
}

// engineWith opens the engine with the limits of c, which count for jobs that
// are started and for what is kept of finished ones. On a terminal, where panes
// may come to be shown, it reports what running jobs use.
func (a *app) engineWith(c *config.Config) (*engine.Engine, error) {
	here := []local.Option{local.WithNotify(notifyCommand(c))}
	if a.client == "ui" || a.shows {
		here = append(here, local.ForUser())
	}
	opts := []engine.Option{
		engine.WithLogLimit(c.Log.Limit),
		engine.WithRetention(engine.Retention{Age: c.Keep.Finished, Count: c.Keep.Jobs, Bytes: c.Keep.Bytes}),
	}
	if isTerminal(a.stdout) {
		opts = append(opts, engine.WithUsage(usageEvery))
	}
	return a.open(local.New(here...), opts...)
}

// notifyCommand is what a holder runs at the end of a job, for a shell.
func notifyCommand(c *config.Config) string {
	if len(c.Notify.Command) == 0 {
		return ""
	}
	return quoteWords(c.Notify.Command) + ` "$1" "$2"`
}

// closeEngine closes the engine; after an error its own complaint would only
// hide the cause.
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

// logVariable names the file to which is added what cannot be reported elsewhere: a record
// that cannot be written, a host that cannot be swept.
const logVariable = "HOB_LOG"

// logger is where hob reports to. The file is open until hob ends. Nothing of a
// job's output or environment ever gets there.
func (a *app) logger() *slog.Logger {
	if a.diary != nil {
		return a.diary
	}
	a.diary = slog.New(slog.DiscardHandler)
	path := os.Getenv(logVariable)
	if path == "" {
		return a.diary
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		a.reportf("%s: %v", logVariable, err)
		return a.diary
	}
	h := slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug})
	a.diary = slog.New(h).With("pid", os.Getpid(), "client", a.client)
	return a.diary
}
