// Package toast shows short messages that disappear by themselves: what was done, why something
// was refused, which job needs attention. Messages have their own lines and cover nothing.
package toast

import (
	"slices"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/themes"
)

// Level is the importance of a message.
type Level int

// Levels of messages.
const (
	Info Level = iota
	Success
	Warning
	Error
)

// Lifetime returns how long a message of this level stays by default.
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

// Refused is the key of the message that explains why an action is not possible.
const Refused = "refused"

// Copied is the key of the message that text was copied. A host that copies otherwise, or cannot
// copy, replaces it.
const Copied = "copied"

// Message is one message.
type Message struct {
	ID    int
	Level Level
	Text  string
	// Key makes a later message with the same key replace this one.
	Key string
}

// Model has the current messages, newest last. It belongs to one goroutine. The caller that shows
// a message also removes it: see [Model.Drop].
type Model struct {
	styles   *themes.Styles
	glyphs   *themes.Glyphs
	messages []Message
	next     int
}

// New returns a model without messages.
func New(styles *themes.Styles) *Model {
	return &Model{styles: styles, glyphs: &styles.Glyphs}
}

// Show adds a message and returns its id. A message with the same text or key is replaced.
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

// Drop removes a message and reports whether it was still shown.
func (m *Model) Drop(id int) bool {
	before := len(m.messages)
	m.messages = slices.DeleteFunc(m.messages, func(msg Message) bool { return msg.ID == id })
	return len(m.messages) != before
}

// DropKey removes the message with a key.
func (m *Model) DropKey(key string) {
	m.messages = slices.DeleteFunc(m.messages, func(msg Message) bool { return msg.Key == key })
}

// DropAnswers removes messages that are only useful until the user's next action: information,
// and reasons for a refusal.
func (m *Model) DropAnswers() {
	m.messages = slices.DeleteFunc(m.messages, func(msg Message) bool { return msg.Level == Info || msg.Key == Refused })
}

// Clear removes all messages and reports whether there were any.
func (m *Model) Clear() bool {
	any := len(m.messages) > 0
	m.messages = nil
	return any
}

// Lines draws the newest message and all errors in at most rows lines of at most w columns, newest
// last.
func (m *Model) Lines(w, rows int) []string {
	var lines []string
	for i := len(m.messages) - 1; i >= 0; i-- {
		if msg := m.messages[i]; i == len(m.messages)-1 || msg.Level == Error {
			lines = append(m.wrapped(msg, w-2, rows-len(lines)), lines...)
		}
	}
	return lines
}

// wrapped returns the lines of a message, with its mark, in at most h lines of w columns of text.
func (m *Model) wrapped(msg Message, w, h int) []string {
	switch {
	case h <= 0, w < 3, msg.Text == "":
		return nil
	}
	text := cells.WrapTo(msg.Text, w, h, m.glyphs.Ellipsis)
	style, mark := m.look(msg.Level)
	for i, line := range text {
		text[i] = style.Render(mark + " " + line)
		mark = " "
	}
	return text
}

// look returns the style of a level, and the symbol before its messages.
func (m *Model) look(l Level) (style lipgloss.Style, mark string) {
	switch l {
	case Success:
		return m.styles.Running, m.glyphs.Done
	case Warning:
		return m.styles.Warning, m.glyphs.Unreachable
	case Error:
		return m.styles.Failed, m.glyphs.Failed
	case Info:
	}
	return m.styles.Text, m.glyphs.Dot
}
