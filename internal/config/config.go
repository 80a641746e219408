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
	AfterBackground string // "panes" or "shell"
	Size            Size   // of a job's terminal where the caller has none
	Grace           time.Duration
	Timeout         time.Duration // 0: none
}

// Size is a terminal's size in cells.
type Size struct{ Cols, Rows int }

// Log is the size of logs and how they are shown at first.
type Log struct {
	Limit       int64 // bytes
	Follow      bool
	Wrap        bool
	Timestamps  bool
	LineNumbers bool
}

// Keep is what remains of finished jobs.
type Keep struct {
	Finished time.Duration
	Jobs     int
	Bytes    int64
}

// Notify is how hob asks for attention.
type Notify struct {
	// Command is run by the holder when no UI does, with the job's name and
	// result appended; nil: none.
	Command  []string
	Waiting  Means
	Failed   Means
	Finished Means
}

// Means are the ways a running UI asks for attention.
type Means struct {
	Bell  bool
	OSC   bool // desktop notification, OSC 9 and 777
	Title bool // the terminal's title
}

// Agent is what the MCP tools use where a call says nothing.
type Agent struct {
	Yield          time.Duration // 0: to the background at once
	Timeout        time.Duration // 0: none
	TTL            time.Duration
	MaxOutputChars int
	Aliases        bool
}

// UI is about the panes.
type UI struct {
	ASCII         bool
	ReducedMotion bool
	Mouse         bool
	Pager         string // empty: $PAGER, else less
	Editor        string // empty: $VISUAL, else $EDITOR, else vi
}

// Theme is which colours are used.
type Theme struct {
	Name   string
	Mode   string            // "auto", "dark" or "light": what the background is
	Tokens map[string]string // looks of single tokens, all of them valid
}

// Host is what hob does differently for one host; everything else is said in
// ssh_config.
type Host struct {
	Transport      string // "auto", "native" or "openssh"
	StateDir       string // empty: as hob would choose it there
	ConnectTimeout time.Duration
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
