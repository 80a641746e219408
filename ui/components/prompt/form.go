package prompt

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/border"
	"github.com/hobjobs/hob/ui/components/listbox"
)

// Form is a box with a title and a few text fields.
type Form struct {
	On     Actions
	keys   Keys
	styles *themes.Styles
	title  string
	asked  []string // question above the fields
	note   string

	fields []*Line
	names  []string
	focus  listbox.List // focused field
	found  string       // text of the focused field when it got the focus
	offers []string     // completions of the focused field
	typed  string       // text before the cursor that they complete
	pick   listbox.List // selected completion
	w, h   int          // height 0: no limit
}

// Actions are what the owner of a form does. Any of them may be nil.
type Actions struct {
	Accept   func() tea.Cmd // accepts the values and closes the form, or shows an error
	Attach   func() tea.Cmd // accepts and attaches to the job
	Cancel   func() tea.Cmd // closes the form
	Complete func() tea.Cmd // completes the focused field; nil: go to the next one
	Changed  func()         // runs after each message
}

// NewForm returns a form without fields.
func NewForm(title string, keys Keys, styles *themes.Styles) *Form {
	return &Form{title: title, keys: keys, styles: styles}
}

// Add adds a field.
func (f *Form) Add(name, value string, o Options) {
	line := NewLine(f.keys, f.styles, o)
	line.SetValue(value)
	line.apart, line.blurred = true, len(f.fields) > 0
	f.fields = append(f.fields, line)
	f.names = append(f.names, name)
	f.focus.Len = len(f.fields)
	if len(f.fields) == 1 {
		f.found = line.Value()
	}
}

// SetQuestion shows lines above the fields. If there is no room for all of them, the last ones
// are shown.
func (f *Form) SetQuestion(lines ...string) { f.asked = lines }

// SetNote shows a sentence below the fields.
func (f *Form) SetNote(s string) { f.note = s }

// Value returns the text of a field.
func (f *Form) Value(name string) string { return f.field(name).Value() }

// SetValue replaces the text of a field.
func (f *Form) SetValue(name, text string) { f.field(name).SetValue(text) }

// SetPlaceholder replaces the text that an empty field shows.
func (f *Form) SetPlaceholder(name, text string) { f.field(name).Placeholder = text }

// SetOrigin shows after the text of a field where it comes from.
func (f *Form) SetOrigin(name, text string) { f.field(name).SetOrigin(text) }

func (f *Form) field(name string) *Line { return f.fields[slices.Index(f.names, name)] }

// SetError shows an error at the focused field.
func (f *Form) SetError(s string) { f.focused().SetError(s) }

// Field returns the focused field and its name.
func (f *Form) Field() (string, *Line) { return f.names[f.focus.At], f.focused() }

func (f *Form) focused() *Line { return f.fields[f.focus.At] }

// Move moves the focus by n fields, wrapping around.
func (f *Form) Move(n int) {
	f.offers = nil
	f.focused().blurred = true
	f.focus.Cycle(n)
	f.focused().blurred = false
	f.found = f.focused().Value()
}

// Untouched reports whether the text of the focused field is the same as when it got the focus.
func (f *Form) Untouched() bool { return f.focused().Value() == f.found }

// Go focuses a field.
func (f *Form) Go(name string) { f.Move(slices.Index(f.names, name) - f.focus.At) }

// Offer shows completions of the text before the cursor and inserts the first. A single
// completion is inserted without being shown.
func (f *Form) Offer(offers []string) {
	f.offers, f.pick, f.typed = offers, listbox.List{Len: len(offers)}, f.focused().Before()
	if len(offers) == 0 {
		return
	}
	f.focused().replaceBefore(offers[0])
	if len(offers) == 1 {
		f.offers = nil
	}
}

// nextOffer inserts the next completion. It returns false if there are none.
func (f *Form) nextOffer() bool {
	if len(f.offers) == 0 {
		return false
	}
	f.pick.Cycle(1)
	f.focused().replaceBefore(f.offers[f.pick.At])
	return true
}

// withdraw removes the completions, including the inserted one. It returns false if there are
// none.
func (f *Form) withdraw() bool {
	if len(f.offers) == 0 {
		return false
	}
	f.offers = nil
	f.focused().replaceBefore(f.typed)
	return true
}

