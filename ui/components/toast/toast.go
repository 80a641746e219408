// Package toast shows short messages that go by themselves: what was done, why
// something was refused, what wants attention.
package toast

import (
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/themes"
)

// Level says how much a message matters.
type Level int

// The levels.
const (
	Info Level = iota
	Success
	Warning
	Error
)

// Lifetime is how long a message of this level stays, unless it says otherwise.
func (l Level) Lifetime() time.Duration {
	switch l {
	case Warning:
		return 6 * time.Second
	case Error:
		return 8 * time.Second
	case Info, Success:
	}
	return 4 * time.Second
}

// Refused is the key of the message that says why something cannot be done.
const Refused = "refused"

// Message is one message.
type Message struct {
	ID    int
	Level Level
	Text  string
	// Key makes a later message with the same key replace this one.
	Key string
}

// Model is the stack of messages, the newest last. It belongs to one goroutine;
// who shows a message also says when it goes ([Model.Drop]).
type Model struct {
	styles   themes.Toast
	glyphs   themes.Glyphs
	messages []Message
	next     int
	w, h     int
}

// New returns an empty stack.
func New(styles themes.Toast, glyphs themes.Glyphs) *Model {
	return &Model{styles: styles, glyphs: glyphs}
}

// SetStyles replaces styles and glyphs.
func (m *Model) SetStyles(s themes.Toast, g themes.Glyphs) { m.styles, m.glyphs = s, g }

// SetSize sets the room that the messages may take at most.
func (m *Model) SetSize(w, h int) { m.w, m.h = max(0, w), max(0, h) }

// Show adds a message and returns its id. The same text again does not stack
// up: the message shown stays, under its new id.
func (m *Model) Show(msg Message) int {
	m.next++
	msg.ID = m.next
	msg.Text = cells.Clean(msg.Text)
	m.messages = slices.DeleteFunc(m.messages, func(old Message) bool {
		return old.Text == msg.Text || msg.Key != "" && old.Key == msg.Key
	})
	m.messages = append(m.messages, msg)
	return msg.ID
}

// Drop removes a message; false if it has gone already.
func (m *Model) Drop(id int) bool {
	before := len(m.messages)
	m.messages = slices.DeleteFunc(m.messages, func(msg Message) bool { return msg.ID == id })
	return len(m.messages) != before
}

// DropAnswers removes what was of use only until the person did something else:
// what is for information, and why something could not be done.
func (m *Model) DropAnswers() {
	m.messages = slices.DeleteFunc(m.messages, func(msg Message) bool { return msg.Level == Info || msg.Key == Refused })
}

// Clear removes all; it reports whether there were any.
func (m *Model) Clear() bool {
	any := len(m.messages) > 0
	m.messages = nil
	return any
}

// Empty reports whether there is nothing to show.
func (m *Model) Empty() bool { return len(m.messages) == 0 }

const (
	boxWidth, boxHeight = 50, 12 // the least room in which messages get a frame
	widest              = 88     // columns of text
	tallest             = 5      // rows of one message
	edge                = 2      // what a frame takes on either side
)

// Lines are the newest messages that fit, oldest first: in a frame where there
// is room for one, else over the whole width. All lines are equally wide.
func (m *Model) Lines() []string {
	boxed := m.w >= boxWidth && m.h >= boxHeight
	room, rows := m.w-4, min((m.h+1)/2, 4) // half of a small pane is left
	if boxed {
		room, rows = min(m.w-2*edge-2, widest), m.h/3
	}
	var lines []string
	for i := len(m.messages) - 1; i >= 0 && room > 0; i-- {
		text := m.wrapped(m.messages[i], room, min(tallest, rows-len(lines)))
		if text == nil {
			break
		}
		lines = append(text, lines...)
	}
	if len(lines) == 0 {
		return nil
	}
	width := 0
	for _, line := range lines {
		width = max(width, cells.Width(line))
	}
	if boxed {
		frame := cells.Frame{Border: m.glyphs.Border, Line: m.styles.Border}
		return frame.Box("", lines, "", width+2*edge)
	}
	for i, line := range lines {
		lines[i] = " " + cells.Fit(line, m.w-2) + " "
	}
	return lines
}

// wrapped is a message with its mark in at most h rows of w columns of text;
// nil if there is no row for it.
func (m *Model) wrapped(msg Message, w, h int) []string {
	if h <= 0 || msg.Text == "" {
		return nil
	}
	text := strings.Split(ansi.Wrap(msg.Text, w, ""), "\n")
	if len(text) > h {
		rest := strings.Join(text[h-1:], " ")
		text = append(text[:h-1], cells.End(rest, w, m.glyphs.Ellipsis))
	}
	style, mark := m.look(msg.Level)
	for i, line := range text {
		text[i] = style.Render(mark + " " + line)
		mark = " "
	}
	return text
}

// Last is the newest message in one line of at most w columns; empty if there
// is none.
func (m *Model) Last(w int) string {
	if len(m.messages) == 0 || w < 5 {
		return ""
	}
	msg := m.messages[len(m.messages)-1]
	style, mark := m.look(msg.Level)
	return " " + style.Render(cells.End(mark+" "+msg.Text, w-2, m.glyphs.Ellipsis)) + " "
}

// look is the style of a level and the sign before its messages.
func (m *Model) look(l Level) (style lipgloss.Style, mark string) {
	switch l {
	case Success:
		return m.styles.Success, m.glyphs.Done
	case Warning:
		return m.styles.Warning, m.glyphs.Unreachable
	case Error:
		return m.styles.Error, m.glyphs.Failed
	case Info:
	}
	return m.styles.Info, m.glyphs.Dot
}
