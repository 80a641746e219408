package ui

import (
	"slices"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// footerPrompt is a line being typed in place of the footer. What it is for is in
// the functions; those that are nil do nothing.
type footerPrompt struct {
	line    *prompt.Line
	keys    []key.Binding                                    // shown behind those of the line
	press   func(msg tea.KeyPressMsg) (cmd tea.Cmd, ok bool) // takes keys before the line does
	changed func() tea.Cmd                                   // shows at once what was typed
	note    func() string                                    // stands right of the line
	accept  func() tea.Cmd
	cancel  func() tea.Cmd // follows once it is closed
	left    func() tea.Cmd // after a click somewhere else; nil: as cancel
	sending *sending       // a line for a job; nil: it is for something else
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

func (p *Pane) newLine(label, verb string, opts ...prompt.Option) *prompt.Line {
	opts = append([]prompt.Option{prompt.WithLabel(label), prompt.WithVerb(verb)}, opts...)
	return prompt.NewLine(p.promptKeys(), p.styles.Prompt, opts...)
}

// openFilter narrows the list as one types.
func (p *Pane) openFilter() tea.Cmd {
	p.focus = areaList
	before := p.list.Filter()
	line := p.newLine("/", "keep", prompt.WithPlaceholder("name, command, host, status:failed, host:web1"))
	line.SetValue(before)
	filter := func(text string) tea.Cmd {
		p.list.SetFilter(text)
		return p.show()
	}
	keep := func() tea.Cmd {
		p.closePrompt()
		return p.show()
	}
	cmd := p.openPrompt(&footerPrompt{
		line: line, accept: keep, left: keep,
		press: func(msg tea.KeyPressMsg) (tea.Cmd, bool) { // the list moves while it is filtered
			if msg.Code != tea.KeyUp && msg.Code != tea.KeyDown {
				return nil, false
			}
			return p.toFocused(msg), true
		},
		changed: func() tea.Cmd { return filter(line.Value()) },
		note: func() string {
			all, shown := p.list.Len()
			return strconv.Itoa(shown) + " of " + strconv.Itoa(all)
		},
		cancel: func() tea.Cmd { return filter(before) },
	})
	return tea.Batch(cmd, p.arrange())
}

// openJump goes to a percentage of the log.
func (p *Pane) openJump() tea.Cmd {
	line := p.newLine("go to % ", "go", prompt.WithPlaceholder("0 to 100"))
	return p.openPrompt(&footerPrompt{line: line, accept: func() tea.Cmd { return p.jump(line) }})
}

func (p *Pane) jump(line *prompt.Line) tea.Cmd {
	percent, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line.Value()), "%")))
	if err != nil || percent < 0 || percent > 100 {
		line.SetError("a number from 0 to 100")
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
	p.guardLine()
	f, in := p.prompt, p.opts.keys.Input
	switch {
	case keymap.Match(msg, in.Cancel):
		return p.cancelPrompt(f)
	case keymap.Match(msg, in.Accept):
		return f.accept()
	}
	if f.press != nil {
		if cmd, ok := f.press(msg); ok {
			return cmd
		}
	}
	return p.editPrompt(f, msg)
}

// editPrompt hands a message to the line and shows at once what it changes.
func (p *Pane) editPrompt(f *footerPrompt, msg tea.Msg) tea.Cmd {
	before := f.line.Value()
	f.line.Update(msg)
	p.dirty = true
	if f.changed == nil || f.line.Value() == before {
		return nil
	}
	return f.changed()
}

func (p *Pane) cancelPrompt(f *footerPrompt) tea.Cmd {
	p.closePrompt()
	if f.cancel == nil {
		return nil
	}
	return f.cancel()
}

// leavePrompt closes a prompt because of a click somewhere else: what narrows or
// finds stays, what would act does not.
func (p *Pane) leavePrompt(f *footerPrompt) tea.Cmd {
	if f.left == nil {
		return p.cancelPrompt(f)
	}
	return f.left()
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

// paste goes to the job that owns the keyboard or to the line being typed.
func (p *Pane) paste(msg tea.PasteMsg) tea.Cmd {
	p.dirty = true
	switch {
	case p.over != nil:
		return p.over.update(msg)
	case p.attachment != nil:
		return p.toTerminal(msg)
	case p.prompt != nil:
		return p.editPrompt(p.prompt, msg)
	}
	return nil
}
