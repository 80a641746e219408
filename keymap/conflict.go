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
	for _, context := range Contexts() {
		var keys []string
		users := map[string][]string{}
		for _, a := range m.In(context.Name) {
			if !a.Binding.Enabled() {
				continue
			}
			for _, k := range a.Binding.Keys() {
				if users[k] == nil {
					keys = append(keys, k)
				}
				users[k] = append(users[k], a.ID())
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
