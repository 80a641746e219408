package toast

import (
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

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

// Clear removes all; it reports whether there were any.
func (m *Model) Clear() bool {
	any := len(m.messages) > 0
	m.messages = nil
	return any
}

// Empty reports whether there is nothing to show.
func (m *Model) Empty() bool { return len(m.messages) == 0 }

// Lines are the newest messages that fit, oldest first, each as wide as its
// text.
func (m *Model) Lines() []string {
	shown := m.messages[max(0, len(m.messages)-min(m.h, 4)):]
	lines := make([]string, 0, len(shown))
	for _, msg := range shown {
		text := cells.End(msg.Text, m.w-4, m.glyphs.Ellipsis)
		if text == "" {
			continue
		}
		lines = append(lines, " "+m.style(msg.Level).Render(m.mark(msg.Level)+" "+text)+" ")
	}
	return lines
}

// View is Lines in one string.
func (m *Model) View() string { return strings.Join(m.Lines(), "\n") }

func (m *Model) style(l Level) lipgloss.Style {
	switch l {
	case Success:
		return m.styles.Success
	case Warning:
		return m.styles.Warning
	case Error:
		return m.styles.Error
	case Info:
	}
	return m.styles.Info
}

func (m *Model) mark(l Level) string {
	switch l {
	case Success:
		return m.glyphs.Done
	case Warning:
		return m.glyphs.Unreachable
	case Error:
		return m.glyphs.Failed
	case Info:
	}
	return m.glyphs.Dot
}
