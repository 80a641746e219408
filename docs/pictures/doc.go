//go:build unix

// Command pictures draws the pictures of README.md: it runs hob itself on a
// terminal of its own, in a home with a few made-up jobs, and writes what is on
// the screen as SVG. Every scene is what the program shows, so the pictures are
// made anew with
//
//	go generate ./docs/pictures
//
// Ids and times are those of the day; what must be seen in a scene is part of it
// and is waited for.
package main

//go:generate go run . -o .
