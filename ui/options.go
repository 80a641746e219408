package ui

import (
	"context"
	"os"
	"time"

	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
)

// Option tunes a pane.
type Option func(*options)

type options struct {
	keys   keymap.Map
	theme  themes.Theme
	glyphs themes.Glyphs
	clock  func() time.Time
	home   string
	hosts  []string
	prefix string

	connect func(ctx context.Context, host string) (made bool, err error)

	log LogView

	header  bool
	calm    bool
	program bool
	toShell bool // the key that leaves the foreground job leads away from the panes
}

func defaults() options {
	home, _ := os.UserHomeDir() // without one, paths are shown in full
	return options{
		keys:   keymap.Default(),
		theme:  themes.Default(true),
		glyphs: themes.Unicode(),
		clock:  time.Now,
		home:   home,
	}
}

// WithKeys replaces the bindings (default: [keymap.Default]).
func WithKeys(m keymap.Map) Option { return func(o *options) { o.keys = m } }

// WithTheme replaces the theme (default: the terminal's own colours on dark).
func WithTheme(t themes.Theme) Option { return func(o *options) { o.theme = t } }

// WithGlyphs replaces the signs (default: [themes.Unicode]).
func WithGlyphs(g themes.Glyphs) Option { return func(o *options) { o.glyphs = g } }

// WithClock replaces time.Now.
func WithClock(now func() time.Time) Option { return func(o *options) { o.clock = now } }

// WithHome is the directory that paths show as "~" (default: the user's own).
func WithHome(dir string) Option { return func(o *options) { o.home = dir } }

// WithHosts names hosts that are offered when a job is started.
func WithHosts(names ...string) Option { return func(o *options) { o.hosts = names } }

// WithOuterPrefix says that a program around the host, such as tmux, takes this
// key for itself; the hint for the leave key then says to press it twice.
func WithOuterPrefix(key string) Option { return func(o *options) { o.prefix = key } }

// LogView is how a log is shown at first; keys change it.
type LogView struct {
	Stay        bool // do not follow the output of a running job
	Wrap        bool
	Timestamps  bool
	LineNumbers bool
}

// WithLogView says how logs are shown at first (default: following, plain).
func WithLogView(v LogView) Option { return func(o *options) { o.log = v } }

// WithHeader shows a line of counts and hosts above the panes.
func WithHeader(on bool) Option { return func(o *options) { o.header = on } }

// WithReducedMotion shows minutes instead of seconds, no traces, no spinners.
func WithReducedMotion(on bool) Option { return func(o *options) { o.calm = on } }

// withProgram offers what only a program of its own can do: suspending and
// giving the mouse back.
func withProgram() Option { return func(o *options) { o.program = true } }
