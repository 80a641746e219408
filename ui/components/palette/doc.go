// Package palette is a list that is narrowed by typing: every action by name,
// or a job to pick.
package palette
