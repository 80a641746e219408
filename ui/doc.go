// Package ui is hob on the screen: a pane that any Bubble Tea program can embed
// ([Pane]), and the program around it ([App]).
//
// A pane shows all jobs of an engine, the detail of the selected one, and its
// log or its live terminal:
//
//	pane := ui.NewPane(eng)          // eng is an *engine.Engine
//	cmd := pane.Init()               // commands are run by the host
//	cmd = pane.SetSize(100, 30)
//	cmd = pane.Update(msg)           // every message of the host's Update
//	text := pane.View()              // exactly 100 by 30 cells
//	pane.Close()                     // jobs go on
//
// # Who does what
//
// The host owns the terminal. A pane never quits the program, copies, rings,
// opens files or takes the alternate screen; it sends [CopyMsg], [OpenMsg],
// [AttentionMsg], [LeaveMsg] and the others, and the host decides. [App] is such
// a host.
//
// # Rules inside
//
// Update is bookkeeping: no I/O, no engine calls, no clock but for clicks. What
// takes time is a command ([Pane.async]): it captures values and carries the pane's
// context, and what it returns runs in Update, where what is stale is dropped.
// Exactly one listener of the engine's facts is in flight. View draws one frame and
// keeps it until something that it shows has changed, since Bubble Tea asks for it
// after every message. There is no package state: several panes work in one
// program.
//
// All keys lead through actions (actions.go) to verbs (verbs.go); help, footer
// and palette are derived from the same bindings.
package ui
