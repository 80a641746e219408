package main

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// prompt is a line of text that is written at its end.
type prompt struct{ text string }

const promptSign = "> "

func (p *prompt) update(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		p.text += strings.Join(strings.Fields(msg.Content), " ")
	case tea.KeyPressMsg:
		switch msg.String() {
		case "backspace", "ctrl+h":
			if runes := []rune(p.text); len(runes) > 0 {
				p.text = string(runes[:len(runes)-1])
			}
		case "ctrl+u":
			p.text = ""
		case "ctrl+w":
			p.text = p.text[:strings.LastIndexByte(strings.TrimRight(p.text, " "), ' ')+1]
		default:
			p.text += msg.Text
		}
	}
}

// view shows the end of the text, and where the cursor stands behind it.
func (p *prompt) view(w int) (line string, cursor int) {
	room := max(1, w-len(promptSign)-1)
	text := p.text
	if over := ansi.StringWidth(text) - room; over > 0 {
		text = ansi.TruncateLeft(text, over, "")
	}
	return promptSign + text, len(promptSign) + ansi.StringWidth(text)
}
