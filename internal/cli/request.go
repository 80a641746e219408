package cli

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/config"
)

// engineWith opens the engine with the limits of c, which count for jobs that
// are started and for what is kept of finished ones. On a terminal, where panes
// may come to be shown, it tells what running jobs use.
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

// absoluteDir is the directory that a job asked for in dir gets.
func absoluteDir(dir string) (string, error) {
	if dir == "" {
		return os.Getwd()
	}
	return filepath.Abs(dir)
}

// sameRequest reports whether j was asked to run what spec asks for.
func sameRequest(j engine.Job, spec engine.Spec) bool {
	return j.Host == spec.Host && j.Script == spec.Script && slices.Equal(j.Command, spec.Command)
}
