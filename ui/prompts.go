package ui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/ui/components/logview"
	"github.com/hobjobs/hob/ui/components/prompt"
)

type promptKind int

const (
	promptFilter promptKind = iota
	promptSearch
	promptLine
	promptJump
)

// footerPrompt is a line being typed in place of the footer.
type footerPrompt struct {
	kind   promptKind
	line   *prompt.Line
	job    engine.Job // that a line is for
	regex  bool
	only   bool         // what is searched for is to stand alone
	secret bool         // what is typed is neither shown nor kept
	draft  string       // of the line, from the last time
	asks   bool         // the job's host is being asked for entry
	entry  engine.Entry // of the job, where a host is asked for it
	before string       // what the filter was
	mark   logview.Mark // where the log stood, and what was searched for in it
}

func (p *Pane) openPrompt(f *footerPrompt) tea.Cmd {
	p.prompt = f
	f.line.Focus()
	f.line.SetSize(p.lay.footer.w, 1)
	p.spreadFocus()
	return nil
}

func (p *Pane) closePrompt() {
	p.prompt = nil
	p.spreadFocus()
}

// openFilter narrows the list as one types.
func (p *Pane) openFilter() tea.Cmd {
	p.focus = areaList
	line := prompt.NewLine(p.promptKeys(), p.styles.Prompt, prompt.WithLabel("/"), prompt.WithVerb("keep"),
		prompt.WithPlaceholder("name, command, host, status:failed, host:web1"))
	line.SetValue(p.list.Filter())
	return tea.Batch(p.openPrompt(&footerPrompt{kind: promptFilter, line: line, before: p.list.Filter()}), p.arrange())
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
	line := prompt.NewLine(p.promptKeys(), p.styles.Prompt, prompt.WithLabel(label), prompt.WithVerb("search"), prompt.WithHistory(p.searched), prompt.WithPlaceholder(hint))
	return p.openPrompt(&footerPrompt{kind: promptSearch, line: line, regex: p.regex, only: only, mark: p.log.Mark()})
}

// openJump goes to a percentage of the log.
func (p *Pane) openJump() tea.Cmd {
	return p.openPrompt(&footerPrompt{kind: promptJump, line: prompt.NewLine(p.promptKeys(), p.styles.Prompt,
		prompt.WithLabel("go to % "), prompt.WithVerb("go"), prompt.WithPlaceholder("0 to 100"))})
}

func (p *Pane) jump(f *footerPrompt) tea.Cmd {
	percent, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(f.line.Value()), "%")))
	if err != nil || percent < 0 || percent > 100 {
		f.line.SetError("a number from 0 to 100")
		return nil
	}
	p.closePrompt()
	if err := p.log.Err(); err != nil {
		return p.refuse("the log cannot be read: " + hint(err))
	}
	return p.route(p.log.JumpPercent(percent))
}

// pressPrompt takes a key while a line is being typed.
func (p *Pane) pressPrompt(msg tea.KeyPressMsg) tea.Cmd {
	f, in := p.prompt, p.opts.keys.Input
	p.guardLine()
	switch {
	case keymap.Match(msg, in.Cancel):
		return p.cancelPrompt(f)
	case keymap.Match(msg, in.Accept):
		return p.acceptPrompt(f)
	case keymap.Match(msg, in.ToggleRegex) && f.kind == promptSearch:
		f.regex = !f.regex
		return p.liveSearch(f)
	case f.kind == promptFilter && (msg.Code == tea.KeyUp || msg.Code == tea.KeyDown):
		return p.toFocused(msg) // the list moves while it is filtered
	}
	return p.editPrompt(f, msg)
}

// editPrompt hands a message to the line and shows at once what it changes.
func (p *Pane) editPrompt(f *footerPrompt, msg tea.Msg) tea.Cmd {
	before := f.line.Value()
	f.line.Update(msg)
	p.dirty = true
	if f.line.Value() == before {
		return nil
	}
	switch f.kind {
	case promptFilter:
		p.list.SetFilter(f.line.Value())
		return p.show()
	case promptSearch:
		return p.liveSearch(f)
	case promptJump:
		f.line.SetError("")
	case promptLine:
	}
	return nil
}

// liveBytes bounds the logs that are searched with every key; in larger ones
// Enter begins the search.
const liveBytes = 16 << 20

func (p *Pane) liveSearch(f *footerPrompt) tea.Cmd {
	if p.log.Size() > liveBytes {
		return nil
	}
	cmd, _ := p.search(f)
	return cmd
}

