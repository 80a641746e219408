// Package keymap defines hob's key bindings as data: a struct for each section, and a field for each
// action, with its default keys and help text as tags.
//
// A component gets its section ([List], [Log] …) and compares key presses with [Match]. Help, the
// palette, the configuration and docs/keys.md use the same fields through [Map.Actions], so that a
// new field is sufficient for a new action:
//
//	keys := keymap.Default()
//	switch {
//	case keymap.Match(msg, keys.Panes.Stop):
//		// …
//	}
//
// An action's name is its field's name in kebab-case (ClearFinished is
// `clear-finished`). It is stable, because configuration files contain it. Several sections can be
// active at once, see [Contexts]. Within a context, a key has only one action ([Map.Conflicts]).
//
// A Map is a plain value: copying it copies the bindings. Concurrent use is safe unless a value is
// changed.
package keymap

import "charm.land/bubbles/v2/key"

// Map has all of hob's bindings. The zero value has no keys; start with [Default]. The name of a
// section is that of its field in lower case, unless an action has the same name, which would be
// ambiguous in the configuration. The title is displayed in help.
type Map struct {
	Panes    Panes    `title:"Everywhere"`
	Jobs     Jobs     `title:"Jobs"`
	List     List     `title:"Moving"`
	Detail   Detail   `title:"Moving in the detail"`
	Log      Log      `title:"Log"`
	Terminal Terminal `title:"Attached to a job"`
	Ended    Ended    `title:"After it exits"`
	Replay   Replay   `name:"player" title:"Replay"`
	Dialog   Dialog   `title:"Dialogs"`
	Edit     Edit     `title:"Text fields"`
	Input    Input    `title:"Prompts"`
	Palette  Palette  `name:"picker" title:"Palette"`
	Help     Help     `name:"help-page" title:"Help"`
}

// The tags of a section's fields: `keys` has the default keys, separated by spaces (without any, the
// action is only in the palette), `help` is the short title in the footer, and `doc` is the
// description in help, palette and docs.

// Panes works wherever one of the three panes (list, detail, log) has the
// focus.
type Panes struct {
	NextPane     key.Binding `keys:"tab" help:"next pane" doc:"next pane"`
	PreviousPane key.Binding `keys:"shift+tab" help:"previous pane" doc:"previous pane"`
	ShowList     key.Binding `keys:"1" help:"list" doc:"job list"`
	ShowDetail   key.Binding `keys:"2" help:"detail" doc:"detail of the selected job"`
	ShowLog      key.Binding `keys:"3" help:"log" doc:"log of the selected job"`
	PreviousJob  key.Binding `keys:"[ shift+up" help:"previous job" doc:"previous job, without leaving the log or the detail"`
	NextJob      key.Binding `keys:"] shift+down" help:"next job" doc:"next job, without leaving the log or the detail"`
	Zoom         key.Binding `keys:"z" help:"zoom" doc:"zoom / unzoom this pane"`
	Back         key.Binding `keys:"esc" help:"back" doc:"back"`
	Quit         key.Binding `keys:"q" help:"quit" doc:"back, then quit (jobs keep running)"`
	Interrupt    key.Binding `keys:"ctrl+c" help:"quit" doc:"twice: quit (jobs keep running)"`
	Stop         key.Binding `keys:"x" help:"stop" doc:"stop (SIGTERM, then SIGKILL)"`
	Kill         key.Binding `keys:"X" help:"kill" doc:"kill now (asks if several)"`
	Signal       key.Binding `keys:"K" help:"signal" doc:"send a signal"`
	SendLine     key.Binding `keys:"i" help:"send line" doc:"send a line of input"`
	CopyPath     key.Binding `keys:"Y" help:"copy path" doc:"copy the path of the log file"`
	Pager        key.Binding `keys:"o" help:"pager" doc:"open the log in the pager"`
	Editor       key.Binding `keys:"E" help:"editor" doc:"open the log in $EDITOR"`
	Help         key.Binding `keys:"? f1" help:"help" doc:"help: all keys"`
	Palette      key.Binding `keys:":" help:"palette" doc:"find an action by name"`
	Suspend      key.Binding `keys:"ctrl+z" help:"suspend" doc:"suspend hob (fg returns)"`
	ToggleMouse  key.Binding `keys:"M" help:"release mouse" doc:"release / capture the mouse"`
}

