// Package prompt asks for text: in one line in the footer ([Line]) or in a few fields in a box
// ([Form]).
//
// A line supports the editing keys of readline, has a history, and suggests the rest of an
// earlier entry while the user types. A prompt only edits text; its owner decides when it is
// accepted or canceled. A prompt starts no programs and does not read the clipboard; pasted text
// arrives as a message.
package prompt

import (
	"slices"
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/clipperhouse/uax29/v2/graphemes"

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
	Options
	keys   Keys
	styles *themes.Styles
	note   string // text on the right, such as a count
	origin string // where the text comes from, shown after it
	failed string // error message
	apart  bool   // a form shows the error below the line

	edited
	entry int    // 0: the typed text; n: History[n-1]
	typed string // the typed text while browsing the history

	w        int
	blurred  bool // another field has the focus
	selected bool // the whole text is selected
}

// Options configure a Line.
type Options struct {
	Label       string   // before the text
	Placeholder string   // shown while the text is empty
	History     []string // earlier entries, newest first
	Suggestions []string // further entries: the first one that begins with the text is suggested
	LineFeed    string   // symbol for a line feed in pasted or set text; empty: line feeds are removed
	Verb        string   // for accepting the text: "send"
	CancelVerb  string   // for canceling, if not the usual one: "clear"
	Secret      bool     // hide the text: see [Line.Hide]
}

// NewLine returns an empty line.
func NewLine(keys Keys, styles *themes.Styles, o Options) *Line {
	l := &Line{Options: o, keys: keys, styles: styles}
	if cancel := &l.keys.Input.Cancel; o.CancelVerb != "" {
		cancel.SetHelp(cancel.Help().Key, o.CancelVerb)
	}
	if o.Secret {
		l.Hide()
	}
	return l
}

// maxStars is the maximum number of stars for a secret: they show that keys arrive, but not how
// long the secret is.
const maxStars = 8

// Hide shows a star for each character instead of the text, up to maxStars.
func (l *Line) Hide() {
	l.Secret, l.Placeholder, l.History, l.Suggestions, l.entry = true, "hidden", nil, nil, 0
}

// SetWidth sets the width.
func (l *Line) SetWidth(w int) { l.w = max(0, w) }

// Value returns the text.
func (l *Line) Value() string { return l.before() + l.after() }

// SetValue replaces the text and puts the cursor at its end.
func (l *Line) SetValue(s string) { l.set(l.clean(s), "") }

// SelectAll selects the text until the next key or click: typed text replaces it, a key that deletes removes it, and
// other keys keep it.
func (l *Line) SelectAll() { l.selected = len(l.text) > 0 }

// clean replaces characters that cannot be shown in text from outside.
func (l *Line) clean(s string) string {
	if l.LineFeed == "" {
		return cells.Printable(s)
	}
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s), "\n")
	for i := range lines {
		lines[i] = cells.Printable(lines[i])
	}
	return strings.Join(lines, "\n")
}

// shown returns the text as drawn.
func (l *Line) shown(text ...string) string {
	return strings.ReplaceAll(strings.Join(text, ""), "\n", l.LineFeed)
}

// Before returns the text before the cursor, for completion.
func (l *Line) Before() string { return l.before() }

func (l *Line) replaceBefore(s string) { l.set(l.clean(s), l.after()) }

// SetNote shows s on the right: "3 of 17".
func (l *Line) SetNote(s string) { l.note = s }

// SetOrigin shows after the text where it comes from.
func (l *Line) SetOrigin(s string) { l.origin = s }

// SetError shows an error until the text changes.
func (l *Line) SetError(s string) { l.failed = s }

// Update handles keys and pasted text.
func (l *Line) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		l.removeSelected()
		l.insert(strings.TrimRight(msg.Content, "\r\n"))
	case tea.KeyPressMsg:
		l.press(msg)
	}
	return nil
}

