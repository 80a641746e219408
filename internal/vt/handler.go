package vt

// Handler holds functions that are told what the application asks for beside
// drawing. Any may be nil. They are called inside Write.
type Handler struct {
	Title     func(title string)
	Bell      func()
	Notify    func(title, body string)            // OSC 9 (no title), OSC 777
	Progress  func(state Progress, percent int)   // OSC 9;4
	Cwd       func(uri string)                    // OSC 7, usually file://host/path
	Clipboard func(selection string, data []byte) // OSC 52, writes alone; nil data clears
	// PromptMark is told of shell integration (OSC 133): kind is A (prompt
	// begins), B (command line begins), C (output begins), D (command ended,
	// with its code, or -1).
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

// Facts are what is known of the terminal that a person types on. Queries are
// answered from them. The zero value of each field means unknown, and a usual
// answer is given (light grey on black; cells of 8 by 16 pixels).
type Facts struct {
	Foreground, Background, CursorColor Color // direct colours

	CellWidth, CellHeight int // pixels

	KittyKeyboard bool // answers the query of the kitty keyboard protocol
	Graphemes     bool // starts in mode 2027: text is counted by grapheme cluster

	// Pending means that the facts are about to come: a query that depends on them is
	// answered once they are there, and what is asked after it is answered after it.
	Pending bool
}

// SetFacts replaces the facts, for example when another terminal attaches. An
// application that asked for it is told that colours became dark or light (mode
// 2031) and that cells have another size in pixels (mode 2048).
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
		t.answerLate()
	}
	t.flushReplies()
}

// Facts returns the facts in use.
func (t *Terminal) Facts() Facts { return t.facts }
