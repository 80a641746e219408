package prompt

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/listbox"
)

// Form is a box with a title and a few text fields. The owner decides whether Tab completes or
// moves to the next field.
type Form struct {
	keys   Keys
	styles *themes.Styles
	title  string
	asked  []string      // question above the fields
	more   []key.Binding // additional keys, for the help
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

// NewForm returns a form without fields.
func NewForm(title string, keys Keys, styles *themes.Styles) *Form {
	return &Form{title: title, keys: keys, styles: styles}
}

// Add adds a field.
func (f *Form) Add(name, value string, o Options) {
	line := NewLine(f.keys, f.styles, o)
	line.SetValue(value)
	line.apart = true
	f.fields = append(f.fields, line)
	f.names = append(f.names, name)
	f.focus.Len = len(f.fields)
	if len(f.fields) == 1 {
		line.Focus()
		f.found = line.Value()
	}
}

// SetQuestion shows lines above the fields. If there is no room for all of them, the last ones
// are shown.
func (f *Form) SetQuestion(lines ...string) { f.asked = lines }

// SetNote shows a sentence below the fields.
func (f *Form) SetNote(s string) { f.note = s }

// SetKeys adds keys handled by the owner to the help.
func (f *Form) SetKeys(keys ...key.Binding) { f.more = keys }

// Value returns the text of a field.
func (f *Form) Value(name string) string { return f.field(name).Value() }

// SetValue replaces the text of a field.
func (f *Form) SetValue(name, text string) { f.field(name).SetValue(text) }

// SetPlaceholder replaces the text that an empty field shows.
func (f *Form) SetPlaceholder(name, text string) { f.field(name).Placeholder = text }

// field returns the field that was added under a name.
func (f *Form) field(name string) *Line { return f.fields[slices.Index(f.names, name)] }

// SetError shows an error at the focused field.
func (f *Form) SetError(s string) { f.focused().SetError(s) }

// Field returns the focused field and its name.
func (f *Form) Field() (string, *Line) { return f.names[f.focus.At], f.focused() }

func (f *Form) focused() *Line { return f.fields[f.focus.At] }

// Move moves the focus by n fields, wrapping around.
func (f *Form) Move(n int) {
	f.offers = nil
	f.focused().Blur()
	f.focus.Cycle(n)
	f.focused().Focus()
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

// NextOffer inserts the next completion. It returns false if there are none.
func (f *Form) NextOffer() bool {
	if len(f.offers) == 0 {
		return false
	}
	f.pick.Cycle(1)
	f.focused().replaceBefore(f.offers[f.pick.At])
	return true
}

// Withdraw removes the completions, including the inserted one. It returns false if there are
// none.
func (f *Form) Withdraw() bool {
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
		switch i += first; {
		case f.hasBelow() && i == f.focus.At+1:
			return nil // not a field
		case f.hasBelow() && i > f.focus.At:
			i--
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

// Update edits the focused field.
func (f *Form) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		switch {
		case keymap.Match(msg, f.keys.Input.PreviousField), keymap.Match(msg, f.keys.Input.OlderEntry) && len(f.focused().History) == 0:
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

// ShortHelp returns the most important keys.
func (f *Form) ShortHelp() []key.Binding {
	complete := f.keys.Input.Complete
	complete.SetHelp(complete.Help().Key, "complete/next")
	complete.SetEnabled(complete.Enabled() && len(f.fields) > 1)
	return slices.Concat([]key.Binding{f.focused().accept()}, f.more, []key.Binding{complete, f.keys.Input.Cancel})
}
