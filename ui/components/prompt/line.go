// Package prompt asks for text: one line in the footer ([Line]) or a few fields
// in a box ([Form]).
//
// A line is edited with the keys of readline, remembers what was typed before,
// and offers the rest of an earlier entry as one types. Whether a text is taken
// or left is decided by who asked: a prompt only edits. It starts no programs
// and reads no clipboard; what is pasted arrives as a message.
package prompt

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
)

// Keys are the bindings of a prompt.
type Keys struct {
	Input keymap.Input
	Edit  keymap.Edit
}

// Line is one line of text being typed. It belongs to one goroutine.
type Line struct {
	keys   Keys
	styles themes.Prompt
	label  string
	hint   string // shown while there is no text
	note   string // on the right: counts
	failed string // what is wrong with the text
	secret bool
	sign   string // stands for the end of a line; empty: there is only one
	verb   string // what taking the text does

	edited
	history []string // newest first
	offered []string // what is suggested besides
	entry   int      // 0: what is typed; n: history[n-1]
	typed   string   // kept while the history is looked at

	w       int
	focused bool
}

// Option tunes a line.
type Option func(*Line)

// WithLabel names what is asked, before the text.
func WithLabel(s string) Option { return func(l *Line) { l.label = s } }

// WithPlaceholder shows s while the text is empty.
func WithPlaceholder(s string) Option { return func(l *Line) { l.hint = s } }

// WithHistory offers earlier entries, the newest first.
func WithHistory(entries []string) Option { return func(l *Line) { l.history = entries } }

// WithSuggestions suggests the rest of entries that were not typed before: the
// first that begins with the text.
func WithSuggestions(entries []string) Option { return func(l *Line) { l.offered = entries } }

// WithLines keeps the line breaks of text that is pasted or set, and shows sign
// for each.
func WithLines(sign string) Option { return func(l *Line) { l.sign = sign } }

// WithVerb says in a word what taking the text does: "send".
func WithVerb(s string) Option { return func(l *Line) { l.verb = s } }

// WithSecret shows nothing of what is typed, and says so.
func WithSecret() Option { return func(l *Line) { l.Hide() } }

// NewLine returns an empty line.
func NewLine(keys Keys, styles themes.Prompt, opts ...Option) *Line {
	l := &Line{keys: keys, styles: styles}
	for _, opt := range opts {
		opt(l)
	}
	return l
}

// Hide shows nothing of what is typed from now on, as WithSecret, and says so while
// there is no text.
func (l *Line) Hide() {
	l.secret, l.hint, l.history, l.offered, l.entry = true, "not shown", nil, nil, 0
}

// SetStyles replaces the styles.
func (l *Line) SetStyles(s themes.Prompt) { l.styles = s }

// SetSize sets the width; a line is one row high.
func (l *Line) SetSize(w, _ int) { l.w = max(0, w) }

// Focus shows the cursor.
func (l *Line) Focus() { l.focused = true }

// Blur hides it.
func (l *Line) Blur() { l.focused = false }

// Value is the text.
func (l *Line) Value() string { return l.before() + l.after() }

// SetValue replaces the text and puts the cursor behind it.
func (l *Line) SetValue(s string) { l.set(l.clean(s), "") }

// clean makes text of what came from outside.
func (l *Line) clean(s string) string {
	if l.sign == "" {
		return cells.Printable(s)
	}
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s), "\n")
	for i := range lines {
		lines[i] = cells.Printable(lines[i])
	}
	return strings.Join(lines, "\n")
}

// shown is text as it is drawn.
func (l *Line) shown(text ...string) string {
	return strings.ReplaceAll(strings.Join(text, ""), "\n", l.sign)
}

// Before is the text before the cursor: what is completed.
func (l *Line) Before() string { return l.before() }

// ReplaceBefore replaces the text before the cursor.
func (l *Line) ReplaceBefore(s string) { l.set(l.clean(s), l.after()) }

// SetNote shows s on the right: "3 of 17".
func (l *Line) SetNote(s string) { l.note = s }

// SetError says what is wrong with the text; typing removes it.
func (l *Line) SetError(s string) { l.failed = s }

// Update edits the text.
func (l *Line) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		l.insert(strings.TrimRight(msg.Content, "\r\n"))
	case tea.KeyPressMsg:
		if l.edit(msg) || l.recall(msg) {
			return nil
		}
		if msg.Text != "" && msg.Mod&(tea.ModCtrl|tea.ModAlt) == 0 {
			l.insert(msg.Text)
		}
	}
	return nil
}

// edit moves the cursor or deletes what the same move passes. At the end of the
// text a step forward and the end take what is suggested.
func (l *Line) edit(press tea.KeyPressMsg) bool {
	k := l.keys.Edit
	if l.at == len(l.text) && (keymap.Match(press, k.CharForward) || keymap.Match(press, k.TextEnd)) {
		if rest := l.suggestion(); rest != "" {
			l.insert(rest)
		}
		return true
	}
	for _, m := range []struct {
		move, remove key.Binding
		to           int
	}{
		{k.CharForward, k.DeleteForward, l.at + 1},
		{k.CharBackward, k.DeleteBackward, l.at - 1},
		{k.WordForward, k.DeleteWordForward, l.wordEnd()},
		{k.WordBackward, k.DeleteWordBackward, l.wordStart()},
		{k.TextEnd, k.DeleteToEnd, len(l.text)},
		{k.TextStart, k.DeleteToStart, 0},
	} {
		switch {
		case keymap.Match(press, m.move):
			l.move(m.to)
		case keymap.Match(press, m.remove):
			if l.removeTo(m.to) {
				l.entry, l.failed = 0, ""
			}
		default:
			continue
		}
		return true
	}
	return false
}

