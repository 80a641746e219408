package keymap

import (
	"fmt"
	"slices"
	"strings"
)

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
