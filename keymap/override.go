package keymap

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Overrides are other keys for some actions. A name is an action's own
// ("leave"), then it holds in every section that has the action, or qualified
// ("log.search"), which wins. Keys replace the defaults; no keys disable.
type Overrides map[string][]string

// OverrideError is one override that was refused. Name is the override's, as
// given.
type OverrideError struct {
	Name string
	Err  error
}

func (e *OverrideError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *OverrideError) Unwrap() error { return e.Err }

// ErrUnknownAction is wrapped by the error for a name that no action has.
var ErrUnknownAction = errors.New("no such action")

// Apply returns m with the overrides. Those that are refused are left out and
// reported, as *[OverrideError] values joined in the order of their names; the
// others hold. It does not look for double bindings: see [Map.Conflicts].
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
				return fmt.Errorf("%q is typed as text there; use a chord such as ctrl+%s", k, "g")
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
	if near := Nearest(name, names); near != "" {
		return fmt.Errorf("%w; did you mean %q?", ErrUnknownAction, near)
	}
	return fmt.Errorf("%w; docs/keys.md lists them", ErrUnknownAction)
}

// typesText reports whether a section's keys share the keyboard with text: a
// letter bound there could never be typed.
func typesText(section string) bool {
	switch section {
	case "terminal", "edit", "input", "picker":
		return true
	}
	return false
}

// Nearest returns the name that is closest to a misspelt one, or "" if none is
// close: one slip in a word of three or four letters, two in one of five to seven,
// and so on. Those who read overrides from a file check its other names with it.
func Nearest(name string, names []string) string {
	best, found := (len(name)+1)/3+1, ""
	for _, n := range names {
		if d := distance(name, n); d < best {
			best, found = d, n
		}
	}
	return found
}

// distance counts the insertions, deletions, replacements and swaps of neighbours
// between a and b.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			replace := last[j]
			if a[i] != b[j] {
				replace++
			}
			row[j+1] = min(replace, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

// Conflict is a key that means two things in one place.
type Conflict struct {
	Key      string
	Actions  []string // qualified names, at least two
	Contexts []string // where they meet
}

func (c Conflict) String() string {
	return fmt.Sprintf("%s is bound to %s (in: %s)", Label(c.Key), strings.Join(c.Actions, " and "), strings.Join(c.Contexts, ", "))
}

// Conflicts returns every double binding within a context, in the order of the
// fields. Disabled bindings conflict with nothing.
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

// addConflict adds a context to a conflict that is known, else the conflict.
func addConflict(found []Conflict, k string, actions []string, context string) []Conflict {
	for i, c := range found {
		if c.Key == k && slices.Equal(c.Actions, actions) {
			found[i].Contexts = append(c.Contexts, context)
			return found
		}
	}
	return append(found, Conflict{Key: k, Actions: actions, Contexts: []string{context}})
}
