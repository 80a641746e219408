package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
)

// reader brings one document into a Config.
//
// Names are checked against the table of settings and not by the decoder's
// strict mode, because a name that is unknown deserves the nearest one that is
// known, and keys, tokens and hosts are names of ours, not fields.
type reader struct {
	c     *Config
	data  []byte
	lines lineIndex
}

func newReader(c *Config, data []byte) *reader { return &reader{c: c, data: data} }

func (r *reader) read() {
	var tree map[string]any
	if err := toml.Unmarshal(r.data, &tree); err != nil {
		line := 0
		if de, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ = de.Position()
		}
		r.c.problem(line, "", strings.TrimPrefix(err.Error(), "toml: "))
		return
	}
	r.lines = indexLines(r.data)
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		section, ok := tree[name].(map[string]any)
		if !slices.Contains(sections(), name) {
			r.unknownTop(name, ok)
			continue
		}
		if !ok {
			r.c.problem(r.lines.of(name), name, fmt.Sprintf("is a section, write [%s], not %s = …", name, name))
			continue
		}
		switch name {
		case "keys":
			r.keys(section)
		case "theme":
			r.theme(section)
		case "hosts":
			r.hosts(section)
		default:
			r.section(name, section, nil)
		}
	}
}

// sections are the tables of the file in the order in which they are printed.
func sections() []string {
	return []string{"run", "log", "keep", "notify", "agent", "ui", "theme", "hosts", "keys"}
}

func (r *reader) unknownTop(name string, isTable bool) {
	message := "no such section; there are " + strings.Join(sections(), ", ")
	if near := keymap.Nearest(name, sections()); near != "" {
		message = fmt.Sprintf("no such section; did you mean [%s]?", near)
	}
	if !isTable {
		for _, s := range r.c.settings {
			if strings.HasSuffix(s.name, "."+name) {
				section, _, _ := strings.Cut(s.name, ".")
				message = fmt.Sprintf("stands outside of a section; write it below [%s]", section)
			}
		}
	}
	r.c.problem(r.lines.of(name), name, message)
}

// section reads a table whose names are settings. other takes the names that
// are not, and returns false for those it does not know either.
func (r *reader) section(section string, values map[string]any, other func(name string, v any, line int) bool) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		line := r.lines.of(section, name)
		if s := r.c.setting(section + "." + name); s != nil {
			r.set(s, values[name], line)
			continue
		}
		if other == nil || !other(name, values[name], line) {
			r.unknown(section+"."+name, name, names(r.c.settings, section), line)
		}
	}
}

func (r *reader) set(s *setting, v any, line int) {
	if err := s.fromTOML(v); err != nil {
		r.c.problem(line, s.name, err.Error())
		return
	}
	s.origin = Origin{Source: FromFile, Line: line, file: r.c.Path}
}

func (r *reader) unknown(full, name string, known []string, line int) {
	message := "no such setting; there are " + strings.Join(known, ", ")
	if near := keymap.Nearest(name, known); near != "" {
		message = fmt.Sprintf("no such setting; did you mean %q?", near)
	}
	r.c.problem(line, full, message)
}

func (r *reader) hosts(hosts map[string]any) {
	for _, host := range slices.Sorted(maps.Keys(hosts)) {
		line := r.lines.of("hosts", host)
		values, ok := hosts[host].(map[string]any)
		if !ok {
			r.c.problem(line, "hosts."+keyText(host), fmt.Sprintf("is a host, write [hosts.%s]", keyText(host)))
			continue
		}
		var h Host
		settings := hostTable(host, &h)
		prefix := "hosts." + keyText(host)
		for _, name := range slices.Sorted(maps.Keys(values)) {
			line := r.lines.of("hosts", host, name)
			at := slices.IndexFunc(settings, func(s *setting) bool { return s.name == prefix+"."+name })
			if at < 0 {
				r.unknown(prefix+"."+name, name, names(settings, prefix), line)
				continue
			}
			r.set(settings[at], values[name], line)
		}
		r.c.Hosts[host] = h
		r.c.settings = append(r.c.settings, settings...)
	}
}

func (r *reader) theme(values map[string]any) {
	known := append(names(r.c.settings, "theme"), themes.TokenNames()...)
	r.section("theme", values, func(name string, v any, line int) bool {
		if !slices.Contains(known, name) {
			r.unknown("theme."+name, name, known, line)
			return true
		}
		look, ok := v.(string)
		if !ok {
			r.c.problem(line, "theme."+name, "must be a string, not "+kind(v))
			return true
		}
		if _, err := themes.ParseToken(look); err != nil {
			r.c.problem(line, "theme."+name, err.Error())
			return true
		}
		r.c.Theme.Tokens[name] = look
		r.c.settings = append(r.c.settings, &setting{
			name: "theme." + name, value: &look, origin: Origin{Source: FromFile, Line: line, file: r.c.Path},
		})
		return true
	})
}

// lineIndex tells the line of every key and table of a document, by its path.
type lineIndex map[string]int

// pathSeparator cannot stand in a TOML key.
const pathSeparator = "\x00"

func (l lineIndex) of(path ...string) int { return l[strings.Join(path, pathSeparator)] }

// indexLines walks a document that is known to be valid.
func indexLines(data []byte) lineIndex {
	l := lineIndex{}
	var p unstable.Parser
	p.Reset(data)
	var section []string
	for p.NextExpression() {
		node := p.Expression()
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			section = l.add(&p, nil, node)
		case unstable.KeyValue:
			l.addValue(&p, section, node)
		}
	}
	return l
}

// add notes the line of each part of a node's key and returns the whole path.
func (l lineIndex) add(p *unstable.Parser, above []string, node *unstable.Node) []string {
	path := append([]string(nil), above...)
	for it := node.Key(); it.Next(); {
		part := it.Node()
		path = append(path, string(part.Data))
		joined := strings.Join(path, pathSeparator)
		if _, known := l[joined]; !known {
			l[joined] = p.Shape(part.Raw).Start.Line
		}
	}
	return path
}

func (l lineIndex) addValue(p *unstable.Parser, above []string, node *unstable.Node) {
	path := l.add(p, above, node)
	value := node.Value()
	if value.Kind != unstable.InlineTable {
		return
	}
	for it := value.Children(); it.Next(); {
		if it.Node().Kind == unstable.KeyValue {
			l.addValue(p, path, it.Node())
		}
	}
}
