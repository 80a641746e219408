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

import "charm.land/bubbles/v2/key"

// Map is all of hob's bindings. The zero value binds nothing; begin with
// [Default]. A section is called like its field in lower case, unless an action
// has that name already: a configuration could not tell them apart. The title is
// for people, above the section's keys in help.
type Map struct {
	Panes    Panes    `title:"In every pane"`
	Jobs     Jobs     `title:"Jobs, in list and detail"`
	List     List     `title:"Moving"`
	Detail   Detail   `title:"Moving in the detail"`
	Log      Log      `title:"Log"`
	Terminal Terminal `title:"While a job has the keyboard"`
	Ended    Ended    `title:"When it has ended"`
	Dialog   Dialog   `title:"Questions and menus"`
	Edit     Edit     `title:"In a line of text"`
	Input    Input    `title:"Prompts"`
	Palette  Palette  `name:"picker" title:"Palette"`
	Help     Help     `name:"help-page" title:"This page"`
}

// The tags of a section's fields are its table: `keys` are the default keys
// separated by blanks (none: reached through the palette only), `help` is the
// word or two of the footer, `doc` the sentence of help, palette and docs.

// Panes works wherever one of the three panes (list, detail, log) has the
// focus.
type Panes struct {
	NextPane     key.Binding `keys:"tab" help:"next pane" doc:"go to the next pane"`
	PreviousPane key.Binding `keys:"shift+tab" help:"previous pane" doc:"go to the previous pane"`
	ShowList     key.Binding `keys:"1" help:"list" doc:"go to the job list"`
	ShowDetail   key.Binding `keys:"2" help:"detail" doc:"go to the detail of the selected job"`
	ShowLog      key.Binding `keys:"3" help:"log" doc:"go to the log of the selected job"`
	Zoom         key.Binding `keys:"z" help:"zoom" doc:"give the focused pane the whole window, or put the others back"`
	Back         key.Binding `keys:"esc" help:"back" doc:"go back one level; never quits, never ends a job"`
	Quit         key.Binding `keys:"q" help:"quit" doc:"go back, at the top leave hob; jobs keep running"`
	Interrupt    key.Binding `keys:"ctrl+c" help:"how to leave" doc:"say how to leave; twice leaves, jobs keep running"`
	Stop         key.Binding `keys:"x" help:"stop" doc:"stop politely: SIGTERM, after the grace time SIGKILL"`
	Kill         key.Binding `keys:"X" help:"kill" doc:"kill at once; asks if several jobs are marked"`
	Signal       key.Binding `keys:"K" help:"signal" doc:"choose a signal to send"`
	SendLine     key.Binding `keys:"i" help:"send line" doc:"type one line into the job"`
	CopyPath     key.Binding `keys:"Y" help:"copy path" doc:"copy the path of the output"`
	Pager        key.Binding `keys:"o" help:"pager" doc:"open the output in the pager"`
	Editor       key.Binding `keys:"E" help:"editor" doc:"open the output in $EDITOR"`
	Help         key.Binding `keys:"? f1" help:"help" doc:"show every key that works here"`
	Palette      key.Binding `keys:":" help:"palette" doc:"find an action by its name"`
	Suspend      key.Binding `keys:"ctrl+z" help:"suspend" doc:"suspend hob as a shell job; its jobs keep running"`
	ToggleMouse  key.Binding `keys:"M" help:"mouse" doc:"give the mouse back to the terminal, or take it again"`
}

// Jobs acts on the selected or marked jobs; it works in the list and in the
// detail. In the log its actions are reached through the palette.
type Jobs struct {
	Open          key.Binding `keys:"enter" help:"log" doc:"open the log"`
	Attach        key.Binding `keys:"a" help:"attach" doc:"give the keyboard to the job"`
	Tail          key.Binding `keys:"t f" help:"tail" doc:"open the log and follow it"`
	New           key.Binding `keys:"n" help:"new" doc:"start a job"`
	Restart       key.Binding `keys:"r" help:"restart" doc:"run the same request again as a new job"`
	EditRestart   key.Binding `keys:"e" help:"edit, restart" doc:"change the command, then run it as a new job"`
	Remove        key.Binding `keys:"d" help:"remove" doc:"kill if it runs, then clear; asks"`
	Clear         key.Binding `keys:"c" help:"clear" doc:"forget a finished job and its files"`
	ClearFinished key.Binding `keys:"C" help:"clear finished" doc:"forget all finished jobs and their files"`
	Undo          key.Binding `keys:"u" help:"undo" doc:"take the last clear back, for 5 seconds"`
	Filter        key.Binding `keys:"/" help:"filter" doc:"filter the list by name, command, host or status:, host:"`
	Mark          key.Binding `keys:"space" help:"mark" doc:"mark or unmark the row"`
	Sort          key.Binding `keys:"S" help:"sort" doc:"change the order of the list"`
	CopyCommand   key.Binding `keys:"y" help:"copy command" doc:"copy the command"`
}

