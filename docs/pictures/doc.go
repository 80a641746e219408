// Package pictures draws the pictures of README.md and the pages in docs: its test runs hob
// itself on a terminal of its own, in a home directory with a few made-up jobs, and takes the
// screen as SVG. firstminute_test.go has the steps of the animation, scenes_test.go those of
// the stills. After a change of the screens, run
//
//	go test ./docs/pictures -update
//
// IDs and times differ in each run. Each step waits for the text that the picture has to
// show, so the frames and their order do not.
package pictures
