package prompt

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/listbox"
)

// Form is a box with a title and a few lines to fill in. Tab goes from field to
// field once there is nothing to complete; who asked decides that.
type Form struct {
	keys   Keys
	styles themes.Prompt
	box    themes.Dialog
	glyphs themes.Glyphs
	title  string
	asked  []string // above the fields
	note   string

	fields []*Line
	names  []string
	focus  listbox.List // over fields
	found  string       // the focused field's text when it was entered
	offers []string     // completions of the focused field
	typed  string       // what they are completions of: the text before the cursor
	pick   listbox.List // over offers
	w, h   int          // 0 as height: as high as it likes
}

// NewForm returns a form without fields.
func NewForm(title string, keys Keys, styles themes.Prompt, box themes.Dialog, glyphs themes.Glyphs) *Form {
	return &Form{title: title, keys: keys, styles: styles, box: box, glyphs: glyphs}
}

// Add adds a field.
func (f *Form) Add(name string, value string, opts ...Option) {
	line := NewLine(f.keys, f.styles, opts...)
	line.SetValue(value)
	f.fields = append(f.fields, line)
	f.names = append(f.names, name)
	f.focus.Len = len(f.fields)
	if len(f.fields) == 1 {
		line.Focus()
		f.found = line.Value()
	}
}

// SetStyles replaces styles and glyphs.
func (f *Form) SetStyles(styles themes.Prompt, box themes.Dialog, glyphs themes.Glyphs) {
	f.styles, f.box, f.glyphs = styles, box, glyphs
	for _, line := range f.fields {
		line.SetStyles(styles)
	}
}

// SetQuestion shows what is asked above the fields. Where there is room for few of
// its lines, the last matters most.
func (f *Form) SetQuestion(lines ...string) { f.asked = lines }

// SetNote shows a sentence below the fields.
func (f *Form) SetNote(s string) { f.note = s }

// Value returns the text of a field.
func (f *Form) Value(name string) string { return f.field(name).Value() }

// SetValue replaces the text of a field.
func (f *Form) SetValue(name, text string) { f.field(name).SetValue(text) }

// SetPlaceholder replaces what a field shows while it is empty.
func (f *Form) SetPlaceholder(name, text string) { f.field(name).hint = text }

// field finds a field by the name with which it was added.
func (f *Form) field(name string) *Line { return f.fields[slices.Index(f.names, name)] }

// SetError says what is wrong with the focused field.
func (f *Form) SetError(s string) { f.focused().SetError(s) }

// Field returns the focused field and its name.
func (f *Form) Field() (string, *Line) { return f.names[f.focus.At], f.focused() }

func (f *Form) focused() *Line { return f.fields[f.focus.At] }

// Move goes n fields on, around the ends.
func (f *Form) Move(n int) {
	f.offers = nil
	f.focused().Blur()
	f.focus.Cycle(n)
	f.focused().Focus()
	f.found = f.focused().Value()
}

// Untouched reports whether the focused field has the text with which it was
// entered.
func (f *Form) Untouched() bool { return f.focused().Value() == f.found }

// Go gives a field the keyboard.
func (f *Form) Go(name string) { f.Move(slices.Index(f.names, name) - f.focus.At) }

// Offer shows completions of the focused field's text before the cursor, the
// first of them taken. One alone is taken without being shown.
func (f *Form) Offer(offers []string) {
	f.offers, f.pick, f.typed = offers, listbox.List{Len: len(offers)}, f.focused().Before()
	if len(offers) == 0 {
		return
	}
	f.focused().ReplaceBefore(offers[0])
	if len(offers) == 1 {
		f.offers = nil
	}
}

// NextOffer takes the next of the completions shown; false if there are none.
func (f *Form) NextOffer() bool {
	if len(f.offers) == 0 {
		return false
	}
	f.pick.Cycle(1)
	f.focused().ReplaceBefore(f.offers[f.pick.At])
	return true
}

// Withdraw takes the completions that are shown away, the one that was taken too;
// false if there are none.
func (f *Form) Withdraw() bool {
	if len(f.offers) == 0 {
		return false
	}
	f.offers = nil
	f.focused().ReplaceBefore(f.typed)
	return true
}

// Click gives the field at a place of the box the keyboard, and puts the cursor
// there.
func (f *Form) Click(x, y int) {
	above := len(f.question())
	left, i := 2+labelWidth, y-1-above
	if f.narrow() {
		if left = 2; i != 0 {
			return
		}
		i = f.focus.At
	} else {
		first, last := f.seen()
		switch i += first; {
		case len(f.offers) > 0 && i == f.focus.At+1:
			return // not a field
		case len(f.offers) > 0 && i > f.focus.At:
			i--
		}
		if i < first || i >= last {
			return
		}
	}
	f.Move(i - f.focus.At)
	if x >= left {
		f.fields[i].SetSize(max(0, f.w-2-left), 1)
		f.fields[i].Click(x - left)
	}
}

// Scroll does nothing: the focused field is always seen.
func (f *Form) Scroll(int) {}

// SetSize sets the width of the whole box and the height that it may have at most.
func (f *Form) SetSize(w, h int) { f.w, f.h = max(0, w), max(0, h) }

// Update edits the focused field.
func (f *Form) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		switch {
		case keymap.Match(msg, f.keys.Input.PreviousField), keymap.Match(msg, f.keys.Input.OlderEntry) && len(f.focused().history) == 0:
			f.Move(-1)
			return nil
		case keymap.Match(msg, f.keys.Input.NewerEntry) && f.focused().entry == 0:
			f.Move(1)
			return nil
		case keymap.Match(msg, f.keys.Input.Complete):
			if !f.NextOffer() {
				f.Move(1)
			}
			return nil
		}
		f.offers = nil
	}
	return f.focused().Update(msg)
}

// ShortHelp returns the keys to name first.
func (f *Form) ShortHelp() []key.Binding {
	complete := f.keys.Input.Complete
	complete.SetHelp(complete.Help().Key, "complete, next field")
	complete.SetEnabled(complete.Enabled() && len(f.fields) > 1)
	return []key.Binding{f.focused().accept(), complete, f.keys.Input.Cancel}
}
