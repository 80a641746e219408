package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/hobjobs/hob/internal/spelling"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
)

// reader reads one document into a Config.
//
// It checks names against the table of settings instead of using the decoder's strict mode,
// so that an error can suggest the nearest name, and because keys, tokens and hosts are not
// fields of a struct.
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
			r.c.problem(r.lines.of(name), name, fmt.Sprintf("is a section; use [%s] instead of %s = …", name, name))
			continue
		}
		switch name {
		case "keys":
			r.keys(section)
		case "theme":
			r.theme(section)
		case "hosts":
			readNamed(r, "hosts", section, r.c.Hosts)
		case "queue":
			readNamed(r, "queue", section, r.c.Queues)
		default:
			r.table([]string{name}, r.c.settings, section, nil)
		}
	}
}

// sections returns the tables of the file in the order in which they are printed.
func sections() []string {
	return []string{"run", "log", "keep", "notify", "agent", "ui", "theme", "hosts", "queue", "keys"}
}

func (r *reader) unknownTop(name string, isTable bool) {
	message := "unknown section; valid sections are " + strings.Join(sections(), ", ")
	if near := spelling.Nearest(name, sections()); near != "" {
		message = fmt.Sprintf("unknown section; did you mean [%s]?", near)
	}
	if !isTable {
		for _, s := range r.c.settings {
			if strings.HasSuffix(s.name, "."+name) {
				section, _, _ := strings.Cut(s.name, ".")
				message = fmt.Sprintf("is outside of its section; move it below [%s]", section)
			}
		}
	}
	r.c.problem(r.lines.of(name), name, message)
}

// table reads the table at path, which has these settings. For other names it calls other, which
// returns false for unknown ones; nil: all others are unknown.
func (r *reader) table(path []string, settings []*setting, values map[string]any, other func(name string, v any, line int) bool) {
	prefix := path[0]
	for _, name := range path[1:] {
		prefix += "." + keyText(name)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		line := r.lines.of(append(slices.Clone(path), name)...)
		if s := find(settings, prefix+"."+name); s != nil {
			r.set(s, values[name], line)
		} else if other == nil || !other(name, values[name], line) {
			r.unknown(prefix+"."+name, name, names(settings, prefix), line)
		}
	}
}

func (r *reader) set(s *setting, v any, line int) {
	if err := s.fromTOML(v); err != nil {
		r.c.problem(line, s.name, err.Error())
		return
	}
	s.origin, s.line = r.c.fromFile(line), line
}

func (r *reader) unknown(full, name string, known []string, line int) {
	message := "unknown setting; valid names are " + strings.Join(known, ", ")
	if near := spelling.Nearest(name, known); near != "" {
		message = fmt.Sprintf("unknown setting; did you mean %q?", near)
	}
	r.c.problem(line, full, message)
}

// readNamed reads tables with names of the user's choice, such as [hosts.NAME], into the map.
func readNamed[T any](r *reader, section string, tables map[string]any, into map[string]T) {
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		line := r.lines.of(section, name)
		prefix := section + "." + keyText(name)
		values, ok := tables[name].(map[string]any)
		if !ok {
			r.c.problem(line, prefix, fmt.Sprintf("is a %s; use [%s]", strings.TrimSuffix(section, "s"), prefix))
			continue
		}
		var v T
		settings := settingsOf(prefix+".", &v)
		r.table([]string{section, name}, settings, values, nil)
		into[name] = v
		r.c.settings = append(r.c.settings, settings...)
	}
}

func (r *reader) theme(values map[string]any) {
	known := append(names(r.c.settings, "theme"), themes.TokenNames()...)
	r.table([]string{"theme"}, r.c.settings, values, func(name string, v any, line int) bool {
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
			name: "theme." + name, value: &look, origin: r.c.fromFile(line),
		})
		return true
	})
}

// lineIndex maps the path of every key and table of a document to its line.
type lineIndex map[string]int

// pathSeparator cannot occur in a TOML key.
const pathSeparator = "\x00"

func (l lineIndex) of(path ...string) int { return l[strings.Join(path, pathSeparator)] }

// indexLines returns the index of a valid document.
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

// add records the line of each part of a node's key and returns the full path.
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

// keys reads [keys]. An invalid override, or one that binds a key twice, becomes a problem
// and has no effect.
func (r *reader) keys(values map[string]any) {
	c := r.c
	c.keys, c.keyLines = keymap.Overrides{}, map[string]int{}
	r.flattenKeys(nil, values)

	base := keymap.Default()
	if _, err := base.Apply(c.keys); err != nil {
		for _, err := range unjoin(err) {
			oe, ok := errors.AsType[*keymap.OverrideError](err)
			if !ok {
				continue
			}
			c.problem(c.keyLines[oe.Name], "keys."+oe.Name, oe.Err.Error())
			delete(c.keys, oe.Name)
		}
	}
	// Dropping an override restores its default keys, which may conflict with another
	// override. Each round drops at least one.
	for range len(c.keys) {
		m, _ := base.Apply(c.keys)
		conflicts := m.Conflicts()
		if len(conflicts) == 0 {
			break
		}
		for _, conflict := range conflicts {
			r.dropConflict(conflict)
		}
	}
}

// flattenKeys reads `log.search = "/"` and [keys.log] alike.
func (r *reader) flattenKeys(above []string, values map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		path := append(slices.Clone(above), name)
		full := strings.Join(path, ".")
		line := r.lines.of(append([]string{"keys"}, path...)...)
		if nested, ok := values[name].(map[string]any); ok {
			r.flattenKeys(path, nested)
			continue
		}
		var keys []string
		if s, ok := values[name].(string); ok {
			if s != "" {
				keys = []string{s}
			}
		} else {
			list, err := stringList(values[name])
			if err != nil {
				r.c.problem(line, "keys."+full, "must be a string or a list of strings; \"\" disables the key")
				continue
			}
			keys = list
		}
		r.c.keys[full] = keys
		r.c.keyLines[full] = line
	}
}

// dropConflict reports a key that is bound twice, at the lines of the overrides that bind it,
// and removes these overrides.
func (r *reader) dropConflict(conflict keymap.Conflict) {
	c := r.c
	for _, name := range slices.Sorted(maps.Keys(c.keys)) {
		if !binds(c.keys[name], conflict.Key) {
			continue
		}
		for _, id := range conflict.Actions {
			_, bare, _ := strings.Cut(id, ".")
			if name != id && name != bare {
				continue
			}
			c.problem(c.keyLines[name], "keys."+name, conflict.String())
			delete(c.keys, name)
			break
		}
	}
}

func binds(spelled []string, k string) bool {
	return slices.ContainsFunc(spelled, func(s string) bool {
		parsed, err := keymap.ParseKey(s)
		return err == nil && parsed == k
	})
}

func unjoin(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

// keyOrigin returns where an action's keys were set.
func (c *Config) keyOrigin(a keymap.Action) string {
	for _, name := range []string{a.ID(), a.Name} {
		if _, ok := c.keys[name]; ok {
			return c.fromFile(c.keyLines[name])
		}
	}
	return fromDefault
}