// Click focuses the field at a position in the box and moves its cursor there.
func (f *Form) Click(x, y int) tea.Cmd {
	above := len(f.question())
	left, i := 2+f.labelWidth(), y-1-above
	if f.narrow() {
		if left = 2; i != 0 {
			return nil
		}
		i = f.focus.At
	} else {
		first, last := f.seen()
		i += first
		if f.hasBelow() {
			switch {
			case i == f.focus.At+1:
				return nil // not a field
			case i > f.focus.At:
				i--
			}
		}
		if i < first || i >= last {
			return nil
		}
	}
	f.Move(i - f.focus.At)
	if x >= left {
		f.fields[i].SetWidth(max(0, f.w-2-left))
		f.fields[i].Click(x - left)
	}
	return nil
}

// Scroll does nothing: the focused field is always visible.
func (f *Form) Scroll(int) {}

// SetSize sets the width of the box and its maximum height.
func (f *Form) SetSize(w, h int) { f.w, f.h = max(0, w), max(0, h) }

// Update edits the focused field, and calls the owner's actions.
func (f *Form) Update(msg tea.Msg) tea.Cmd {
	if f.On.Changed != nil {
		defer f.On.Changed()
	}
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return f.focused().Update(msg)
	}
	in := f.keys.Input
	switch {
	case keymap.Match(press, offered(in.Cancel, f.On.Cancel)):
		if f.withdraw() {
			return nil
		}
		return f.On.Cancel()
	case keymap.Match(press, offered(in.Accept, f.On.Accept)):
		return f.On.Accept()
	case keymap.Match(press, offered(in.StartAttach, f.On.Attach)):
		return f.On.Attach()
	case keymap.Match(press, in.Complete):
		return f.complete()
	case keymap.Match(press, in.PreviousField), keymap.Match(press, in.OlderEntry) && len(f.focused().History) == 0:
		f.Move(-1)
		return nil
	case keymap.Match(press, in.NewerEntry) && f.focused().entry == 0:
		f.Move(1)
		return nil
	}
	f.offers = nil
	return f.focused().Update(msg)
}

func (f *Form) complete() tea.Cmd {
	switch {
	case f.nextOffer():
		return nil
	case f.On.Complete != nil:
		return f.On.Complete()
	}
	f.Move(1)
	return nil
}

// offered returns b, disabled if the owner of the form has no such action.
func offered(b key.Binding, action func() tea.Cmd) key.Binding {
	if action == nil {
		b.SetEnabled(false)
	}
	return b
}

// ShortHelp returns the most important keys.
func (f *Form) ShortHelp() []key.Binding {
	complete := f.keys.Input.Complete
	complete.SetHelp(complete.Help().Key, "complete/next")
	if len(f.fields) == 1 {
		complete.SetEnabled(false)
	}
	attach := offered(f.keys.Input.StartAttach, f.On.Attach)
	return []key.Binding{f.focused().accept(), attach, complete, f.keys.Input.Cancel}
}

// leastLabel is the minimum width of the column of field names.
const leastLabel = 11

// labelWidth returns the width of the column of field names: that of the longest one, at most
// half of the box.
func (f *Form) labelWidth() int {
	longest := 0
	for _, name := range f.names {
		longest = max(longest, cells.Width(name))
	}
	return max(leastLabel, min(longest+2, f.w/2))
}

// narrow reports whether the box is too narrow for a name and a text side by side. In that case
// only the focused field is shown, below its name.
func (f *Form) narrow() bool { return f.w < 4+f.labelWidth()+12 }

// View draws the box.
func (f *Form) View() string { return strings.Join(f.lines(), "\n") }

func (f *Form) lines() []string {
	frame := border.Frame{
		Border: f.styles.Glyphs.Border,
		Line:   f.styles.BorderFocused,
		Title:  f.styles.TitleFocused,
		Info:   f.styles.Muted,
		Mark:   f.styles.Glyphs.Ellipsis,
	}
	rows, hidden := f.rows()
	place := ""
	if hidden {
		place = strconv.Itoa(f.focus.At+1) + " of " + strconv.Itoa(len(f.fields))
	}
	return frame.Box(f.title, rows, place, f.w)
}