// Move is the way around anything longer than its window.
type Move struct {
	Up           key.Binding `keys:"k up" help:"up" doc:"go up"`
	Down         key.Binding `keys:"j down" help:"down" doc:"go down"`
	Top          key.Binding `keys:"g home" help:"top" doc:"go to the top"`
	Bottom       key.Binding `keys:"G end" help:"bottom" doc:"go to the bottom"`
	HalfPageUp   key.Binding `keys:"ctrl+u" help:"half page up" doc:"go up half a page"`
	HalfPageDown key.Binding `keys:"ctrl+d" help:"half page down" doc:"go down half a page"`
	PageUp       key.Binding `keys:"pgup" help:"page up" doc:"go up a page"`
	PageDown     key.Binding `keys:"pgdown" help:"page down" doc:"go down a page"`
}

// List is the job list.
type List struct {
	Move
}

// Detail is the detail of the selected job.
type Detail struct {
	Move
}

// Log is the output of the selected job.
type Log struct {
	Move

	Left          key.Binding `keys:"h left" help:"left" doc:"scroll to the left"`
	Right         key.Binding `keys:"l right" help:"right" doc:"scroll to the right"`
	LineStart     key.Binding `keys:"0 shift+left" help:"line start" doc:"scroll to the start of the lines"`
	LineEnd       key.Binding `keys:"$ shift+right" help:"line end" doc:"scroll to the end of the lines"`
	Attach        key.Binding `keys:"enter a" help:"attach" doc:"give the keyboard to the job"`
	Jump          key.Binding `keys:"%" help:"percent" doc:"go to a place in the log: a percentage of it"`
	Follow        key.Binding `keys:"f t" help:"follow" doc:"follow the output, or stay here"`
	Search        key.Binding `keys:"/" help:"search" doc:"search the output; a search for nothing repeats the last one"`
	NextMatch     key.Binding `keys:"n" help:"next match" doc:"go to the next match"`
	PreviousMatch key.Binding `keys:"N" help:"previous match" doc:"go to the previous match"`
	MatchingOnly  key.Binding `keys:"&" help:"matching only" doc:"show matching lines only, or all"`
	Select        key.Binding `keys:"v" help:"select" doc:"begin or end a selection"`
	Copy          key.Binding `keys:"y" help:"copy" doc:"copy the line or the selection"`
	Wrap          key.Binding `keys:"w" help:"wrap" doc:"wrap long lines, or cut them"`
	Timestamps    key.Binding `keys:"T" help:"timestamps" doc:"show or hide the time of each line"`
	LineNumbers   key.Binding `keys:"# L" help:"line numbers" doc:"show or hide line numbers"`
}

// Terminal is a job that owns the keyboard: every other key is the job's.
type Terminal struct {
	Leave key.Binding `keys:"ctrl+b" help:"background" doc:"leave the job running and show the panes; twice types the key into the job"`
}

// Ended is a job that ended while it owned the keyboard: every other key is
// swallowed.
type Ended struct {
	LeaveEnded key.Binding `keys:"enter" help:"leave" doc:"leave the screen of the ended job"`
}

// Dialog is a question with a few answers, or a short menu.
type Dialog struct {
	NextChoice     key.Binding `keys:"tab right down l j" help:"next" doc:"go to the next answer"`
	PreviousChoice key.Binding `keys:"shift+tab left up h k" help:"previous" doc:"go to the previous answer"`
	Choose         key.Binding `keys:"enter space" help:"choose" doc:"take the answer that is marked"`
	Yes            key.Binding `keys:"y" help:"yes" doc:"answer yes"`
	No             key.Binding `keys:"n" help:"no" doc:"answer no"`
	Dismiss        key.Binding `keys:"esc q ctrl+c" help:"cancel" doc:"change nothing"`
}

