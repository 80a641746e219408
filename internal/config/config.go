// Package config turns ~/.config/hob/config.toml and the environment into typed
// settings. It is the only package that knows TOML.
//
// [Load] reads the file once, nothing else; a missing file costs one failed
// open. It always returns settings that can be used: whatever is wrong (an
// unknown name, a bad value, a key bound twice) becomes a [Problem] that names
// file and line, or the variable, and the value that would have held without it
// holds. Whether a problem is fatal is the caller's decision.
//
// Order: environment, then file, then default. [Config.Origin] tells which one
// a value came from, [Config.WriteTOML] prints them all.
//
// A Config is not changed after Load and safe for concurrent use.
package config

import (
	"time"

	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
)

// Config is every setting, with its defaults filled in.
type Config struct {
	// Path is the file that was looked for. Found tells whether it was there.
	Path  string
	Found bool

	Run    Run
	Log    Log
	Keep   Keep
	Notify Notify
	Agent  Agent
	UI     UI
	Theme  Theme
	Hosts  map[string]Host // the [hosts.NAME] tables, never nil

	// Problems are what is wrong with the file, in the order of its lines; none
	// of it is in effect. Warnings are the same for the environment.
	Problems []Problem
	Warnings []Problem

	settings []*setting
	keys     keymap.Overrides
	keyLines map[string]int
}

// Run is how jobs are started.
type Run struct {
	AfterBackground string        `default:"panes" of:"panes shell" doc:"where the key that backgrounds a job leads"`
	Size            Size          `default:"120x40" doc:"size of a job's terminal where the caller has none"`
	Grace           time.Duration `default:"5s" in:"0s 1h" doc:"from the polite signal to SIGKILL"`
	Timeout         time.Duration `default:"0s" in:"0s 365d" doc:"a job is killed after that long; 0s: never"`
}

// Size is a terminal's size in cells.
type Size struct{ Cols, Rows int }

// Log is the size of logs, in bytes, and how they are shown at first.
type Log struct {
	Limit       int64 `default:"1GiB" in:"2MiB" doc:"how large one log may grow before its oldest part is dropped"`
	Follow      bool  `default:"true" doc:"follow the output of a running job"`
	Wrap        bool  `doc:"wrap long lines"`
	Timestamps  bool  `doc:"show the time of each line"`
	LineNumbers bool  `doc:"show line numbers"`
}

// Keep is what remains of finished jobs.
type Keep struct {
	Finished time.Duration `default:"7d" in:"1m 3650d" doc:"how long a finished job is kept"`
	Jobs     int           `default:"500" in:"1 1000000" doc:"how many finished jobs are kept"`
	Bytes    int64         `default:"10GiB" in:"1MiB" doc:"how much room finished jobs may take together"`
}

// Notify is how hob asks for attention. The command is run by the holder when no
// UI does, with the job's name and result appended; nil: none.
type Notify struct {
	Command  []string `doc:"run at the end of a job that nobody watches"`
	Waiting  Means    `default:"bell osc title" doc:"how it asks for you when a job waits for input"`
	Failed   Means    `default:"bell osc title" doc:"the same when a job fails"`
	Finished Means    `default:"bell osc title" doc:"the same when a job ends well"`
}

// Means are the ways a running UI asks for attention.
type Means struct {
	Bell  bool
	OSC   bool // desktop notification, OSC 9 and 777
	Title bool // the terminal's title
}

// Agent is what the MCP tools use where a call says nothing.
type Agent struct {
	Yield          time.Duration `name:"yield_ms" unit:"ms" default:"20000" in:"10 120000" zero:"yes" env:"HOB_YIELD_MS PI_BASH_YIELD_MS" doc:"an agent's command goes to the background after that many milliseconds; 0: at once"`
	Timeout        time.Duration `name:"timeout_sec" unit:"s" default:"1800" in:"0 31536000" env:"HOB_TIMEOUT_SEC" doc:"an agent's command is killed after that many seconds; 0: never"`
	TTL            time.Duration `name:"ttl_ms" unit:"ms" default:"604800000" in:"60000 315360000000" env:"HOB_JOB_TTL_MS PI_BASH_JOB_TTL_MS" doc:"an agent's finished jobs are kept that many milliseconds"`
	MaxOutputChars int           `default:"200000" in:"1000 200000" env:"HOB_MAX_OUTPUT_CHARS PI_BASH_MAX_OUTPUT_CHARS" doc:"characters in one answer"`
	Aliases        bool          `doc:"offer bash_output, bash_background_list and bash_background_terminate too"`
}

// UI is about the panes.
type UI struct {
	ASCII         bool   `name:"ascii" doc:"no glyphs outside ASCII"`
	ReducedMotion bool   `doc:"minutes instead of seconds, no traces, no spinners"`
	Mouse         bool   `default:"true" doc:"take the mouse: wheel, click, selection"`
	Pager         string `doc:"empty: $PAGER, else less"`
	Editor        string `doc:"empty: $VISUAL, else $EDITOR, else vi"`
}

// Theme is which colours are used. Tokens are the looks of single tokens, all of
// them valid.
type Theme struct {
	Name   string `default:"terminal" doc:"the colours"`
	Mode   string `default:"auto" of:"auto dark light" doc:"what the terminal's background is: auto asks it"`
	Tokens map[string]string
}

// Host is what hob does differently for one host; everything else is said in
// ssh_config.
type Host struct {
	Transport      string        `default:"auto" of:"auto native openssh" doc:"native never runs the ssh program, openssh always, auto where it is needed"`
	StateDir       string        `doc:"where jobs are kept there; empty: HOB_STATE_DIR or the usual place"`
	ConnectTimeout time.Duration `default:"10s" in:"1s 10m" doc:"how long to wait for the connection"`
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
	m, _ := keymap.Default().Apply(c.keys) // what was refused is in Problems
	return m
}

// BuildTheme returns the theme that is asked for. isDark says what the
// terminal's background was found to be; the setting theme.mode overrides it.
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
		return t // single colours would break the promise of NO_COLOR
	}
	t, _ = t.Override(c.Theme.Tokens) // Tokens holds only valid ones
	return t
}

// Glyphs returns the glyphs that ui.ascii asks for.
func (c *Config) Glyphs() themes.Glyphs {
	if c.UI.ASCII {
		return themes.ASCII()
	}
	return themes.Unicode()
}