// rows returns the lines inside the box; hidden reports whether some fields do not fit.
func (f *Form) rows() (rows []string, hidden bool) {
	inner := max(0, f.w-4)
	if f.narrow() {
		line := f.focused()
		line.SetWidth(inner)
		rows = append(f.question(), line.View())
		if f.hasBelow() {
			rows = append(rows, f.below(inner))
		}
		return rows, len(f.fields) > 1
	}
	rows = f.question()
	labels := f.labelWidth()
	first, last := f.seen()
	for i := first; i < last; i++ {
		line := f.fields[i]
		line.SetWidth(inner - labels)
		label := f.styles.Muted
		if i == f.focus.At {
			label = f.styles.TitleFocused
		}
		rows = append(rows, cells.Fit(label.Render(cells.Truncate(f.names[i], labels-1, f.styles.Glyphs.Ellipsis)), labels)+line.View())
		if i == f.focus.At && f.hasBelow() {
			rows = append(rows, cells.Blank(labels)+f.below(inner-labels))
		}
	}
	note := cells.Wrap(f.note, inner)
	if f.note != "" && len(rows)+1+len(note) <= f.most() {
		rows = append(rows, "")
		for _, line := range note {
			rows = append(rows, f.styles.Muted.Render(line))
		}
	}
	return rows, last-first < len(f.fields)
}

// question returns the lines above the fields, as many as leave room for one field. Without a
// question, it is the name of the only field in a narrow box.
func (f *Form) question() []string {
	inner := max(1, f.w-4)
	if len(f.asked) == 0 {
		const needed = 3 // the name, the field and the row below it
		tooLow := f.hasBelow() && f.most() < needed
		if f.narrow() && !tooLow {
			return []string{cells.Fit(f.styles.TitleFocused.Render(f.names[f.focus.At]), inner)}
		}
		return nil
	}
	most := f.most() - 1
	if f.hasBelow() {
		most--
	}
	most = max(0, most)
	asked := f.asked
	lines := cells.Wrap(strings.Join(asked, "\n"), inner)
	for ; len(lines) > most && len(asked) > 1; lines = cells.Wrap(strings.Join(asked, "\n"), inner) {
		asked = asked[1:]
	}
	switch {
	case len(lines) > most:
		lines = cells.WrapTo(strings.Join(asked, "\n"), inner, most, f.styles.Glyphs.Ellipsis)
	case len(lines) < most:
		lines = append(lines, "")
	}
	for i, line := range lines {
		lines[i] = f.styles.Text.Render(line)
	}
	return lines
}

// most returns how many lines the box has room for.
func (f *Form) most() int {
	if f.h == 0 {
		return math.MaxInt
	}
	return f.h - 2
}

// seen returns the range of fields that fit, with the focused one among them.
func (f *Form) seen() (first, last int) {
	room := len(f.fields)
	if f.h > 0 {
		room = f.most() - len(f.question())
		if f.hasBelow() {
			room--
		}
		room = max(1, room)
	}
	seen := listbox.List{Len: len(f.fields), Rows: room, At: f.focus.At, Top: f.focus.At - room/2}
	return seen.Window()
}

func (f *Form) hasBelow() bool { return len(f.offers) > 0 || f.focused().failed != "" }

// below returns that row: completions, or an error.
func (f *Form) below(w int) string {
	if len(f.offers) > 0 {
		return f.offersView(w)
	}
	return f.styles.Failed.Render(cells.Truncate(f.focused().failed, w, f.styles.Glyphs.Ellipsis))
}

func (f *Form) offersView(w int) string {
	var b strings.Builder
	used := 0
	for i, offer := range f.offers[f.pick.At:] {
		text := cells.TruncateMiddle(offer, min(30, w), f.styles.Glyphs.Ellipsis)
		if i > 0 && used+cells.Width(text)+2 > w {
			break
		}
		style := f.styles.Muted
		if i == 0 {
			style = f.styles.Selection
		}
		b.WriteString(style.Render(text) + "  ")
		used += cells.Width(text) + 2
	}
	return b.String()
}

// Cursor returns the position of the cursor in the box.
func (f *Form) Cursor() *tea.Cursor {
	label, row := f.labelWidth(), len(f.question())
	if f.narrow() {
		label = 0
	} else {
		first, _ := f.seen()
		row += f.focus.At - first
	}
	f.focused().SetWidth(max(0, f.w-4-label))
	c := f.focused().Cursor()
	if c != nil {
		c.X += 2 + label
		c.Y += 1 + row
	}
	return c
}
