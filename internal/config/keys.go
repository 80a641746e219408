package config

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/hobjobs/hob/keymap"
)

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
