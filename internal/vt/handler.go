package vt

// Handler has functions that are called for requests of the application other than
// drawing. Each may be nil. They are called during Write.
type Handler struct {
	Title     func(title string)
	Bell      func()
	Notify    func(title, body string)            // OSC 9 (no title), OSC 777
	Progress  func(state Progress, percent int)   // OSC 9;4
	Cwd       func(uri string)                    // OSC 7, usually file://host/path
	Clipboard func(selection string, data []byte) // OSC 52, writes alone; nil data clears
	// PromptMark is called for shell integration (OSC 133). kind is A (start of the
	// prompt), B (start of the command line), C (start of the output) or D (end of the
	// command, with its exit code or -1).
	PromptMark func(kind byte, code int)
}

// Progress is the state of a progress report, numbered as in OSC 9;4.
type Progress int

// The states of a progress report.
const (
	ProgressNone Progress = iota
	ProgressNormal
	ProgressError
	ProgressIndeterminate
	ProgressPaused
)

// Facts are properties of the user's terminal, which replies to queries are based on.
// The zero value of a field means unknown; the reply is a common value then (light
// gray on black; cells of 8 by 16 pixels).
type Facts struct {
	Foreground, Background, CursorColor Color // direct colors

	CellWidth, CellHeight int // pixels

	KittyKeyboard bool // supports the kitty keyboard protocol
	Graphemes     bool // starts in mode 2027: width is computed by grapheme cluster

	// Pending means that SetFacts will be called soon. Replies that depend on the facts,
	// and all replies after them, are deferred until then.
	Pending bool
}

// SetFacts replaces the facts, for example when another terminal attaches. It sends
// reports that the application has requested: of dark or light colors (mode 2031), and
// of the cell size in pixels (mode 2048).
func (t *Terminal) SetFacts(f Facts) {
	scheme, size := t.colorScheme(), [2]int{t.facts.CellWidth, t.facts.CellHeight}
	t.facts = f
	if f.Graphemes {
		t.modes.set(modeGraphemes, true)
	}
	if t.modes.has(modeColorReports) && t.colorScheme() != scheme {
		t.reportColorScheme()
	}
	if t.modes.has(modeResizeReports) && size != [2]int{f.CellWidth, f.CellHeight} {
		t.reportSize()
	}
	if !f.Pending {
		t.sendDeferred()
	}
	t.flushReplies()
}

// Facts returns the facts in use.
func (t *Terminal) Facts() Facts { return t.facts }
