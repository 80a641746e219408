package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/hobjobs/hob/internal/notifyevent"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/themes"
)

// Environ looks up an environment variable, like os.LookupEnv.
type Environ func(name string) (string, bool)

// Load reads the settings of this process: its environment and the file that
// [DefaultPath] names.
func Load() *Config {
	return LoadFrom(DefaultPath(os.LookupEnv), os.LookupEnv)
}

// LoadFrom reads the settings from a file, "" for none, and an environment.
func LoadFrom(path string, env Environ) *Config {
	c := defaults()
	c.Path = path
	c.readFile(env)
	c.readEnv(env)
	return c
}

// Parse reads the content of a settings file of another machine.
func Parse(text []byte) *Config {
	c := defaults()
	c.Path = "config.toml"
	c.parse(text)
	return c
}

// DefaultPath returns the path of the settings file: $HOB_CONFIG, else
// $XDG_CONFIG_HOME/hob/config.toml, else ~/.config/hob/config.toml. It is empty if
// the home directory is unknown.
func DefaultPath(env Environ) string {
	if p, _ := env("HOB_CONFIG"); p != "" {
		return p
	}
	// The XDG specification has relative paths ignored.
	if dir, _ := env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "hob", "config.toml")
	}
	home, _ := env("HOME")
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".config", "hob", "config.toml")
}

// maxFile limits the size of the settings file, in bytes.
const maxFile = 1 << 20

// readFile reads the settings file, if no other user decides what is in it: it has commands that hob
// runs.
func (c *Config) readFile(env Environ) {
	if c.Path == "" {
		return
	}
	err := plainfile.CheckPath(c.Path)
	if element, ok := errors.AsType[*plainfile.ElementError](err); ok {
		c.problem(0, "", fmt.Sprintf("these settings are not used: %v; correct this, or name a file of your own with HOB_CONFIG", element))
		return
	}
	data, err := plainfile.ReadLinked(c.Path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		if named, _ := env("HOB_CONFIG"); named == c.Path {
			c.problem(0, "", "no such file; correct or unset HOB_CONFIG")
		}
		return
	}
	if err != nil {
		c.problem(0, "", "cannot read settings: "+reason(err))
		return
	}
	c.parse(data)
	c.checkNotifyCommand()
	c.sortProblems()
}

func (c *Config) parse(data []byte) {
	c.Found = true
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // some Windows editors add it
	newReader(c, data).read()
	c.sortProblems()
}

func (c *Config) sortProblems() {
	slices.SortStableFunc(c.Problems, func(a, b Problem) int { return a.Line - b.Line })
}

// checkNotifyCommand drops a list of arguments whose command this machine does not have: each event would fail. What
// the shell makes of a string is not known before it runs.
func (c *Config) checkNotifyCommand() {
	if len(c.Notify.Command) == 0 {
		return
	}
	name := c.Notify.Command[0]
	message := ""
	if filepath.Base(name) != name && !filepath.IsAbs(name) {
		message = fmt.Sprintf("%q is no absolute path, and the command runs in /", name)
	} else if _, err := exec.LookPath(name); err != nil {
		message = fmt.Sprintf("there is no command %q", name)
	}
	if message == "" {
		return
	}
	s := find(c.settings, "notify.command")
	c.problem(s.line, s.name, message)
	c.Notify.Command, s.origin = nil, fromDefault
}

// reason returns the cause of a file error without the path, which is in the problem.
func reason(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err.Error()
	}
	return err.Error()
}

func (c *Config) problem(line int, name, message string) {
	c.Problems = append(c.Problems, Problem{
		File:    c.Path,
		Line:    line,
		Name:    name,
		Message: message,
	})
}

func (c *Config) readEnv(env Environ) {
	for _, s := range c.settings {
		for _, name := range s.env {
			value, _ := env(name)
			if value == "" {
				continue
			}
			if err := s.fromText(value); err != nil {
				c.Warnings = append(c.Warnings, Problem{
					Name: name, Message: fmt.Sprintf("%v; using %s = %s", err, s.name, s.toTOML()),
				})
			} else {
				s.origin = "$" + name
			}
			break // later names are only used if this one is not set
		}
	}
	if v, _ := env("NO_COLOR"); v != "" {
		c.Theme.Name = "none"
		find(c.settings, "theme.name").origin = "$NO_COLOR"
	}
}

func find(settings []*setting, name string) *setting {
	for _, s := range settings {
		if s.name == name {
			return s
		}
	}
	return nil
}

// names returns the names of a section's settings without the section.
func names(settings []*setting, section string) []string {
	var all []string
	for _, s := range settings {
		if rest, ok := strings.CutPrefix(s.name, section+"."); ok {
			all = append(all, rest)
		}
	}
	return all
}

func defaults() *Config {
	c := &Config{Theme: Theme{Tokens: map[string]string{}}, Hosts: map[string]Host{}, Queues: map[string]Queue{}}
	c.settings = table(c)
	return c
}

func defaultHost() Host {
	var h Host
	settingsOf("", &h)
	return h
}

// table returns all settings with a fixed name, section by section. They are bound to the
// fields of c, which it sets to their defaults.
func table(c *Config) []*setting {
	var all []*setting
	for f, v := range reflect.ValueOf(c).Elem().Fields() {
		if f.Type.Kind() == reflect.Struct {
			all = append(all, settingsOf(strings.ToLower(f.Name)+".", v.Addr().Interface())...)
		}
	}
	c.Notify.Events = notifyevent.Defaults()
	for _, s := range all {
		if s.name == "theme.name" {
			s.of = themes.Names()
			s.takes = s.values()
		}
	}
	return all
}

// fromFile is the origin of a value that the file sets in a line.
func (c *Config) fromFile(line int) string { return fmt.Sprintf("%s:%d", filepath.Base(c.Path), line) }

// Problem is one mistake in the file or the environment.
type Problem struct {
	File    string // empty: the environment
	Line    int    // 0: the file as a whole
	Name    string // the setting, action, token or variable; may be empty
	Message string
}

// Error returns the message, with file and line in front as in a compiler's errors.
func (p Problem) Error() string {
	s := p.Message
	if p.Name != "" {
		s = p.Name + ": " + s
	}
	switch {
	case p.File == "":
		return s
	case p.Line == 0:
		return p.File + ": " + s
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, s)
}
