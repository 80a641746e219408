package ui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/dialog"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// box is a component that can be shown over the panes.
type box interface {
	Update(msg tea.Msg) tea.Cmd
	SetSize(w, h int)
	View() string
	Cursor() *tea.Cursor
	Click(x, y int) tea.Cmd // position in the box
	Scroll(rows int)
	ShortHelp() []key.Binding
}

// overlay is a box over the panes. It gets all keys until it closes.
type overlay struct {
	box
	context string   // context in the key map
	w, h    int      // preferred size; 0: all of the room
	under   *overlay // the box that this one covers, and that is shown again after it
}

func (p *Pane) updateOver(msg tea.Msg) tea.Cmd { return p.tasks.route(p.over.Update(msg)) }

func (p *Pane) open(o *overlay) tea.Cmd {
	p.over = o
	p.prompt = nil
	p.notices.DropAnswers()
	p.sizeOverlay()
	p.updateFocus()
	return nil
}

// shut closes the box and shows the one that it covered.
func (p *Pane) shut() {
	if p.over != nil {
		p.over = p.over.under
	}
	p.updateFocus()
}

func (p *Pane) sizeOverlay() {
	room := p.overlayRoom()
	for o := p.over; o != nil; o = o.under {
		o.SetSize(fitting(room.w, o.w), fitting(room.h, o.h))
	}
}

// overlayRoom returns the area for a box: above the footer, which shows its keys, and below the
// header if the window is high enough.
func (p *Pane) overlayRoom() rect {
	foot := max(1, p.lay.footer.h)
	if p.h < tallHeight || p.fore.attached() != nil {
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

// fitting returns the width or height of a box that prefers want: all of the room if only slivers of
// the panes would remain beside it.
func fitting(room, want int) int {
	const sliver = 6
	if want == 0 || room-want < 2*sliver {
		return room
	}
	return want
}

// openDialog asks a question. answer gets the name of the choice, or "" if canceled.
func (p *Pane) openDialog(title string, text []string, choices []dialog.Choice, answer func(string) tea.Cmd) tea.Cmd {
	return p.open(&overlay{box: dialog.Ask(title, text, choices, p.opts.keys.Dialog, p.styles, p.shutting(answer)), context: "dialog"})
}

// shutting returns a function that closes the box before it passes on its answer.
func (p *Pane) shutting(answer func(string) tea.Cmd) func(string) tea.Cmd {
	return func(name string) tea.Cmd {
		p.shut()
		return answer(name)
	}
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

func (p *Pane) openMenu(title string, choices []dialog.Choice, answer func(string) tea.Cmd) tea.Cmd {
	return p.open(&overlay{box: dialog.Menu(title, choices, p.opts.keys.Dialog, p.styles, p.shutting(answer)), context: "dialog"})
}

// openForm shows a form. on.Cancel runs after it was closed.
func (p *Pane) openForm(form *prompt.Form, on prompt.Actions) tea.Cmd {
	cancel := on.Cancel
	on.Cancel = func() tea.Cmd {
		p.shut()
		if cancel == nil {
			return nil
		}
		return cancel()
	}
	form.On = on
	return p.open(&overlay{box: form, context: "input", w: 70})
}
