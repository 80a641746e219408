package themes

import "charm.land/lipgloss/v2"

// Styles has the styles of all components, in one section for each, and the glyphs. Sections have
// lipgloss styles without padding, margin or width, because components do their own layout.
type Styles struct {
	Glyphs   Glyphs
	Badge    Badge
	List     List
	Detail   Detail
	Log      Log
	Terminal Terminal
	Prompt   Prompt
	Palette  PaletteStyles
	Help     Help
	Frame    Frame
	Header   Header
	Footer   Footer
	Toast    Toast
	Dialog   Dialog
	Replay   Replay
}

// Badge is the style of the glyph and word of a job's state.
type Badge struct {
	Starting, Running, Waiting, Stopping, Done, Failed, Lost lipgloss.Style
	Queued, Paused                                           lipgloss.Style
}

// List is the job list.
type List struct {
	Name     lipgloss.Style
	Unread   lipgloss.Style // the name of a job with unseen changes
	Finished lipgloss.Style // every column but the badge of a finished job
	Host     lipgloss.Style
	Time     lipgloss.Style
	Usage    lipgloss.Style // CPU and memory
	Trace    lipgloss.Style
	Progress lipgloss.Style
	Marked   lipgloss.Style
	Match    lipgloss.Style // the match of the filter
	Cursor   lipgloss.Style // the bar before the selected row

	Selected        lipgloss.Style // a whole row, drawn without other styles
	SelectedBlurred lipgloss.Style

	Empty    lipgloss.Style
	EmptyKey lipgloss.Style
}

// Detail is the detail of a job.
type Detail struct {
	Label, Value, Command, Muted, Link, Warning, Graph lipgloss.Style
}

// Log is the output of a job.
type Log struct {
	Text         lipgloss.Style
	Time         lipgloss.Style
	Number       lipgloss.Style
	Match        lipgloss.Style
	MatchCurrent lipgloss.Style
	Selected     lipgloss.Style
	Gap          lipgloss.Style // "[… 3.2 GiB dropped …]"
	Wrapped      lipgloss.Style
	Cut          lipgloss.Style // where a line continues to the side
	More         lipgloss.Style // "↓ 128 new lines · G"
	Current      lipgloss.Style // the bar at the current line
	Hit          lipgloss.Style // a mark on the scroll bar
	Thumb, Track lipgloss.Style
	Empty        lipgloss.Style
}

// Terminal is the frame around a live screen.
type Terminal struct {
	Ended    lipgloss.Style // "exit 0 · Enter to leave"
	Selected lipgloss.Style
}

// Prompt is a line of text to fill in.
type Prompt struct {
	Label, Text, Placeholder, Suggestion, Error, Count lipgloss.Style
	Selected                                           lipgloss.Style // the entry of a completion list
}

// PaletteStyles is the palette of actions and the pickers.
type PaletteStyles struct {
	Border, Title, Item, Selected, Match, Key, Muted, Disabled lipgloss.Style
}

// Help is the page of keys.
type Help struct {
	Border, Title, Section, Key, Desc, Disabled lipgloss.Style
}

// Replay is the status row of a replay.
type Replay struct {
	Bar, Done, Left lipgloss.Style
}

// Frame is the frame around the panes.
type Frame struct {
	Border, Title, TitleFocused, Info lipgloss.Style
	Backdrop                          lipgloss.Style // everything behind a dialog
}

// Header is the first line.
type Header struct {
	Name, Text, Link, Warning lipgloss.Style
}

// Footer is the last line.
type Footer struct {
	Key, Desc, State, Text lipgloss.Style
}

// Toast is a message that disappears after a short time.
type Toast struct {
	Info, Success, Warning, Error lipgloss.Style
}

// Dialog is a question or a menu.
type Dialog struct {
	Border, Title, Text, Choice, ChoiceSelected, Danger lipgloss.Style
}

// build returns the styles of a palette.
func build(p Palette, g Glyphs) *Styles {
	var (
		text     = p.Text.Style()
		muted    = p.Muted.Style()
		faint    = p.Faint.Style()
		accent   = p.Accent.Style()
		key      = p.Key.Style()
		selected = p.Selection.Style()
		warning  = p.Warning.Style()
		failed   = p.Failed.Style()
		strong   = p.Text.bold().Style()
		title    = p.TitleFocused.Style()
		focused  = p.TitleFocused
		cut      = p.Faint
		blurred  = p.SelectionBlurred
	)
	if blurred.BG == nil {
		blurred.Underline = false // in the list, a bar marks the row
	}
	focused.Invert, focused.Underline = !focused.Invert, false
	if cut == (Token{}) { // it must differ from the text
		cut.Invert = true
	}
	return &Styles{
		Glyphs: g,
		Badge: Badge{
			Starting: p.Starting.Style(), Running: p.Running.Style(), Waiting: p.Waiting.Style(),
			Stopping: p.Stopping.Style(), Done: p.Done.Style(), Failed: failed, Lost: p.Lost.Style(),
			Queued: muted, Paused: warning,
		},
		List: List{
			Name: text, Unread: text, Finished: muted, Host: muted, Time: text, Usage: muted,
			Trace: accent, Progress: accent, Marked: accent, Match: p.Match.Style(), Cursor: accent,
			Selected: selected, SelectedBlurred: blurred.Style(),
			Empty: muted, EmptyKey: key,
		},
		Detail: Detail{Label: muted, Value: text, Command: strong, Muted: muted, Link: p.Link.Style(), Warning: warning, Graph: accent},
		Log: Log{
			Text: text, Time: muted, Number: faint, Match: p.Match.Style(), MatchCurrent: p.MatchCurrent.Style(),
			Selected: selected, Gap: warning, Wrapped: faint, Cut: cut.Style(), More: p.Accent.bold().Style(),
			Hit: accent, Current: accent, Thumb: muted, Track: p.Border.Style(), Empty: muted,
		},
		Terminal: Terminal{Ended: strong, Selected: selected},
		Prompt: Prompt{
			Label: title, Text: text, Placeholder: faint, Suggestion: faint, Error: failed, Count: muted, Selected: selected,
		},
		Palette: PaletteStyles{
			Border: p.BorderFocused.Style(), Title: title, Item: text, Selected: selected, Match: p.Accent.bold().Style(),
			Key: key, Muted: muted, Disabled: faint,
		},
		Help: Help{Border: p.BorderFocused.Style(), Title: title, Section: strong, Key: key, Desc: text, Disabled: faint},
		Frame: Frame{
			Border: p.Border.Style(), Title: p.Title.Style(), TitleFocused: focused.Style(), Info: muted, Backdrop: faint,
		},
		Header: Header{Name: p.Accent.bold().Style(), Text: text, Link: muted, Warning: warning},
		Footer: Footer{Key: key, Desc: muted, State: strong, Text: text},
		Toast:  Toast{Info: text, Success: p.Running.Style(), Warning: warning, Error: failed},
		Dialog: Dialog{
			Border: p.BorderFocused.Style(), Title: title, Text: text, Choice: text, ChoiceSelected: selected,
			Danger: failed,
		},
		Replay: Replay{Bar: muted, Done: key, Left: muted},
	}
}
