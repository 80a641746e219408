package ui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

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
	whole   bool     // covers header and footer too: its keys are in its own last row
}

// modal is what gets the keys before the attached job and the panes: boxes over them, or a prompt in place
// of the footer. Actions open it, and it closes itself when the user has answered. A box closes the
// prompt; boxes may cover each other.
type modal struct {
	*labels
	tasks   *tasks
	notices *notices

	over   *overlay // the open box
	prompt *footerPrompt

	room    rect // area for boxes
	allRoom rect // area for boxes over the whole pane
	footer  rect
}

// active reports whether a box or a prompt is open.
func (m *modal) active() bool { return m.over != nil || m.prompt != nil }

// prompting reports whether the prompt gets the keys.
func (m *modal) prompting() bool { return m.prompt != nil && m.over == nil }

// shows reports whether the open box is b.
func (m *modal) shows(b box) bool { return m.over != nil && m.over.box == b }

// whole reports whether the open box is over the whole pane.
func (m *modal) whole() bool { return m.over != nil && m.over.whole }

// coversFooter reports whether the last line belongs to a prompt or to the open box.
func (m *modal) coversFooter() bool { return m.whole() || m.prompting() }

// place sets the area for boxes, for those over the whole pane, and that of the footer.
func (m *modal) place(room, whole, footer rect) {
	m.room, m.allRoom, m.footer = room, whole, footer
	m.sizeOverlay()
}

func (m *modal) update(msg tea.Msg) tea.Cmd { return m.tasks.route(m.over.Update(msg)) }

func (m *modal) open(o *overlay) tea.Cmd {
	m.over = o
	m.prompt = nil
	m.notices.DropAnswers()
	m.sizeOverlay()
	return nil
}

// shut closes the box and shows the one that it covered.
func (m *modal) shut() {
	if m.over != nil {
		m.over = m.over.under
	}
}

func (m *modal) sizeOverlay() {
	for o := m.over; o != nil; o = o.under {
		room := m.roomOf(o)
		o.SetSize(fitting(room.w, o.w), fitting(room.h, o.h))
	}
}

func (m *modal) roomOf(o *overlay) rect {
	if o.whole {
		return m.allRoom
	}
	return m.room
}

// overlayPlace returns the position and size of a box: centered.
func (m *modal) overlayPlace(o *overlay) (x, y, w, h int) {
	box := o.View()
	first, _, _ := strings.Cut(box, "\n")
	w, h = cells.Width(first), strings.Count(box, "\n")+1
	room := m.roomOf(o)
	return max(0, (room.w-w)/2), room.y + max(0, (room.h-h)/2), w, h
}

// openDialog asks a question. answer gets the name of the choice, or "" if canceled.
func (m *modal) openDialog(title string, text []string, choices []dialog.Choice, answer func(string) tea.Cmd) tea.Cmd {
	return m.open(&overlay{box: dialog.Ask(title, text, choices, m.opts.keys.Dialog, m.styles, m.shutting(answer)), context: "dialog"})
}

// shutting returns a function that closes the box before it passes on its answer.
func (m *modal) shutting(answer func(string) tea.Cmd) func(string) tea.Cmd {
	return func(name string) tea.Cmd {
		m.shut()
		return answer(name)
	}
}

// confirm asks whether to do something that may be regretted. yes is the label of that answer;
// Cancel is preselected.
func (m *modal) confirm(title, yes string, do func() tea.Cmd, text ...string) tea.Cmd {
	const no = "Cancel"
	choices := []dialog.Choice{{Name: no, Label: no}, {Name: yes, Label: yes, Danger: true, Yes: true}}
	return m.openDialog(title, text, choices, func(answer string) tea.Cmd {
		if answer != yes {
			return nil
		}
		return do()
	})
}

func (m *modal) openMenu(title string, choices []dialog.Choice, answer func(string) tea.Cmd) tea.Cmd {
	return m.open(&overlay{box: dialog.Menu(title, choices, m.opts.keys.Dialog, m.styles, m.shutting(answer)), context: "dialog"})
}

// openForm shows a form. on.Cancel runs after it was closed.
func (m *modal) openForm(form *prompt.Form, on prompt.Actions) tea.Cmd {
	cancel := on.Cancel
	on.Cancel = func() tea.Cmd {
		m.shut()
		if cancel == nil {
			return nil
		}
		return cancel()
	}
	form.On = on
	return m.open(&overlay{box: form, context: "input", w: 70})
}

// draw draws a box, and the boxes under it, over what lines show.
func (m *modal) draw(lines []string, o *overlay) {
	if o == nil {
		return
	}
	above := max(0, len(lines)-m.footer.h)
	footer := slices.Clone(lines[above:])
	m.draw(lines, o.under)
	copy(lines[above:], footer) // a box over the whole pane has covered it
	if o.whole {
		copy(lines[min(above+1, len(lines)):], footer) // messages are below the box
	}
	for i, line := range lines[:above] { // what is behind gets one dim color
		lines[i] = m.styles.Faint.Render(ansi.Strip(line))
	}
	x, y, _, _ := m.overlayPlace(o)
	cells.Overlay(lines, strings.Split(o.View(), "\n"), x, y)
}

func (m *modal) mouse(msg tea.MouseMsg, x, y int) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		m.over.Scroll(wheelStep(msg.Button))
	case tea.MouseClickMsg:
		left, top, w, h := m.overlayPlace(m.over)
		if msg.Button == tea.MouseLeft && (rect{left, top, w, h}).has(x, y) {
			return m.tasks.route(m.over.Click(x-left, y-top))
		}
	}
	return nil
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
