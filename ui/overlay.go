package ui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/dialog"
	"github.com/hobjobs/hob/ui/components/help"
	"github.com/hobjobs/hob/ui/components/palette"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// box is a component that can stand over the panes.
type box interface {
	Update(msg tea.Msg) tea.Cmd
	View() string
	Cursor() *tea.Cursor
	Click(x, y int) // at a place of the box
	Scroll(rows int)
	ShortHelp() []key.Binding
}

// overlay is a box over the panes that owns the keyboard until it closes.
type overlay struct {
	box
	context string                    // the key map's name for where the keys go
	resize  func(w, h int)            // gives the box its part of that room
	restyle func(s themes.Styles)     // gives it other styles
	handle  func(msg tea.Msg) tea.Cmd // takes messages; nil: the box does
	settle  func() tea.Cmd            // follows up on what was pressed or clicked; nil: nothing follows
}

// update hands a message to the box.
func (o *overlay) update(msg tea.Msg) tea.Cmd {
	if o.handle != nil {
		return o.handle(msg)
	}
	return tea.Batch(o.Update(msg), o.settled())
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

// open puts a box over the panes.
func (p *Pane) open(o *overlay) tea.Cmd {
	p.over = o
	p.prompt = nil
	p.toasts.DropAnswers()
	p.sizeOverlay()
	p.spreadFocus()
	return nil
}

// shut takes it away.
func (p *Pane) shut() {
	p.over = nil
	p.spreadFocus()
	p.looked()
}

func (p *Pane) sizeOverlay() {
	if p.over != nil {
		room := p.overlayRoom()
		p.over.resize(room.w, room.h)
	}
}

// overlayRoom is where a box may stand: above the footer, which has its keys,
// and below the header where rows are not dear.
func (p *Pane) overlayRoom() rect {
	foot := max(1, p.lay.footer.h)
	if p.h < tallHeight || p.attachment != nil {
		return rect{0, 0, p.w, max(0, p.h-foot)}
	}
	return rect{0, p.lay.header.h, p.w, max(0, p.h-p.lay.header.h-foot)}
}

// overlayPlace is where the box stands: in the middle.
func (p *Pane) overlayPlace() (x, y, w, h int) {
	box := p.over.View()
	first, _, _ := strings.Cut(box, "\n")
	w, h = cells.Width(first), strings.Count(box, "\n")+1
	room := p.overlayRoom()
	return max(0, (room.w-w)/2), room.y + max(0, (room.h-h)/2), w, h
}

// snug is the width of a box that would like to have want columns of w: all of
// them where no more than slivers of the panes would be left beside it.
func snug(w, want int) int {
	const sliver = 4
	if w-want < 2*sliver {
		return w
	}
	return want
}

// openDialog asks a question; answer gets the name of the choice, "" for none.
func (p *Pane) openDialog(title string, text []string, choices []dialog.Choice, answer func(string) tea.Cmd) tea.Cmd {
	return p.openChoices(dialog.Ask(title, text, choices, p.opts.keys.Dialog, p.styles.Dialog, p.opts.glyphs), answer)
}

// openMenu offers choices one below the other.
func (p *Pane) openMenu(title string, choices []dialog.Choice, answer func(string) tea.Cmd) tea.Cmd {
	return p.openChoices(dialog.Menu(title, choices, p.opts.keys.Dialog, p.styles.Dialog, p.opts.glyphs), answer)
}

func (p *Pane) openChoices(d *dialog.Model, answer func(string) tea.Cmd) tea.Cmd {
	return p.open(&overlay{
		box: d, context: "dialog", resize: d.SetSize,
		restyle: func(s themes.Styles) { d.SetStyles(s.Dialog, s.Glyphs) },
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

// formActions are what the keys of a form lead to.
type formActions struct {
	accept   func() (cmd tea.Cmd, wrong string) // takes the text; a word of what is wrong keeps the form open
	cancel   func() tea.Cmd
	complete func() tea.Cmd // nil: there is nothing to complete
	changed  func()         // after whatever may have changed the text; nil: nothing follows
}

func (p *Pane) openForm(form *prompt.Form, do formActions) tea.Cmd {
	const width = 70
	return p.open(&overlay{
		box: form, context: "input",
		resize:  func(w, h int) { form.SetSize(snug(w, width), h) },
		restyle: func(s themes.Styles) { form.SetStyles(s.Prompt, s.Dialog, s.Glyphs) },
		handle: func(msg tea.Msg) tea.Cmd {
			if do.changed != nil {
				defer do.changed()
			}
			return p.pressForm(form, do, msg)
		},
	})
}

// pressForm takes the keys of a form that are not for its fields.
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
		cmd, wrong := do.accept()
		if wrong != "" {
			form.SetError(wrong)
			return nil
		}
		p.shut()
		return cmd
	case ok && keymap.Match(press, in.Complete) && do.complete != nil:
		if form.NextOffer() {
			return nil
		}
		return do.complete()
	}
	return form.Update(msg)
}

// openPicker offers the entries of a palette; take gets the id of the chosen one.
func (p *Pane) openPicker(m *palette.Model, take func(id string) tea.Cmd) tea.Cmd {
	return p.open(&overlay{
		box: m, context: "palette",
		resize:  func(w, h int) { m.SetSize(snug(w, m.Width()), min(h, snug(h, 22))) },
		restyle: func(s themes.Styles) { m.SetStyles(s.Palette, s.Glyphs) },
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
			return take(id)
		},
	})
}

// openPage shows the page of keys.
func (p *Pane) openPage(m *help.Model) tea.Cmd {
	return p.open(&overlay{
		box: m, context: "help",
		resize:  func(w, h int) { m.SetSize(snug(w, 116), h) },
		restyle: func(s themes.Styles) { m.SetStyles(s.Help, s.Glyphs) },
		settle: func() tea.Cmd {
			if m.Done() {
				p.shut()
			}
			return nil
		},
	})
}
