package keymap

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hobjobs/hob/internal/spelling"
)

// Overrides replace the default keys of actions. A bare name ("leave") applies to every
// section that has the action; a qualified one ("log.search") takes precedence. An empty
// list disables the action's keys.
type Overrides map[string][]string

// OverrideError is an invalid override. Name is as given.
type OverrideError struct {
	Name string
	Err  error
}

func (e *OverrideError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *OverrideError) Unwrap() error { return e.Err }

// ErrUnknownAction is wrapped by the error for a name that no action has.
var ErrUnknownAction = errors.New("unknown action")

// Apply returns m with the valid overrides. Its error joins an *[OverrideError] for each
// invalid one, in the order of names. It does not check for keys that are bound twice: see
// [Map.Conflicts].
func (m Map) Apply(o Overrides) (Map, error) {
	var refused []*OverrideError
	// Bare names first, so that qualified ones win.
	names := slices.SortedFunc(maps.Keys(o), func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "."), strings.Count(b, ".")), cmp.Compare(a, b))
	})
	fields := m.fields()
	for _, name := range names {
		if err := override(fields, name, o[name]); err != nil {
			refused = append(refused, &OverrideError{Name: name, Err: err})
		}
	}
	slices.SortStableFunc(refused, func(a, b *OverrideError) int {
		return cmp.Compare(a.Name, b.Name)
	})
	errs := make([]error, len(refused))
	for i, err := range refused {
		errs[i] = err
	}
	return m, errors.Join(errs...)
}

// override sets the keys of the fields with a name, or of none.
func override(fields []field, name string, spelled []string) error {
	var keys []string
	for _, s := range spelled {
		if s == "" {
			continue
		}
		k, err := ParseKey(s)
		if err != nil {
			return err
		}
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}

	var targets []field
	for _, f := range fields {
		if f.name == name || f.section+"."+f.name == name {
			targets = append(targets, f)
		}
	}
	if len(targets) == 0 {
		return unknownAction(fields, name)
	}
	for _, f := range targets {
		for _, k := range keys {
			if typesText(f.section) && printable(k) {
				return fmt.Errorf("%q would be typed as text; use a key combination such as ctrl+g", k)
			}
		}
	}
	for _, f := range targets {
		setKeys(f.binding, keys)
	}
	return nil
}

func unknownAction(fields []field, name string) error {
	var names []string
	for _, f := range fields {
		names = append(names, f.name, f.section+"."+f.name)
	}
	if near := spelling.Nearest(name, names); near != "" {
		return fmt.Errorf("%w; did you mean %q?", ErrUnknownAction, near)
	}
	return fmt.Errorf("%w; see docs/keys.md", ErrUnknownAction)
}

// typesText reports whether text is typed in a section, so that a letter bound there could
// not be typed.
func typesText(section string) bool {
	switch section {
	case "terminal", "edit", "input", "picker":
		return true
	}
	return false
}

// Conflict is a key that is bound to several actions in one context.
type Conflict struct {
	Key      string
	Actions  []string // qualified names, at least two
	Contexts []string // where they meet
}

// String returns the key and the actions that it is bound to.
func (c Conflict) String() string {
	return fmt.Sprintf("key %s is bound twice: %s (in: %s)", Label(c.Key), strings.Join(c.Actions, " and "), strings.Join(c.Contexts, ", "))
}

// Conflicts returns the keys that are bound twice in a context, in the order of the fields.
// Disabled bindings conflict with nothing.
func (m Map) Conflicts() []Conflict {
	var found []Conflict
	fields := m.fields()
	for _, context := range Contexts() {
		var keys []string
		users := map[string][]string{}
		for _, section := range context.Sections {
			for _, f := range fields {
				if f.section != section || !f.binding.Enabled() {
					continue
				}
				for _, k := range f.binding.Keys() {
					if users[k] == nil {
						keys = append(keys, k)
					}
					users[k] = append(users[k], f.section+"."+f.name)
				}
			}
		}
		for _, k := range keys {
			if len(users[k]) > 1 {
				found = addConflict(found, k, users[k], context.Name)
			}
		}
	}
	return found
}

// addConflict adds a conflict, or its context to the same conflict in another one.
func addConflict(found []Conflict, k string, actions []string, context string) []Conflict {
	for i, c := range found {
		if c.Key == k && slices.Equal(c.Actions, actions) {
			found[i].Contexts = append(c.Contexts, context)
			return found
		}
	}
	return append(found, Conflict{Key: k, Actions: actions, Contexts: []string{context}})
}
