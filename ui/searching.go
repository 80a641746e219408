package ui

import (
	"errors"
	"regexp/syntax"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/ui/components/logview"
	"github.com/hobjobs/hob/ui/components/prompt"
	"github.com/hobjobs/hob/ui/components/toast"
)

// searches finds places in the shown log: by an expression that the user types, or by a percentage. It asks
// in the footer and remembers what was searched.
type searches struct {
	*labels
	tasks   *tasks
	notices *notices
	modal   *modal
	output  *output
	history *history
}

// open searches the log while the user types; an empty text repeats the last search.
func (s *searches) open() tea.Cmd { return s.ask("/") }

// matchingOnly asks for a pattern and shows only the lines that match it. It offers the last pattern;
// without one, Enter shows all lines.
func (s *searches) matchingOnly() tea.Cmd { return s.ask("&") }

func (s *searches) ask(sign string) tea.Cmd {
	toggle := s.opts.keys.Input.ToggleRegex
	f := &searchPrompt{searches: s, sign: sign, plain: s.history.plain, mark: s.output.log.Mark(), offered: s.history.lastSearch()}
	f.line = s.newLine(prompt.Options{Label: f.label(), Verb: "search", History: s.history.searches, Placeholder: f.hint()})
	asks := &footerPrompt{
		line: f.line,
		press: func(msg tea.KeyPressMsg) (tea.Cmd, bool) {
			if f.only() && f.line.Value() == "" && keymap.Match(msg, s.opts.keys.Edit.DeleteBackward) {
				f.withdrawOffer()
			}
			if !keymap.Match(msg, toggle) {
				return nil, false
			}
			f.plain = !f.plain
			f.line.Label = f.label()
			return f.live(), true
		},
		changed: func() tea.Cmd {
			if f.only() {
				f.withdrawOffer()
			}
			return f.live()
		},
		note:   f.note,
		accept: f.accept,
		cancel: func() tea.Cmd { return s.tasks.route(s.output.log.Return(f.mark)) },
	}
	asks.left = func() tea.Cmd {
		if f.line.Value() == "" {
			return s.modal.cancelPrompt(asks)
		}
		return f.accept()
	}
	return s.modal.openPrompt(asks)
}

// openJump asks for a percentage and goes there in the log.
func (s *searches) openJump() tea.Cmd {
	line := s.newLine(prompt.Options{Label: "Go to (0-100 %): ", Verb: "go"})
	return s.modal.openPrompt(&footerPrompt{line: line, accept: func() tea.Cmd { return s.jump(line) }})
}

func (s *searches) jump(line *prompt.Line) tea.Cmd {
	percent, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line.Value()), "%")))
	if err != nil || !within(percent, 101) {
		line.SetError("not a number from 0 to 100")
		return nil
	}
	s.modal.closePrompt()
	if err := s.output.log.Err(); err != nil {
		return s.notices.refuse("Can't read the log: " + hint(err))
	}
	return s.tasks.route(s.output.log.JumpPercent(percent))
}

type searchPrompt struct {
	*searches
	line    *prompt.Line
	sign    string // "/", or "&" to show only matching lines
	plain   bool   // search for plain text, not a regular expression
	invalid string // why the expression is invalid so far
	offered string // the pattern that Enter takes while nothing is typed; "": none
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

// hint returns what Enter does while nothing is typed, and for "&" how to show all lines. The offered pattern comes
// first: a narrow line cuts off the rest.
func (s *searchPrompt) hint() string {
	enter := s.opts.keys.Input.Accept
	switch {
	case s.offered != "" && s.only() && s.output.log.MatchingOnly():
		return s.dotted(s.offered, s.does(enter, "to repeat"), s.does(s.opts.keys.Edit.DeleteBackward, "for all lines"))
	case s.offered != "":
		return s.dotted(s.offered, s.does(enter, "to repeat"))
	case s.only() && s.output.log.MatchingOnly():
		return s.does(enter, "to show all lines")
	}
	return ""
}

// withdrawOffer makes Enter show all lines when nothing is typed.
func (s *searchPrompt) withdrawOffer() {
	s.offered = ""
	s.line.Placeholder = s.hint()
}

// liveBytes is the maximum size of logs that are searched while the user types. In larger ones
// Enter starts the search.
const liveBytes = 16 << 20

func (s *searchPrompt) live() tea.Cmd {
	if s.output.large() {
		return nil
	}
	cmd, _ := s.search()
	return cmd
}

// search searches for the typed text. If the expression is invalid, ok is false and the last
// valid search stays. An empty text restores the previous search.
func (s *searchPrompt) search() (cmd tea.Cmd, ok bool) {
	s.invalid = ""
	s.line.SetError("")
	text, find := s.line.Value(), s.output.log.Search
	if text == "" {
		return s.tasks.route(s.output.log.Return(s.mark)), true
	}
	if s.output.log.Searches(text, !s.plain) && (!s.only() || s.output.log.MatchingOnly()) {
		return nil, true
	}
	if s.only() {
		find = s.output.log.Filter
	}
	cmd, err := find(text, !s.plain)
	if err != nil {
		s.invalid = invalidPattern(err)
		return nil, false
	}
	return s.tasks.route(cmd), true
}

// invalidPattern returns the problem of a regular expression, without the expression.
func invalidPattern(err error) string {
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		return e.Code.String()
	}
	return err.Error()
}

// accept closes the prompt and keeps the search.
func (s *searchPrompt) accept() tea.Cmd {
	text := s.line.Value()
	switch {
	case text != "":
	case s.only():
		return s.takeOffer()
	default:
		return s.repeat()
	}
	cmd, ok := s.search()
	if !ok {
		toggle := s.opts.keys.Input.ToggleRegex
		s.line.SetError(s.dotted(s.invalid, s.does(toggle, "to search as plain text")))
		return nil
	}
	s.history.searched(text, s.plain)
	s.modal.closePrompt()
	if why := s.output.log.NoMatches(); why != "" {
		cmd = tea.Batch(cmd, s.notices.message(toast.Info, why))
	}
	return cmd
}

// takeOffer shows only the lines that match the offered pattern, or all lines.
func (s *searchPrompt) takeOffer() tea.Cmd {
	s.modal.closePrompt()
	if s.offered == "" {
		return s.tasks.route(s.output.log.SetMatchingOnly(false))
	}
	s.line.SetValue(s.offered)
	cmd, _ := s.search()
	return cmd
}

// repeat goes to the next match of the last search.
func (s *searchPrompt) repeat() tea.Cmd {
	s.modal.closePrompt()
	if s.output.searching() {
		return s.tasks.route(s.output.log.NextMatch())
	}
	last := s.history.lastSearch()
	if last == "" {
		return nil
	}
	s.line.SetValue(last)
	s.plain = s.history.plain
	cmd, _ := s.search()
	return cmd
}

// note returns the text to the right of a search: the number of matches and, if there is room,
// the key that changes the mode.
func (s *searchPrompt) note() string {
	note := s.output.searchNote()
	text := s.line.Value()
	switch {
	case s.invalid != "":
		note = s.invalid
	case s.output.large() && !s.output.log.Searches(text, !s.plain):
		note = ""
		if text != "" {
			note = s.keyLabel(s.opts.keys.Input.Accept) + " to search (" + units.FormatBytes(s.output.log.Size()) + ")"
		}
	}
	if s.modal.footer.w < quitFooter {
		return note
	}
	other := "plain text"
	if s.plain {
		other = "regex"
	}
	return strings.TrimSpace(s.does(s.opts.keys.Input.ToggleRegex, other) + "   " + note)
}