// search looks for what was typed; ok is false if that is no expression. Nothing
// typed shows what was there before.
func (p *Pane) search(f *footerPrompt) (cmd tea.Cmd, ok bool) {
	f.line.SetError("")
	text, find := f.line.Value(), p.log.Search
	if text == "" {
		return p.route(p.log.Return(f.mark)), true
	}
	if p.log.Searches(text, f.regex) && (!f.only || p.log.MatchingOnly()) {
		return nil, true
	}
	if f.only {
		find = p.log.Filter
	}
	cmd, err := find(text, f.regex)
	if err != nil {
		f.line.SetError("not a regular expression")
		return nil, false
	}
	return p.route(cmd), true
}

// acceptSearch ends the typing of a search.
func (p *Pane) acceptSearch(f *footerPrompt) tea.Cmd {
	text := f.line.Value()
	if text == "" {
		return p.repeatSearch(f)
	}
	cmd, ok := p.search(f)
	if !ok {
		return nil
	}
	p.searched, p.regex = remember(p.searched, text), f.regex
	p.closePrompt()
	return cmd
}

// repeatSearch goes to the next match of what was searched for last.
func (p *Pane) repeatSearch(f *footerPrompt) tea.Cmd {
	p.closePrompt()
	if p.searching() {
		return p.route(p.log.NextMatch())
	}
	if len(p.searched) == 0 {
		return nil
	}
	f.line.SetValue(p.searched[0])
	f.regex = p.regex
	cmd, _ := p.search(f)
	return cmd
}

func (p *Pane) cancelPrompt(f *footerPrompt) tea.Cmd {
	p.closePrompt()
	switch f.kind {
	case promptFilter:
		p.list.SetFilter(f.before)
		return p.show()
	case promptSearch:
		return p.route(p.log.Return(f.mark))
	case promptLine:
		return p.keepLine(f)
	case promptJump:
	}
	return nil
}

// leavePrompt closes a prompt because of a click somewhere else: what narrows or
// finds stays, what would act does not.
func (p *Pane) leavePrompt(f *footerPrompt) tea.Cmd {
	if f.kind == promptFilter || f.kind == promptSearch && f.line.Value() != "" {
		return p.acceptPrompt(f)
	}
	return p.cancelPrompt(f)
}

func (p *Pane) acceptPrompt(f *footerPrompt) tea.Cmd {
	switch f.kind {
	case promptFilter:
		p.closePrompt()
		return p.show()
	case promptSearch:
		return p.acceptSearch(f)
	case promptLine:
		p.closePrompt()
		return p.acceptLine(f)
	case promptJump:
		return p.jump(f)
	}
	return nil
}

// remember puts text before what was typed earlier.
func remember(history []string, text string) []string {
	if text == "" {
		return history
	}
	const most = 50
	history = slices.DeleteFunc(history, func(s string) bool { return s == text })
	history = slices.Insert(history, 0, text)
	return history[:min(len(history), most)]
}

// promptNote is what stands right of the line: how much it finds.
func (p *Pane) promptNote(f *footerPrompt) string {
	switch f.kind {
	case promptFilter:
		all, shown := p.list.Len()
		return strconv.Itoa(shown) + " of " + strconv.Itoa(all)
	case promptSearch:
		note := p.searchNote()
		if text := f.line.Value(); p.log.Size() > liveBytes && !p.log.Searches(text, f.regex) {
			note = ""
			if text != "" {
				note = p.keyLabel(p.opts.keys.Input.Accept) + " searches " + units.FormatBytes(p.log.Size())
			}
		}
		switch regex := p.opts.keys.Input.ToggleRegex; {
		case f.regex:
			return strings.TrimSpace("regex  " + note)
		case p.lay.footer.h == 1 && p.w >= quitFooter && regex.Enabled(): // no other line says it
			return strings.TrimSpace(p.keyLabel(regex) + " regex  " + note)
		}
		return note
	case promptLine, promptJump:
	}
	return ""
}

// searchNote says how much the search found: "3 of 17".
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

// paste goes to the job that owns the keyboard or to the line being typed.
func (p *Pane) paste(msg tea.PasteMsg) tea.Cmd {
	p.dirty = true
	switch {
	case p.over != nil:
		return p.over.update(p, msg)
	case p.attachment != nil:
		return p.toTerminal(msg)
	case p.prompt != nil:
		return p.editPrompt(p.prompt, msg)
	}
	return nil
}
