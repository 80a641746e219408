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

// overlay is a box over the panes that owns the keyboard until it closes.
type overlay interface {
	// update takes a message; the overlay closes itself through the pane.
	update(p *Pane, msg tea.Msg) tea.Cmd
	// resize gives the room that the box may take at most.
	resize(w, h int)
	view() string
	cursor() *tea.Cursor
	// click is at x, y of the box.
	click(p *Pane, x, y int) tea.Cmd
	wheel(n int)
	keys() []key.Binding
	// context is the key map's name for where the keys go.
	context() string
	setStyles(s themes.Styles)
}

// open puts a box over the panes.
func (p *Pane) open(o overlay) tea.Cmd {
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
	box := p.over.view()
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

// dialogBox is a question or a menu.
type dialogBox struct {
	*dialog.Model
	answer func(name string) tea.Cmd
}

func (p *Pane) openDialog(title string, text []string, choices []dialog.Choice, answer func(string) tea.Cmd) tea.Cmd {
	d := dialog.Ask(title, text, choices, p.opts.keys.Dialog, p.styles.Dialog, p.opts.glyphs)
	return p.open(&dialogBox{d, answer})
}

func (p *Pane) openMenu(title string, choices []dialog.Choice, answer func(string) tea.Cmd) tea.Cmd {
	d := dialog.Menu(title, choices, p.opts.keys.Dialog, p.styles.Dialog, p.opts.glyphs)
	return p.open(&dialogBox{d, answer})
}

func (b *dialogBox) update(p *Pane, msg tea.Msg) tea.Cmd {
	b.Update(msg)
	return b.settle(p)
}

func (b *dialogBox) settle(p *Pane) tea.Cmd {
	name, done := b.Answer()
	if !done {
		return nil
	}
	p.shut()
	return b.answer(name)
}

func (b *dialogBox) click(p *Pane, x, y int) tea.Cmd {
	b.Click(x, y)
	return b.settle(p)
}

func (b *dialogBox) resize(w, h int)           { b.SetSize(w, h) }
func (b *dialogBox) view() string              { return b.View() }
func (b *dialogBox) cursor() *tea.Cursor       { return nil }
func (b *dialogBox) wheel(int)                 {}
func (b *dialogBox) keys() []key.Binding       { return b.ShortHelp() }
func (b *dialogBox) context() string           { return "dialog" }
func (b *dialogBox) setStyles(s themes.Styles) { b.SetStyles(s.Dialog, s.Glyphs) }

// formBox is a few fields to fill in.
type formBox struct {
	*prompt.Form
	input keymap.Input
	width int
	// accept takes the text; a word of what is wrong keeps the form open.
	accept   func() (cmd tea.Cmd, wrong string)
	complete func() tea.Cmd
	changed  func() // after whatever may have changed the text
	refused  func() tea.Cmd
}

func (b *formBox) update(p *Pane, msg tea.Msg) tea.Cmd {
	if b.changed != nil {
		defer b.changed()
	}
	press, ok := msg.(tea.KeyPressMsg)
	switch {
	case ok && keymap.Match(press, b.input.Cancel):
		if b.Withdraw() {
			return nil
		}
		p.shut()
		if b.refused != nil {
			return b.refused()
		}
		return nil
	case ok && keymap.Match(press, b.input.Accept):
		cmd, wrong := b.accept()
		if wrong != "" {
			b.SetError(wrong)
			return nil
		}
		p.shut()
		return cmd
	case ok && keymap.Match(press, b.input.Complete) && b.complete != nil:
		if b.NextOffer() {
			return nil
		}
		return b.complete()
	}
	return b.Update(msg)
}

func (b *formBox) click(_ *Pane, x, y int) tea.Cmd {
	b.Click(x, y)
	return nil
}

func (b *formBox) resize(w, h int)           { b.SetSize(snug(w, b.width), h) }
func (b *formBox) view() string              { return b.View() }
func (b *formBox) cursor() *tea.Cursor       { return b.Cursor() }
func (b *formBox) wheel(int)                 {}
func (b *formBox) keys() []key.Binding       { return b.ShortHelp() }
func (b *formBox) context() string           { return "input" }
func (b *formBox) setStyles(s themes.Styles) { b.SetStyles(s.Prompt, s.Dialog, s.Glyphs) }

// paletteBox is the palette or a picker.
type paletteBox struct {
	*palette.Model
	take func(id string) tea.Cmd
}

func (b *paletteBox) update(p *Pane, msg tea.Msg) tea.Cmd {
	b.Update(msg)
	return b.settle(p)
}

func (b *paletteBox) settle(p *Pane) tea.Cmd {
	if why := b.Refused(); why != "" {
		return p.refuse(why)
	}
	id, done := b.Answer()
	if !done {
		return nil
	}
	p.shut()
	if id == "" {
		return nil
	}
	return b.take(id)
}

func (b *paletteBox) click(p *Pane, x, y int) tea.Cmd {
	b.Click(x, y)
	return b.settle(p)
}

func (b *paletteBox) resize(w, h int)           { b.SetSize(snug(w, b.Width()), min(h, snug(h, 22))) }
func (b *paletteBox) view() string              { return b.View() }
func (b *paletteBox) cursor() *tea.Cursor       { return b.Cursor() }
func (b *paletteBox) wheel(n int)               { b.Scroll(n) }
func (b *paletteBox) keys() []key.Binding       { return b.ShortHelp() }
func (b *paletteBox) context() string           { return "palette" }
func (b *paletteBox) setStyles(s themes.Styles) { b.SetStyles(s.Palette, s.Glyphs) }

// helpBox is the page of keys.
type helpBox struct{ *help.Model }

func (b *helpBox) update(p *Pane, msg tea.Msg) tea.Cmd {
	b.Update(msg)
	if b.Done() {
		p.shut()
	}
	return nil
}

func (b *helpBox) resize(w, h int)               { b.SetSize(snug(w, 116), h) }
func (b *helpBox) view() string                  { return b.View() }
func (b *helpBox) cursor() *tea.Cursor           { return b.Cursor() }
func (b *helpBox) click(*Pane, int, int) tea.Cmd { return nil }
func (b *helpBox) wheel(n int)                   { b.Scroll(n) }
func (b *helpBox) keys() []key.Binding           { return b.ShortHelp() }
func (b *helpBox) context() string               { return "help" }
func (b *helpBox) setStyles(s themes.Styles)     { b.SetStyles(s.Help, s.Glyphs) }
