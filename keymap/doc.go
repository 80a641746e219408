// Package keymap holds hob's key bindings as data: one struct a section, one
// field an action, the default keys and the words for help beside the field.
//
// A component takes its own section ([List], [Log] …) and compares key presses
// with [Match]. Help, the palette, the configuration and docs/keys.md walk the
// same fields through [Map.Actions], so that an action exists everywhere as
// soon as its field does:
//
//	keys := keymap.Default()
//	switch {
//	case keymap.Match(msg, keys.Panes.Stop):
//		// …
//	}
//
// An action's name is its field's name in kebab-case (ClearFinished is
// `clear-finished`); it is stable, because configuration files and scripts
// carry it. Several sections can be in play at once, [Contexts] says which;
// within one context a key means one thing ([Map.Conflicts]).
//
// A Map is a plain value: copying it copies the bindings, and nothing in this
// package keeps state. Concurrent use of a value that nobody changes is safe.
package keymap