// Jobs acts on the selected or marked jobs; it works in the list and in the detail. In the log it acts on the
// job whose log it is, with the keys that the log does not have; the others are in the palette.
type Jobs struct {
	Open          key.Binding `keys:"enter" help:"log" doc:"open the log"`
	Attach        key.Binding `keys:"a" help:"attach" doc:"attach (type into the job)"`
	Tail          key.Binding `keys:"t f" help:"tail" doc:"tail: open the log and follow it"`
	New           key.Binding `keys:"n" help:"new" doc:"start a new job"`
	Restart       key.Binding `keys:"r" help:"restart" doc:"restart it; stops it first if it runs"`
	RunAnother    key.Binding `keys:"R" help:"run another" doc:"run another one; the first keeps running"`
	Revive        key.Binding `keys:"V" help:"revive" doc:"restart the jobs that a reboot ended"`
	EditRestart   key.Binding `keys:"e" help:"edit & restart" doc:"edit the command and restart it"`
	Remove        key.Binding `keys:"d" help:"stop & clear" doc:"stop and clear it (asks if it runs)"`
	Clear         key.Binding `keys:"c" help:"clear" doc:"clear it; can be undone"`
	ClearFinished key.Binding `keys:"C" help:"clear finished" doc:"clear all finished jobs that match the filter"`
	Undo          key.Binding `keys:"u" help:"undo" doc:"undo the last clear, as long as the trash has it"`
	Filter        key.Binding `keys:"/" help:"filter" doc:"filter (name, command, status:failed, host:web1)"`
	Mark          key.Binding `keys:"space" help:"mark" doc:"mark / unmark"`
	Sort          key.Binding `keys:"S" help:"sort" doc:"sort by the next column"`
	ReverseSort   key.Binding `keys:"I" help:"reverse" doc:"reverse the sort order"`
	CopyCommand   key.Binding `keys:"y" help:"copy command" doc:"copy the command"`
	Replay        key.Binding `keys:"p" help:"replay" doc:"replay its terminal from the start"`
	StartNow      key.Binding `keys:"s" help:"start now" doc:"start a queued job now, beyond the slots of its queue"`
	RunNext       key.Binding `keys:"B" help:"run next" doc:"run a queued job next in its queue"`
	PauseQueue    key.Binding `keys:"P" help:"pause queue" doc:"pause / resume the queue of the job"`
}

// Move is the way around anything longer than its window.
type Move struct {
	Up           key.Binding `keys:"k up" help:"up" doc:"up"`
	Down         key.Binding `keys:"j down" help:"down" doc:"down"`
	Top          key.Binding `keys:"g home" help:"top" doc:"top"`
	Bottom       key.Binding `keys:"G end" help:"bottom" doc:"bottom"`
	HalfPageUp   key.Binding `keys:"ctrl+u" help:"half page up" doc:"half a page up"`
	HalfPageDown key.Binding `keys:"ctrl+d" help:"half page down" doc:"half a page down"`
	PageUp       key.Binding `keys:"pgup" help:"page up" doc:"page up"`
	PageDown     key.Binding `keys:"pgdown" help:"page down" doc:"page down"`
}

// List is the job list.
type List struct {
	Move

	Unfold key.Binding `keys:"l right" help:"unfold" doc:"unfold older jobs, earlier runs or a group"`
	Fold   key.Binding `keys:"h left" help:"fold" doc:"fold them"`
}

// Detail is the detail of the selected job.
type Detail struct {
	Move
}

// Log is the output of the selected job.
type Log struct {
	Move

	Left          key.Binding `keys:"h left" help:"left" doc:"scroll left"`
	Right         key.Binding `keys:"l right" help:"right" doc:"scroll right"`
	LineStart     key.Binding `keys:"0 shift+left" help:"line start" doc:"scroll to the line start"`
	LineEnd       key.Binding `keys:"$ shift+right" help:"line end" doc:"scroll to the line end"`
	Attach        key.Binding `keys:"enter a" help:"attach" doc:"attach (type into the job)"`
	Jump          key.Binding `keys:"%" help:"go to %" doc:"go to a percentage"`
	Follow        key.Binding `keys:"f t" help:"follow" doc:"follow on/off"`
	Search        key.Binding `keys:"/" help:"search" doc:"search (empty: repeat last)"`
	NextMatch     key.Binding `keys:"n" help:"next match" doc:"next match"`
	PreviousMatch key.Binding `keys:"N" help:"previous match" doc:"previous match"`
	MatchingOnly  key.Binding `keys:"&" help:"only matches" doc:"show only lines that match (empty: all)"`
	Select        key.Binding `keys:"v" help:"select" doc:"select lines / end the selection"`
	Copy          key.Binding `keys:"y" help:"copy" doc:"copy the line or the selection"`
	Wrap          key.Binding `keys:"w" help:"wrap" doc:"wrap long lines on/off"`
	Timestamps    key.Binding `keys:"T" help:"timestamps" doc:"timestamps on/off"`
	LineNumbers   key.Binding `keys:"# L" help:"line numbers" doc:"line numbers on/off"`
}

// Terminal is a job that owns the keyboard: every other key is the job's.
type Terminal struct {
	Leave key.Binding `keys:"ctrl+b" help:"background" doc:"detach; the job keeps running"`
}

// Ended is a job that ended while it owned the keyboard: every other key is
// swallowed.
type Ended struct {
	LeaveEnded key.Binding `keys:"enter" help:"close" doc:"close the last screen"`
}

