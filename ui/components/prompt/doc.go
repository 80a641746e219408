// Package prompt asks for text: one line in the footer ([Line]) or a few fields
// in a box ([Form]).
//
// A line is edited with the keys of readline, remembers what was typed before,
// and offers the rest of an earlier entry as one types. Whether a text is taken
// or left is decided by who asked: a prompt only edits. It starts no programs
// and reads no clipboard; what is pasted arrives as a message.
package prompt
