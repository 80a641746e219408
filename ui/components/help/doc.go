// Package help is the page of all keys, by section, from the bindings as they
// are now.
package help
