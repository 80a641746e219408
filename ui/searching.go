package ui

import (
	"errors"
	"regexp/syntax"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/ui/components/logview"
	"github.com/hobjobs/hob/ui/components/prompt"
	"github.com/hobjobs/hob/ui/components/toast"
)

type searchPrompt struct {
	line    *prompt.Line
	sign    string // "/", or "&" to show only matching lines
	plain   bool   // search for plain text, not a regular expression
	invalid string // why the expression is invalid so far
	mark    logview.Mark
}

func (s *searchPrompt) only() bool { return s.sign == "&" }

// label shows the mode: the same text matches differently in the two modes.
func (s *searchPrompt) label() string {
	if s.plain {
		return "text " + s.sign
	}
	return "regex " + s.sign
}

// openSearch searches the log while the user types; an empty text repeats the last search.
func (p *Pane) openSearch() tea.Cmd { return p.askSearch("/") }

// matchingOnly shows only matching lines, or all lines. Without a search it asks for one.
func (p *Pane) matchingOnly() tea.Cmd {
	if p.output.searching() {
		return p.tasks.route(p.output.log.SetMatchingOnly(!p.output.log.MatchingOnly()))
	}
	return p.askSearch("&")
}

func (p *Pane) askSearch(sign string) tea.Cmd {
	hint := ""
	if last := p.history.lastSearch(); last != "" {
		hint = p.keyLabel(p.opts.keys.Input.Accept) + " to repeat " + last
	}
	toggle := p.opts.keys.Input.ToggleRegex
	s := &searchPrompt{sign: sign, plain: p.history.plain, mark: p.output.log.Mark()}
	line := p.newLine(prompt.Options{Label: s.label(), Verb: "search", History: p.history.searches, Placeholder: hint})
	s.line = line
	f := &footerPrompt{
		line: line,
		press: func(msg tea.KeyPressMsg) (tea.Cmd, bool) {
			if !keymap.Match(msg, toggle) {
				return nil, false
			}
			s.plain = !s.plain
			line.Label = s.label()
			return p.liveSearch(s), true
		},
		changed: func() tea.Cmd { return p.liveSearch(s) },
		note:    func() string { return p.noteOf(s) },
		accept:  func() tea.Cmd { return p.acceptSearch(s) },
		cancel:  func() tea.Cmd { return p.tasks.route(p.output.log.Return(s.mark)) },
	}
	f.left = func() tea.Cmd {
		if line.Value() == "" {
			return p.cancelPrompt(f)
		}
		return f.accept()
	}
	return p.openPrompt(f)
}

// liveBytes is the maximum size of logs that are searched while the user types. In larger ones
// Enter starts the search.
const liveBytes = 16 << 20

func (p *Pane) liveSearch(s *searchPrompt) tea.Cmd {
	if p.output.log.Size() > liveBytes {
		return nil
	}
	cmd, _ := p.search(s)
	return cmd
}

// search searches for the typed text. If the expression is invalid, ok is false and the last
// valid search stays. An empty text restores the previous search.
func (p *Pane) search(s *searchPrompt) (cmd tea.Cmd, ok bool) {
	s.invalid = ""
	s.line.SetError("")
	text, find := s.line.Value(), p.output.log.Search
	if text == "" {
		return p.tasks.route(p.output.log.Return(s.mark)), true
	}
	if p.output.log.Searches(text, !s.plain) && (!s.only() || p.output.log.MatchingOnly()) {
		return nil, true
	}
	if s.only() {
		find = p.output.log.Filter
	}
	cmd, err := find(text, !s.plain)
	if err != nil {
		s.invalid = invalidPattern(err)
		return nil, false
	}
	return p.tasks.route(cmd), true
}

// invalidPattern returns the problem of a regular expression, without the expression.
func invalidPattern(err error) string {
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		return e.Code.String()
	}
	return err.Error()
}

// acceptSearch closes the prompt and keeps the search.
func (p *Pane) acceptSearch(s *searchPrompt) tea.Cmd {
	text := s.line.Value()
	if text == "" {
		return p.repeatSearch(s)
	}
	cmd, ok := p.search(s)
	if !ok {
		toggle := p.opts.keys.Input.ToggleRegex
		s.line.SetError(p.dotted(s.invalid, p.does(toggle, "to search as plain text")))
		return nil
	}
	p.history.searched(text, s.plain)
	p.closePrompt()
	if why := p.output.log.NoMatches(); why != "" {
		cmd = tea.Batch(cmd, p.notices.message(toast.Info, why))
	}
	return cmd
}

// repeatSearch goes to the next match of the last search.
func (p *Pane) repeatSearch(s *searchPrompt) tea.Cmd {
	p.closePrompt()
	if p.output.searching() {
		return p.tasks.route(p.output.log.NextMatch())
	}
	last := p.history.lastSearch()
	if last == "" {
		return nil
	}
	s.line.SetValue(last)
	s.plain = p.history.plain
	cmd, _ := p.search(s)
	return cmd
}

// noteOf returns the text to the right of a search: the number of matches and, if there is room,
// the key that changes the mode.
func (p *Pane) noteOf(s *searchPrompt) string {
	note := p.output.searchNote()
	text := s.line.Value()
	switch {
	case s.invalid != "":
		note = s.invalid
	case p.output.log.Size() > liveBytes && !p.output.log.Searches(text, !s.plain):
		note = ""
		if text != "" {
			note = p.keyLabel(p.opts.keys.Input.Accept) + " to search (" + units.FormatBytes(p.output.log.Size()) + ")"
		}
	}
	if p.w < quitFooter {
		return note
	}
	other := "plain text"
	if s.plain {
		other = "regex"
	}
	return strings.TrimSpace(p.does(p.opts.keys.Input.ToggleRegex, other) + "   " + note)
}
