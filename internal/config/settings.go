package config

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/hobjobs/hob/themes"
)

// defaults returns the default settings.
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