// recall walks the history: entries that begin with what was typed.
func (l *Line) recall(press tea.KeyPressMsg) bool {
	step := 0
	switch {
	case keymap.Match(press, l.keys.Input.OlderEntry):
		step = 1
	case keymap.Match(press, l.keys.Input.NewerEntry):
		step = -1
	default:
		return false
	}
	if l.entry == 0 {
		l.typed = l.Value()
	}
	for i := l.entry + step; i >= 0 && i <= len(l.history); i += step {
		if i == 0 {
			l.entry = 0
			l.SetValue(l.typed)
			break
		}
		if h := l.history[i-1]; strings.HasPrefix(h, l.typed) && h != l.Value() {
			l.entry = i
			l.SetValue(h)
			break
		}
	}
	return true
}

func (l *Line) insert(s string) {
	l.set(l.before()+l.clean(s), l.after())
	l.entry, l.failed = 0, ""
}

// suggestion is the rest of the newest entry, or of what is suggested besides,
// that begins with the text.
func (l *Line) suggestion() string {
	text := l.Value()
	if text == "" || l.secret {
		return ""
	}
	for _, entries := range [][]string{l.history, l.offered} {
		for _, entry := range entries {
			if rest, ok := strings.CutPrefix(entry, text); ok && rest != "" {
				return rest
			}
		}
	}
	return ""
}

// View draws label, text and note in one row of exactly the width.
func (l *Line) View() string {
	label, note := l.labelShown(), l.note
	noteStyle := l.styles.Count
	if l.failed != "" {
		note, noteStyle = l.failed, l.styles.Error
	}
	start, room := l.window()
	b := l.styles.Label.Render(label)
	used := cells.Width(label)
	switch {
	case len(l.text) == 0 && l.hint != "":
		hint := cells.End(l.untyped(l.styles.Placeholder, "(", l.hint, ")"), room, "")
		b += l.styles.Placeholder.Render(hint)
		used += cells.Width(hint)
	case l.secret:
	default:
		text := cells.End(l.shown(l.text[start:]...), room, "")
		b += l.styles.Text.Render(text)
		used += cells.Width(text)
		rest := l.shown(l.suggestion())
		if rest != "" {
			rest = cells.End(l.untyped(l.styles.Suggestion, "[", rest, "]"), l.w-used-cells.Width(note)-2, "")
		}
		if l.focused && rest != "" {
			b += l.styles.Suggestion.Render(rest)
			used += cells.Width(rest)
		}
	}
	if gap := l.w - used - cells.Width(note); note != "" && gap >= 1 {
		b += cells.Blank(gap) + noteStyle.Render(note)
	}
	return cells.Fit(b, l.w)
}

// untyped is text that nobody typed, between signs where it would else look as if
// somebody had.
func (l *Line) untyped(style lipgloss.Style, open, text, end string) string {
	if style.Render(text) != l.styles.Text.Render(text) {
		return text
	}
	return open + text + end
}

// labelShown is the label, cut where it would leave the text too little room.
func (l *Line) labelShown() string {
	name, colon := strings.CutSuffix(l.label, ": ")
	if most := l.w / 2; !colon || cells.Width(l.label) <= most {
		return cells.End(l.label, l.w, "")
	} else if most > 4 {
		return strings.TrimRight(cells.End(name, most-2, ""), " ") + ": "
	}
	return ""
}

// window returns the first cluster shown, so that the cursor is in view, and
// the room for the text.
func (l *Line) window() (start, room int) {
	room = l.w - cells.Width(l.labelShown())
	if n := cells.Width(l.note); n > 0 && room-n-2 >= 8 {
		room -= n + 2
	}
	room = max(0, room)
	before := 0
	for i := l.at - 1; i >= 0; i-- {
		before += cells.Width(l.shown(l.text[i]))
		if before > room-1 {
			return i + 1, room
		}
	}
	return 0, room
}

// Click puts the cursor on the column x of the line.
func (l *Line) Click(x int) {
	if l.secret {
		return
	}
	start, _ := l.window()
	x -= cells.Width(l.labelShown())
	for l.at = start; l.at < len(l.text); l.at++ {
		if x -= cells.Width(l.shown(l.text[l.at])); x < 0 {
			return
		}
	}
}

// Cursor is the place of the cursor; nil while not focused.
func (l *Line) Cursor() *tea.Cursor {
	if !l.focused {
		return nil
	}
	start, _ := l.window()
	x := cells.Width(l.labelShown())
	if !l.secret {
		x += cells.Width(l.shown(l.text[start:l.at]...))
	}
	return tea.NewCursor(min(x, max(0, l.w-1)), 0)
}

// ShortHelp returns the keys to name first.
func (l *Line) ShortHelp() []key.Binding {
	return []key.Binding{l.accept(), l.keys.Input.Cancel}
}

func (l *Line) accept() key.Binding {
	b := l.keys.Input.Accept
	if l.verb != "" {
		b.SetHelp(b.Help().Key, l.verb)
	}
	return b
}
