package config

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/hobjobs/hob/themes"
)

// defaults returns the settings as they are without file and environment.
func defaults() *Config {
	c := &Config{Theme: Theme{Tokens: map[string]string{}}, Hosts: map[string]Host{}}
	c.settings = table(c)
	return c
}

func defaultHost() Host {
	var h Host
	hostTable("", &h)
	return h
}

// table lists every setting of fixed name, bound to c, section by section, and
// gives each its default.
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

// hostTable lists the settings of one host, bound to h, and gives each its default.
func hostTable(name string, h *Host) []*setting {
	return settingsOf("hosts."+keyText(name)+".", h)
}

// Source says where a value came from.
type Source string

// The sources, in the order in which they give way.
const (
	FromDefault Source = "default"
	FromFile    Source = "file"
	FromEnv     Source = "environment"
)

// Origin is where the value of one setting came from.
type Origin struct {
	Source Source
	Line   int    // of the file
	Env    string // the variable
	file   string
}

func (o Origin) String() string {
	switch o.Source {
	case FromFile:
		return fmt.Sprintf("%s:%d", filepath.Base(o.file), o.Line)
	case FromEnv:
		return "$" + o.Env
	}
	return "default"
}

// Problem is one thing that is wrong with the file or the environment.
type Problem struct {
	File    string // empty: the environment
	Line    int    // 0: the file as a whole
	Name    string // the setting, action, token or variable; may be empty
	Message string
}

// Error begins with file and line as compilers do.
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