// Edit is what works in any line of text: the keys of readline.
type Edit struct {
	CharForward        key.Binding `keys:"right ctrl+f" help:"right" doc:"go right"`
	CharBackward       key.Binding `keys:"left ctrl+b" help:"left" doc:"go left"`
	WordForward        key.Binding `keys:"ctrl+right alt+right alt+f" help:"word right" doc:"go right a word"`
	WordBackward       key.Binding `keys:"ctrl+left alt+left alt+b" help:"word left" doc:"go left a word"`
	TextStart          key.Binding `keys:"home ctrl+a" help:"start" doc:"go to the start of the text"`
	TextEnd            key.Binding `keys:"end ctrl+e" help:"end" doc:"go to the end of the text"`
	DeleteForward      key.Binding `keys:"delete ctrl+d" help:"delete" doc:"delete the character under the cursor"`
	DeleteBackward     key.Binding `keys:"backspace ctrl+h" help:"delete back" doc:"delete the character before the cursor"`
	DeleteWordForward  key.Binding `keys:"alt+d alt+delete ctrl+delete" help:"delete word" doc:"delete the word after the cursor"`
	DeleteWordBackward key.Binding `keys:"ctrl+w alt+backspace ctrl+backspace" help:"delete word back" doc:"delete the word before the cursor"`
	DeleteToEnd        key.Binding `keys:"ctrl+k" help:"delete to end" doc:"delete to the end of the text"`
	DeleteToStart      key.Binding `keys:"ctrl+u" help:"delete to start" doc:"delete to the start of the text"`
}

// Input is a prompt: filter, search, new command, a line for the job, a
// passphrase. Its text is edited with [Edit].
type Input struct {
	Accept        key.Binding `keys:"enter" help:"accept" doc:"take the text"`
	Cancel        key.Binding `keys:"esc ctrl+c" help:"cancel" doc:"leave the text"`
	Complete      key.Binding `keys:"tab" help:"complete" doc:"complete; with nothing to complete, go to the next field"`
	PreviousField key.Binding `keys:"shift+tab" help:"previous field" doc:"go to the previous field"`
	OlderEntry    key.Binding `keys:"up ctrl+p" help:"older" doc:"bring back what was typed before; in a field without such, go to the previous one"`
	NewerEntry    key.Binding `keys:"down ctrl+n" help:"newer" doc:"go forward to what was typed after; from the newest, to the next field"`
	ToggleRegex   key.Binding `keys:"ctrl+r" help:"regex" doc:"search for a regular expression, or for plain text"`
}

// Palette is a list that is narrowed by typing: the palette and the pickers.
// Its text is edited with [Edit].
type Palette struct {
	NextItem     key.Binding `keys:"down ctrl+n tab" help:"next" doc:"go to the next entry"`
	PreviousItem key.Binding `keys:"up ctrl+p shift+tab" help:"previous" doc:"go to the previous entry"`
	ItemPageDown key.Binding `keys:"pgdown" help:"page down" doc:"go down a page"`
	ItemPageUp   key.Binding `keys:"pgup" help:"page up" doc:"go up a page"`
	RunItem      key.Binding `keys:"enter" help:"choose" doc:"take the entry that is marked"`
	ClosePalette key.Binding `keys:"esc ctrl+c" help:"close" doc:"close and change nothing"`
}

// Help is the page of all keys.
type Help struct {
	Move

	FilterHelp key.Binding `keys:"/" help:"filter" doc:"filter the keys by name"`
	CloseHelp  key.Binding `keys:"esc q ? f1 ctrl+c" help:"close" doc:"close help"`
}

// Default returns hob's own bindings.
func Default() Map {
	var m Map
	for _, a := range m.fields() {
		*a.binding = key.NewBinding(key.WithHelp("", a.help))
		setKeys(a.binding, a.keys)
	}

	// What moves in every pane, with what the log adds to it.
	setKeys(&m.Log.PageDown, append(m.Log.PageDown.Keys(), "space"))
	m.Log.Bottom.SetHelp(m.Log.Bottom.Help().Key, "end, follow")
	return m
}