func (l *Line) press(press tea.KeyPressMsg) {
	if l.deletes(press) && l.removeSelected() {
		return
	}
	if l.edit(press) || l.recall(press) {
		l.selected = false
		return
	}
	if press.Text != "" && press.Mod&(tea.ModCtrl|tea.ModAlt) == 0 {
		l.removeSelected()
		l.insert(press.Text)
	}
}

func (l *Line) deletes(press tea.KeyPressMsg) bool {
	k := l.keys.Edit
	return keymap.Match(press, k.DeleteForward, k.DeleteBackward, k.DeleteWordForward, k.DeleteWordBackward, k.DeleteToEnd, k.DeleteToStart)
}

// removeSelected deletes the text if it is selected, and reports whether it was.
func (l *Line) removeSelected() bool {
	if !l.selected {
		return false
	}
	l.selected = false
	l.set("", "")
	l.entry, l.failed = 0, ""
	return true
}

// edit moves the cursor, or deletes the text over which the cursor would move. At the end of the
// text, moving right or to the end accepts the suggestion.
func (l *Line) edit(press tea.KeyPressMsg) bool {
	k := l.keys.Edit
	if l.at == len(l.text) {
		switch {
		case keymap.Match(press, k.CharForward), keymap.Match(press, k.TextEnd):
			if rest := l.suggestion(); rest != "" {
				l.insert(rest)
			}
			return true
		}
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

// recall browses the history entries that begin with the typed text.
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
	for i := l.entry + step; i >= 0 && i <= len(l.History); i += step {
		if i == 0 {
			l.entry = 0
			l.SetValue(l.typed)
			break
		}
		if h := l.History[i-1]; strings.HasPrefix(h, l.typed) && h != l.Value() {
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

// suggestion returns the rest of the newest history entry, or of a further suggestion, that
// begins with the text.
func (l *Line) suggestion() string {
	text := l.Value()
	if text == "" || l.Secret {
		return ""
	}
	for _, entries := range [][]string{l.History, l.Suggestions} {
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
	label := l.labelShown()
	note, noteStyle := l.aside()
	start, room := l.window()
	b := l.styles.TitleFocused.Render(label)
	used := cells.Width(label)
	switch {
	case len(l.text) == 0 && l.Placeholder != "":
		hint := cells.Truncate(l.untyped(l.styles.Faint, "(", l.Placeholder, ")"), room, "")
		b += l.styles.Faint.Render(hint)
		used += cells.Width(hint)
	case l.Secret:
		stars := cells.Truncate(strings.Repeat("*", min(len(l.text), maxStars)), room, "")
		b += l.styles.Text.Render(stars)
		used += cells.Width(stars)
	default:
		text := cells.Truncate(l.shown(l.text[start:]...), room, "")
		style := l.styles.Text
		if l.selected {
			style = l.styles.Selection
		}
		b += style.Render(text)
		used += cells.Width(text)
		rest := l.shown(l.suggestion())
		if rest != "" {
			rest = cells.Truncate(l.untyped(l.styles.Faint, "[", rest, "]"), l.w-used-cells.Width(note)-2, "")
		}
		if !l.blurred && rest != "" {
			b += l.styles.Faint.Render(rest)
			used += cells.Width(rest)
		}
		const originGap = 2
		if n := originGap + cells.Width(l.origin); l.origin != "" && used+n <= l.w-cells.Width(note) {
			b += cells.Blank(originGap) + l.styles.Muted.Render(l.origin)
			used += n
		}
	}
	if gap := l.w - used - cells.Width(note); note != "" && gap >= 1 {
		b += cells.Blank(gap) + noteStyle.Render(note)
	}
	return cells.Fit(b, l.w)
}

// aside returns the text to the right of the input, and its style.
func (l *Line) aside() (string, lipgloss.Style) {
	if l.failed != "" && !l.apart {
		return l.failed, l.styles.Failed
	}
	return l.note, l.styles.Muted
}

// untyped draws text that the user has not typed. If a style cannot distinguish it, it is
// enclosed in open and end.
func (l *Line) untyped(style lipgloss.Style, open, text, end string) string {
	if style.Render(text) != l.styles.Text.Render(text) {
		return text
	}
	return open + text + end
}

// leastText is the room of the text beside a label that is longer than half of the line.
const leastText = 16

// labelShown returns the label, shortened to leave enough room for the text.
func (l *Line) labelShown() string {
	name, colon := strings.CutSuffix(l.Label, ": ")
	if most := max(l.w/2, l.w-leastText); !colon || cells.Width(l.Label) <= most {
		return cells.Truncate(l.Label, l.w, "")
	} else if most > 4 {
		return strings.TrimRight(cells.Truncate(name, most-2, ""), " (") + ": "
	}
	return ""
}

// window returns the index of the first visible cluster, such that the cursor is visible, and the
// room for the text.
func (l *Line) window() (start, room int) {
	room = l.w - cells.Width(l.labelShown())
	note, _ := l.aside()
	if n := cells.Width(note); n > 0 && room-n-2 >= 8 {
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

// Click puts the cursor at column x.
func (l *Line) Click(x int) {
	if l.Secret {
		return
	}
	l.selected = false
	start, _ := l.window()
	x -= cells.Width(l.labelShown())
	for l.at = start; l.at < len(l.text); l.at++ {
		if x -= cells.Width(l.shown(l.text[l.at])); x < 0 {
			return
		}
	}
}

// Cursor returns the position of the cursor, or nil without focus.
func (l *Line) Cursor() *tea.Cursor {
	if l.blurred {
		return nil
	}
	start, room := l.window()
	x := cells.Width(l.labelShown())
	if l.Secret {
		x += min(l.at, maxStars, max(0, room))
	} else {
		x += cells.Width(l.shown(l.text[start:l.at]...))
	}
	return tea.NewCursor(min(x, max(0, l.w-1)), 0)
}

// ShortHelp returns the most important keys.
func (l *Line) ShortHelp() []key.Binding {
	return []key.Binding{l.accept(), l.keys.Input.Cancel}
}

func (l *Line) accept() key.Binding {
	b := l.keys.Input.Accept
	if l.Verb != "" {
		b.SetHelp(b.Help().Key, l.Verb)
	}
	return b
}

// edited is text with a cursor. Positions count grapheme clusters: a letter with its accents is
// one.
type edited struct {
	text []string // grapheme clusters
	at   int      // position of the cursor: before text[at]
}

func (e *edited) before() string { return strings.Join(e.text[:e.at], "") }
func (e *edited) after() string  { return strings.Join(e.text[e.at:], "") }

// set replaces the text and puts the cursor between before and after. If the text at the cursor
// forms one grapheme cluster, the cursor is after it.
func (e *edited) set(before, after string) {
	e.text = clusters(before + after)
	e.at = min(len(clusters(before)), len(e.text))
}

// move puts the cursor before character i, limited to the text.
func (e *edited) move(i int) { e.at = max(0, min(i, len(e.text))) }

// removeTo deletes the characters between the cursor and i. It returns false if there are none.
func (e *edited) removeTo(i int) bool {
	from := e.at
	e.move(i)
	to := max(from, e.at)
	e.at = min(from, e.at)
	e.text = slices.Delete(e.text, e.at, to)
	return e.at < to
}

// wordEnd returns the end of the word after the cursor, wordStart the start of the word before
// it.
func (e *edited) wordEnd() int {
	i := e.at
	for i < len(e.text) && !isWord(e.text[i]) {
		i++
	}
	for i < len(e.text) && isWord(e.text[i]) {
		i++
	}
	return i
}

func (e *edited) wordStart() int {
	i := e.at
	for i > 0 && !isWord(e.text[i-1]) {
		i--
	}
	for i > 0 && isWord(e.text[i-1]) {
		i--
	}
	return i
}

func isWord(cluster string) bool {
	for _, r := range cluster {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
	}
	return false
}

func clusters(s string) []string {
	var all []string
	for g := graphemes.FromString(s); g.Next(); {
		all = append(all, g.Value())
	}
	return all
}