// Replay is the recording of a job's terminal while it is played. The digits go to the
// tenths of the recording.
type Replay struct {
	Pause         key.Binding `keys:"space" help:"pause" doc:"pause / play"`
	Back          key.Binding `keys:"left h" help:"5s back" doc:"5 seconds back"`
	Forward       key.Binding `keys:"right l" help:"5s forward" doc:"5 seconds forward"`
	PreviousBurst key.Binding `keys:"[ shift+left" help:"previous output" doc:"start of the previous burst of output"`
	NextBurst     key.Binding `keys:"] shift+right" help:"next output" doc:"start of the next burst of output"`
	Slower        key.Binding `keys:"<" help:"slower" doc:"half the speed"`
	Faster        key.Binding `keys:">" help:"faster" doc:"twice the speed"`
	Search        key.Binding `keys:"/" help:"search" doc:"search the screens (regular expression)"`
	NextMatch     key.Binding `keys:"n" help:"next match" doc:"next screen with the text"`
	Live          key.Binding `keys:"G end" help:"end" doc:"the end; of a running job: live"`
	ShowHelp      key.Binding `keys:"? f1" help:"help" doc:"all keys"`
	Close         key.Binding `keys:"q esc" help:"close" doc:"close the replay"`
}

// Dialog is a question with a few answers, or a short menu.
type Dialog struct {
	NextChoice     key.Binding `keys:"tab right down l j" help:"next" doc:"next answer"`
	PreviousChoice key.Binding `keys:"shift+tab left up h k" help:"previous" doc:"previous answer"`
	Choose         key.Binding `keys:"enter space" help:"select" doc:"confirm"`
	Yes            key.Binding `keys:"y" help:"yes" doc:"yes"`
	No             key.Binding `keys:"n" help:"no" doc:"no"`
	Dismiss        key.Binding `keys:"esc q ctrl+c" help:"cancel" doc:"cancel"`
}

// Edit has the keys for editing text: those of readline.
type Edit struct {
	CharForward        key.Binding `keys:"right ctrl+f" help:"right" doc:"right"`
	CharBackward       key.Binding `keys:"left ctrl+b" help:"left" doc:"left"`
	WordForward        key.Binding `keys:"ctrl+right alt+right alt+f" help:"word right" doc:"one word right"`
	WordBackward       key.Binding `keys:"ctrl+left alt+left alt+b" help:"word left" doc:"one word left"`
	TextStart          key.Binding `keys:"home ctrl+a" help:"start" doc:"start of the text"`
	TextEnd            key.Binding `keys:"end ctrl+e" help:"end" doc:"end of the text"`
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
	Accept        key.Binding `keys:"enter" help:"accept" doc:"accept"`
	StartAttach   key.Binding `keys:"ctrl+o" help:"start & attach" doc:"new job: start it and attach"`
	Cancel        key.Binding `keys:"esc ctrl+c" help:"cancel" doc:"cancel"`
	Complete      key.Binding `keys:"tab" help:"complete" doc:"complete, or next field"`
	PreviousField key.Binding `keys:"shift+tab" help:"previous field" doc:"previous field"`
	OlderEntry    key.Binding `keys:"up ctrl+p" help:"older" doc:"previous entry, or previous field"`
	NewerEntry    key.Binding `keys:"down ctrl+n" help:"newer" doc:"next entry, or next field"`
	ToggleRegex   key.Binding `keys:"ctrl+r" help:"regex" doc:"regular expression / plain text"`
}

// Palette is a list that is filtered by typing: the palette and the pickers.
// Its text is edited with [Edit].
type Palette struct {
	NextItem     key.Binding `keys:"down ctrl+n tab" help:"next" doc:"next entry"`
	PreviousItem key.Binding `keys:"up ctrl+p shift+tab" help:"previous" doc:"previous entry"`
	ItemPageDown key.Binding `keys:"pgdown" help:"page down" doc:"page down"`
	ItemPageUp   key.Binding `keys:"pgup" help:"page up" doc:"page up"`
	RunItem      key.Binding `keys:"enter" help:"select" doc:"select"`
	ClosePalette key.Binding `keys:"esc ctrl+c" help:"close" doc:"close"`
}

// Help is the page of all keys.
type Help struct {
	Move

	FilterHelp key.Binding `keys:"/" help:"find a key" doc:"find a key"`
	CloseHelp  key.Binding `keys:"esc q ? f1 ctrl+c" help:"close" doc:"close"`
}

// Default returns the default bindings.
func Default() Map {
	var m Map
	for _, a := range m.fields() {
		*a.binding = key.NewBinding(key.WithHelp("", a.help))
		setKeys(a.binding, a.keys)
	}

	// The keys for moving in all panes, and the additional ones of the log.
	setKeys(&m.Log.PageDown, append(m.Log.PageDown.Keys(), "space"))
	m.Log.Bottom.SetHelp(m.Log.Bottom.Help().Key, "end, follow")
	return m
}
