package ui

import (
	"context"
	"os"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/replay"
)

// Option configures a Pane.
type Option func(*options)

type options struct {
	keys    keymap.Map
	theme   themes.Theme
	glyphs  themes.Glyphs
	clock   func() time.Time
	home    string // shown as "~"
	dir     string // the current directory; "": not known
	hosts   []string
	filter  engine.Filter
	within  engine.ID
	project *Project
	// rebooted is how many jobs ended with a reboot that has not been reported to the user.
	rebooted int
	// warning is what the user must know when the pane opens; "": nothing.
	warning string
	outer   []outerPrefix

	groupRestart func(ctx context.Context, labels map[string]string) ([]engine.Job, error)

	checkDir func(dir string) error // returns why a job cannot run in a directory of this machine
	connect  func(ctx context.Context, host string) (made bool, err error)

	log LogView

	header  bool
	calm    bool
	program bool
	replay  replay.Options // how recordings are played at first
	leave   Leave
}

func defaults() options {
	home, _ := os.UserHomeDir() // without it, paths are shown in full
	dir, _ := os.Getwd()        // without it, no other directory is offered for a new job
	return options{
		keys:   keymap.Default(),
		theme:  themes.Default(true),
		glyphs: themes.Unicode(),
		clock:  time.Now,
		home:   home,
		dir:    dir,

		checkDir: statDir,
	}
}

// WithKeys replaces the bindings (default: [keymap.Default]).
func WithKeys(m keymap.Map) Option { return func(o *options) { o.keys = m } }

// WithTheme replaces the theme (default: the terminal's own colors on dark).
func WithTheme(t themes.Theme) Option { return func(o *options) { o.theme = t } }

// WithGlyphs replaces the glyphs (default: [themes.Unicode]).
func WithGlyphs(g themes.Glyphs) Option { return func(o *options) { o.glyphs = g } }

// WithFilter shows only the jobs that f selects (default: all). A job that stops matching
// disappears from the pane. Jobs that are started in the pane get the labels and the creator
// of f, so that they are shown.
func WithFilter(f engine.Filter) Option { return func(o *options) { o.filter = f } }

// Project is a group of jobs and the file that describes them.
type Project struct {
	Name   string            // of the group
	Labels map[string]string // of its jobs
	File   string            // empty: none
	Order  []string          // names of the processes: values of the label "process", or else names of jobs
}

// WithProject makes the pane show only the jobs of a project until the user presses the key that shows all jobs.
// Until then, jobs that are started in the pane get the project's labels.
func WithProject(project Project) Option { return func(o *options) { o.project = &project } }

// WithGroupRestart sets which jobs are restarted on the row of a group, given its labels (default: the jobs behind the
// row). f is called from a goroutine of its own.
func WithGroupRestart(f func(ctx context.Context, labels map[string]string) ([]engine.Job, error)) Option {
	return func(o *options) { o.groupRestart = f }
}

// WithHosts adds hosts to suggest for new jobs.
func WithHosts(names ...string) Option { return func(o *options) { o.hosts = names } }

// WithOuterPrefix declares that a program around the host, such as tmux, keeps the first press of
// this key. Hints for the leave key then show two presses. Use one option for each such program.
func WithOuterPrefix(key, program string) Option {
	return func(o *options) { o.outer = append(o.outer, outerPrefix{key, program}) }
}

// outerPrefix is a key that a program around the host keeps.
type outerPrefix struct{ key, program string }

// LogView is the initial state of log views; keys change it.
type LogView struct {
	Stay        bool // do not follow running jobs
	Wrap        bool
	Timestamps  bool
	LineNumbers bool
}

// WithLogView sets how logs are shown at first (default: following, without line numbers,
// timestamps and wrapping).
func WithLogView(v LogView) Option { return func(o *options) { o.log = v } }

// WithHeader shows a line of counts and hosts above the panes.
func WithHeader(on bool) Option { return func(o *options) { o.header = on } }

// WithReducedMotion shows minutes instead of seconds, and no traces or spinners.
func WithReducedMotion(on bool) Option { return func(o *options) { o.calm = on } }

// WithProgram is for a pane that is all of its host, as in package program: the quit key quits,
// and the user may suspend the host ([SuspendMsg]) and release the mouse ([ToggleMouseMsg]).
func WithProgram() Option { return func(o *options) { o.program = true } }
