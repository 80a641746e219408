// Package config reads typed settings from ~/.config/hob/config.toml and the
// environment. No other package reads TOML.
//
// [Load] reads only the file, once. It always returns valid settings: an unknown name, an
// invalid value or a key bound twice becomes a [Problem] with file and line, or with the
// variable, and that setting keeps its previous value. The caller decides whether a problem
// is fatal.
//
// The environment overrides the file, which overrides the defaults. [Config.WriteTOML]
// prints every value and its origin.
//
// A Config is not changed after Load and safe for concurrent use.
package config

import (
	"time"

	"github.com/hobjobs/hob/internal/notifyevent"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
)

// Config has the values of all settings.
type Config struct {
	// Path is the settings file. Found reports whether it exists.
	Path  string
	Found bool

	Run    Run
	Log    Log
	Keep   Keep
	Notify Notify
	Agent  Agent
	UI     UI
	Theme  Theme
	Hosts  map[string]Host  // the [hosts.NAME] tables, never nil
	Queues map[string]Queue // the [queue.NAME] tables, never nil

	// Problems are the mistakes in the file, in the order of its lines. These settings have
	// no effect. Warnings are the mistakes in the environment.
	Problems []Problem
	Warnings []Problem

	settings []*setting
	keys     keymap.Overrides
	keyLines map[string]int
}

// Run has the defaults for starting jobs.
type Run struct {
	AfterBackground string        `default:"panes" of:"panes shell" doc:"what to show when a job goes to the background: the panes or the shell"`
	Size            Size          `default:"120x40" doc:"terminal size when there is no terminal to copy it from"`
	Grace           time.Duration `default:"5s" in:"0s 1h" doc:"time between SIGTERM and SIGKILL"`
	Timeout         time.Duration `default:"0s" in:"0s 365d" doc:"kill jobs after this long; 0s: never"`
}

// Size is a terminal's size in cells.
type Size struct{ Cols, Rows int }

// Log has the maximum size of logs, in bytes, and the initial options of the log view.
type Log struct {
	Limit       int64 `default:"1GiB" in:"2MiB" doc:"maximum size of one log; beyond it, older output is dropped"`
	Follow      bool  `default:"true" doc:"follow the output of a running job"`
	Wrap        bool  `doc:"wrap long lines"`
	Timestamps  bool  `doc:"show the time of each line"`
	LineNumbers bool  `doc:"show line numbers"`
}

// Keep limits which finished jobs are kept.
type Keep struct {
	Finished time.Duration `default:"7d" in:"1m 3650d" doc:"how long to keep finished jobs"`
	Jobs     int           `default:"500" in:"1 1000000" doc:"maximum number of finished jobs"`
	Bytes    int64         `default:"10GiB" in:"1MiB" doc:"disk space for finished jobs"`
}

// Notify selects the notifications. The holder runs the command, with the job's name and
// status as further arguments, if no UI shows the job; nil: none.
type Notify struct {
	Command []string `doc:"command to run at the events below while no UI shows the job"`
	// Events are those that run Command.
	Events   []notifyevent.Event `doc:"events that run the command"`
	Waiting  Means               `default:"bell osc title" doc:"notifications when a job needs input"`
	Failed   Means               `default:"bell osc title" doc:"notifications when a job fails"`
	Finished Means               `default:"bell osc title" doc:"notifications when a job succeeds"`

	ProgramStatus bool `default:"true" doc:"report to the terminal what jobs do, if it keeps such reports (OSC 7501)"`
}

// Means are the kinds of notification that a running UI sends.
type Means struct {
	Bell  bool
	OSC   bool // desktop notification, OSC 99, 9 or 777
	Title bool // the terminal's title
}

