// Package ui is hob's screen: a pane that any Bubble Tea program can embed ([Pane]), and a program
// around it ([App]).
//
// A pane shows the jobs of an engine, the detail of the selected one, and its log or its live
// terminal:
//
//	pane := ui.NewPane(eng)          // eng is an *engine.Engine
//	cmd := pane.Init()               // the host runs all commands
//	cmd = pane.SetSize(100, 30)
//	cmd = pane.Update(msg)           // every message of the host's Update
//	text := pane.View()              // exactly 100 by 30 cells
//	pane.Close()                     // jobs keep running
//
// # Responsibilities
//
// The host owns the terminal. A pane never quits the program, copies, rings the bell, opens files or
// uses the alternate screen. It sends [CopyMsg], [OpenMsg], [AttentionMsg], [LeaveMsg] and others,
// and the host decides. [App] is such a host.
//
// # Internal rules
//
// Update only changes state: no I/O, no engine calls, and no clock except for clicks. Slow work is
// done in commands ([Pane.async]): a command captures values and carries the pane's context; its
// result is handled in Update, and dropped if it is outdated. Exactly one command waits for events
// of the engine. Bubble Tea calls View after every message, so it returns the last frame if the
// message was only output of a job that is not shown. There is no package state, so several panes work in one program.
//
// All keys are bound to actions (actions.go); those on jobs are in jobactions.go. Help, footer and
// palette use the same bindings.
package ui
