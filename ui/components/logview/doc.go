// Package logview shows a job's output as lines, however large it is: it reads
// the window on the screen and a little around it, never the whole.
//
// The owner gives it a [Source] and tells it when the log has grown
// ([Model.Grown]). All reading happens in commands, so Update and View never
// wait for a disk or a network. Places in the log are byte offsets, so nothing
// shifts under the reader while the job goes on.
//
// Job output is drawn, never passed on: each line goes through an emulator of
// one row, and only its cells reach the screen.
//
// A component belongs to the goroutine of its program's Update and View.
package logview