// Agent has the defaults of the arguments of the MCP tools.
type Agent struct {
	Yield          time.Duration `name:"yield_ms" unit:"ms" default:"20000" in:"10 120000" zero:"yes" env:"HOB_YIELD_MS PI_BASH_YIELD_MS" doc:"move an agent's command to the background after this many milliseconds; 0: at once"`
	Timeout        time.Duration `name:"timeout_sec" unit:"s" default:"1800" in:"0 31536000" env:"HOB_TIMEOUT_SEC" doc:"kill an agent's command after this many seconds; 0: never"`
	TTL            time.Duration `name:"ttl_ms" unit:"ms" default:"604800000" in:"60000 315360000000" env:"HOB_JOB_TTL_MS PI_BASH_JOB_TTL_MS" doc:"how long to keep an agent's finished jobs, in milliseconds"`
	MaxOutputChars int           `default:"200000" in:"1000 200000" env:"HOB_MAX_OUTPUT_CHARS PI_BASH_MAX_OUTPUT_CHARS" doc:"maximum number of characters in one result"`
	Aliases        bool          `doc:"also offer the tools bash_output, bash_background_list and bash_background_terminate"`
}

// UI has the options of the panes.
type UI struct {
	ASCII         bool   `name:"ascii" doc:"use ASCII characters only"`
	ReducedMotion bool   `doc:"no animation: minutes instead of seconds, no traces, no spinners"`
	Mouse         bool   `default:"true" doc:"capture the mouse: wheel, clicks, selection"`
	Pager         string `doc:"command that shows a log; empty: $PAGER, else less"`
	Editor        string `doc:"command that edits a file; empty: $VISUAL, else $EDITOR, else vi"`
}

// Theme selects the colors. Tokens has the styles of single tokens, all of them valid.
type Theme struct {
	Name   string `default:"terminal" doc:"color theme"`
	Mode   string `default:"auto" of:"auto dark light" doc:"background of the terminal; auto: query the terminal"`
	Tokens map[string]string
}

// Host has hob's own settings for one host. All others are in ssh_config.
type Host struct {
	Transport      string        `default:"auto" of:"auto native openssh" doc:"native: never run the ssh program; openssh: always; auto: if needed"`
	StateDir       string        `doc:"directory of the jobs on the host; empty: HOB_STATE_DIR or the default"`
	ConnectTimeout time.Duration `default:"10s" in:"1s 10m" doc:"time limit for connecting"`
	Holder         string        `default:"ask" of:"ask auto never" doc:"hob-holder on the host for new jobs; ask: used if it is installed; auto: also installed at the first start; never: not used"`
	Sbatch         []string      `doc:"options of sbatch for jobs on slurm:NAME"`
}

// Queue has the settings of one queue.
type Queue struct {
	Slots int `default:"1" in:"1 10000" doc:"how many of the queue's jobs may run at once"`
}

// Host returns the settings of a host: its own, or the defaults.
func (c *Config) Host(name string) Host {
	if h, ok := c.Hosts[name]; ok {
		return h
	}
	return defaultHost()
}

// Keymap returns the bindings with the file's [keys] applied.
func (c *Config) Keymap() keymap.Map {
	m, _ := keymap.Default().Apply(c.keys) // errors are already in Problems
	return m
}

// BuildTheme returns the configured theme. isDark describes the terminal's background; the
// setting theme.mode overrides it.
func (c *Config) BuildTheme(isDark bool) themes.Theme {
	switch c.Theme.Mode {
	case "dark":
		isDark = true
	case "light":
		isDark = false
	}
	t, err := themes.Named(c.Theme.Name, isDark)
	if err != nil {
		t = themes.Default(isDark)
	}
	if t.Name == "none" {
		return t // NO_COLOR applies to single tokens too
	}
	t, _ = t.Override(c.Theme.Tokens) // Tokens holds only valid ones
	return t
}

// Glyphs returns the glyphs that ui.ascii selects.
func (c *Config) Glyphs() themes.Glyphs {
	if c.UI.ASCII {
		return themes.ASCII()
	}
	return themes.Unicode()
}
