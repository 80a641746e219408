// Package terminal shows a job's live screen and turns what a person types and
// clicks into the bytes that the job expects.
//
// The owner feeds it the chunks of a session ([Model.Feed]) and takes what was
// typed ([Model.TakeInput]) after every Update, in order; the component itself
// never calls anything that could block.
//
// A component belongs to the goroutine of its program's Update and View.
package terminal
