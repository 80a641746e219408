package ui

import (
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/ui/components/logview"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// searchPrompt is a search being typed.
type searchPrompt struct {
	line  *prompt.Line
	regex bool
	only  bool         // what is searched for is to stand alone
	mark  logview.Mark // where the log stood, and what was searched for in it
}

// openSearch searches the log as one types; nothing typed repeats the last search.
func (p *Pane) openSearch() tea.Cmd { return p.askSearch("/", false) }

// matchingOnly shows the matching lines only, or all; it asks for what is to match
// if nothing is searched for.
func (p *Pane) matchingOnly() tea.Cmd {
	if p.searching() {
		return p.route(p.log.SetMatchingOnly(!p.log.MatchingOnly()))
	}
	return p.askSearch("&", true)
}

func (p *Pane) askSearch(label string, only bool) tea.Cmd {
	hint := ""
	if len(p.searched) > 0 {
		hint = "Enter repeats " + p.searched[0]
	}
	toggle := p.opts.keys.Input.ToggleRegex
	line := p.newLine(label, "search", prompt.WithHistory(p.searched), prompt.WithPlaceholder(hint))
	s := &searchPrompt{line: line, regex: p.regex, only: only, mark: p.log.Mark()}
	f := &footerPrompt{
		line: line, keys: []key.Binding{toggle},
		press: func(msg tea.KeyPressMsg) (tea.Cmd, bool) {
			if !keymap.Match(msg, toggle) {
				return nil, false
			}
			s.regex = !s.regex
			return p.liveSearch(s), true
		},
		changed: func() tea.Cmd { return p.liveSearch(s) },
		note:    func() string { return p.noteOf(s) },
		accept:  func() tea.Cmd { return p.acceptSearch(s) },
		cancel:  func() tea.Cmd { return p.route(p.log.Return(s.mark)) },
	}
	f.left = func() tea.Cmd {
		if line.Value() == "" {
			return p.cancelPrompt(f)
		}
		return f.accept()
	}
	return p.openPrompt(f)
}

// liveBytes bounds the logs that are searched with every key; in larger ones
// Enter begins the search.
const liveBytes = 16 << 20

func (p *Pane) liveSearch(s *searchPrompt) tea.Cmd {
	if p.log.Size() > liveBytes {
		return nil
	}
	cmd, _ := p.search(s)
	return cmd
}

// search looks for what was typed; ok is false if that is no expression. Nothing
// typed shows what was there before.
func (p *Pane) search(s *searchPrompt) (cmd tea.Cmd, ok bool) {
	s.line.SetError("")
	text, find := s.line.Value(), p.log.Search
	if text == "" {
		return p.route(p.log.Return(s.mark)), true
	}
	if p.log.Searches(text, s.regex) && (!s.only || p.log.MatchingOnly()) {
		return nil, true
	}
	if s.only {
		find = p.log.Filter
	}
	cmd, err := find(text, s.regex)
	if err != nil {
		s.line.SetError("not a regular expression")
		return nil, false
	}
	return p.route(cmd), true
}

// acceptSearch ends the typing of a search.
func (p *Pane) acceptSearch(s *searchPrompt) tea.Cmd {
	text := s.line.Value()
	if text == "" {
		return p.repeatSearch(s)
	}
	cmd, ok := p.search(s)
	if !ok {
		return nil
	}
	p.searched, p.regex = remember(p.searched, text), s.regex
	p.closePrompt()
	return cmd
}

// repeatSearch goes to the next match of what was searched for last.
func (p *Pane) repeatSearch(s *searchPrompt) tea.Cmd {
	p.closePrompt()
	if p.searching() {
		return p.route(p.log.NextMatch())
	}
	if len(p.searched) == 0 {
		return nil
	}
	s.line.SetValue(p.searched[0])
	s.regex = p.regex
	cmd, _ := p.search(s)
	return cmd
}

// noteOf is what stands right of a search: how much it finds.
func (p *Pane) noteOf(s *searchPrompt) string {
	note := p.searchNote()
	if text := s.line.Value(); p.log.Size() > liveBytes && !p.log.Searches(text, s.regex) {
		note = ""
		if text != "" {
			note = p.keyLabel(p.opts.keys.Input.Accept) + " searches " + units.FormatBytes(p.log.Size())
		}
	}
	switch toggle := p.opts.keys.Input.ToggleRegex; {
	case s.regex:
		return strings.TrimSpace("regex  " + note)
	case p.lay.footer.h == 1 && p.w >= quitFooter && toggle.Enabled(): // no other line says it
		return strings.TrimSpace(p.keyLabel(toggle) + " regex  " + note)
	}
	return note
}

func (p *Pane) searching() bool {
	text, _, _, _ := p.log.Query()
	return text != ""
}

// searchNote is how much the search found: "3 of 17".
func (p *Pane) searchNote() string {
	text, at, total, done := p.log.Query()
	switch {
	case text == "":
		return ""
	case total == 0 && p.log.Err() != nil:
		return "not read"
	}
	more := ""
	if !done {
		more = "+"
	}
	if at == 0 {
		return strconv.Itoa(total) + more + " found"
	}
	return strconv.Itoa(at) + " of " + strconv.Itoa(total) + more
}
