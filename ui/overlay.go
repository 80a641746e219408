package ui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/ui/components/dialog"
	"github.com/hobjobs/hob/ui/components/help"
	"github.com/hobjobs/hob/ui/components/palette"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// box is a component that can be shown over the panes.
type box interface {
	Update(msg tea.Msg) tea.Cmd
	View() string
	Cursor() *tea.Cursor
	Click(x, y int) // position in the box
	Scroll(rows int)
	ShortHelp() []key.Binding
}

// overlay is a box over the panes. It gets all keys until it closes.
type overlay struct {
	box
	context string                    // context in the key map
	resize  func(w, h int)            // resizes the box
	handle  func(msg tea.Msg) tea.Cmd // handles messages; nil: the box does
	settle  func() tea.Cmd            // runs after a key or a click; may be nil
	under   *overlay                  // the box that this one covers, and that is shown again after it
}

// updateOver passes a message to the open box.
func (p *Pane) updateOver(msg tea.Msg) tea.Cmd {
	o := p.over
	if o.handle != nil {
		return o.handle(msg)
	}
	return tea.Batch(p.route(o.Update(msg)), o.settled())
}

func (o *overlay) click(x, y int) tea.Cmd {
	o.Click(x, y)
	return o.settled()
}

func (o *overlay) settled() tea.Cmd {
	if o.settle == nil {
		return nil
	}
	return o.settle()
}

// open shows a box over the panes.
func (p *Pane) open(o *overlay) tea.Cmd {
	p.over = o
	p.prompt = nil
	p.toasts.DropAnswers()
	p.sizeOverlay()
	p.spreadFocus()
	return nil
}

// shut closes the box and shows the one that it covered.
func (p *Pane) shut() {
	if p.over != nil {
		p.over = p.over.under
	}
	p.spreadFocus()
}

func (p *Pane) sizeOverlay() {
	room := p.overlayRoom()
	for o := p.over; o != nil; o = o.under {
		o.resize(room.w, room.h)
	}
}

// overlayRoom returns the area for a box: above the footer, which shows its keys, and below the
// header if the window is high enough.
func (p *Pane) overlayRoom() rect {
	foot := max(1, p.lay.footer.h)
	if p.h < tallHeight || p.attachment != nil {
		return rect{0, 0, p.w, max(0, p.h-foot)}
	}
	return rect{0, p.lay.header.h, p.w, max(0, p.h-p.lay.header.h-foot)}
}

// overlayPlace returns the position and size of a box: centered.
func (p *Pane) overlayPlace(o *overlay) (x, y, w, h int) {
	box := o.View()
	first, _, _ := strings.Cut(box, "\n")
	w, h = cells.Width(first), strings.Count(box, "\n")+1
	room := p.overlayRoom()
	return max(0, (room.w-w)/2), room.y + max(0, (room.h-h)/2), w, h
}

// boxWidth returns the width of a box that prefers want of w columns: all w columns if only slivers
// of the panes would remain beside it.
func boxWidth(w, want int) int {
	const sliver = 6
	if w-want < 2*sliver {
		return w
	}
	return want
}

// openDialog asks a question. answer gets the name of the choice, or "" if canceled.
func (p *Pane) openDialog(title string, text []string, choices []dialog.Choice, answer func(string) tea.Cmd) tea.Cmd {
	return p.openChoices(dialog.Ask(title, text, choices, p.opts.keys.Dialog, p.styles), answer)
}

// confirm asks whether to do something that may be regretted. yes is the label of that answer;
// Cancel is preselected.
func (p *Pane) confirm(title, yes string, do func() tea.Cmd, text ...string) tea.Cmd {
	const no = "Cancel"
	choices := []dialog.Choice{{Name: no, Label: no}, {Name: yes, Label: yes, Danger: true, Yes: true}}
	return p.openDialog(title, text, choices, func(answer string) tea.Cmd {
		if answer != yes {
			return nil
		}
		return do()
	})
}

// openMenu shows a menu.
func (p *Pane) openMenu(title string, choices []dialog.Choice, answer func(string) tea.Cmd) tea.Cmd {
	return p.openChoices(dialog.Menu(title, choices, p.opts.keys.Dialog, p.styles), answer)
}

func (p *Pane) openChoices(d *dialog.Model, answer func(string) tea.Cmd) tea.Cmd {
	return p.open(&overlay{
		box: d, context: "dialog", resize: d.SetSize,
		settle: func() tea.Cmd {
			name, done := d.Answer()
			if !done {
				return nil
			}
			p.shut()
			return answer(name)
		},
	})
}

// formActions are the operations of a form's keys.
type formActions struct {
	accept   func() tea.Cmd // accepts the values and closes the form, or shows an error
	attach   func() tea.Cmd // accepts and attaches to the job; may be nil
	cancel   func() tea.Cmd // runs after the form was canceled
	complete func() tea.Cmd // may be nil
	changed  func()         // runs after each change of the text; may be nil
}

func (p *Pane) openForm(form *prompt.Form, do formActions) tea.Cmd {
	const width = 70
	return p.open(&overlay{
		box: form, context: "input",
		resize: func(w, h int) { form.SetSize(boxWidth(w, width), h) },
		handle: func(msg tea.Msg) tea.Cmd {
			if do.changed != nil {
				defer do.changed()
			}
			return p.pressForm(form, do, msg)
		},
	})
}

// pressForm handles the keys of a form that are not for its fields.
func (p *Pane) pressForm(form *prompt.Form, do formActions, msg tea.Msg) tea.Cmd {
	in := p.opts.keys.Input
	press, ok := msg.(tea.KeyPressMsg)
	switch {
	case ok && keymap.Match(press, in.Cancel):
		if form.Withdraw() {
			return nil
		}
		p.shut()
		return do.cancel()
	case ok && keymap.Match(press, in.Accept):
		return do.accept()
	case ok && keymap.Match(press, in.StartAttach) && do.attach != nil:
		return do.attach()
	case ok && keymap.Match(press, in.Complete) && do.complete != nil:
		if form.NextOffer() {
			return nil
		}
		return do.complete()
	}
	return form.Update(msg)
}

// openList shows a palette of actions and performs the chosen one.
func (p *Pane) openList(m *palette.Model) tea.Cmd {
	return p.open(&overlay{
		box: m, context: "palette",
		resize: func(w, h int) { m.SetSize(boxWidth(w, m.Width()), min(h, boxWidth(h, 22))) },
		settle: func() tea.Cmd {
			if why := m.Refused(); why != "" {
				return p.refuse(why)
			}
			id, done := m.Answer()
			if !done {
				return nil
			}
			p.shut()
			if id == "" {
				return nil
			}
			return p.performNamed(id)
		},
	})
}

// openPage shows the help page, over the open box if there is one.
func (p *Pane) openPage(m *help.Model) tea.Cmd {
	return p.open(&overlay{
		box: m, context: "help", under: p.over,
		resize: func(w, h int) { m.SetSize(boxWidth(w, 116), h) },
		settle: func() tea.Cmd {
			if m.Done() {
				p.shut()
			}
			return nil
		},
	})
}
