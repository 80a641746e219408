package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/joblist"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// pick lets the user choose one of the jobs, those that need attention first. It draws on
// standard error, below the prompt, and erases itself.
func (a *app) pick(ctx context.Context, jobs []engine.Job, question string) (engine.Job, error) {
	m := newPicker(jobs, question, time.Now(), a.glyphs())
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(a.stdin), tea.WithOutput(a.stderr))
	if _, err := p.Run(); err != nil && !errors.Is(err, tea.ErrInterrupted) {
		return engine.Job{}, err
	}
	if job, ok := m.list.Selected(); ok && m.chosen {
		return job, nil
	}
	return engine.Job{}, exitStatus(exitFailed) // canceled by the user: no message needed
}

// picker is a list of jobs that filters as the user types.
type picker struct {
	list         *joblist.Model
	line         *prompt.Line
	count        int
	width        int
	hint, mark   string // the last line, and what ends it if it is cut
	chosen, over bool
}

// pickerRows is the maximum number of visible jobs.
const pickerRows = 12

func newPicker(jobs []engine.Job, question string, now time.Time, glyphs themes.Glyphs) *picker {
	keys, styles := keymap.Default(), themes.Default(true).Styles(glyphs)
	p := &picker{
		list:  joblist.New(keys.List, styles, joblist.Options{}),
		line:  prompt.NewLine(prompt.Keys{Input: keys.Input, Edit: keys.Edit}, styles, prompt.Options{Label: question + " "}),
		count: len(jobs),
		hint:  strings.Join([]string{"Enter select", "type to filter", "Esc cancel"}, " "+glyphs.Dot+" "),
		mark:  glyphs.Ellipsis,
	}
	p.list.SetNow(now)
	for _, j := range jobs {
		p.list.Put(joblist.Row{Job: j})
	}
	p.list.SetFocus(true)
	p.resize(80, 24)
	return p
}

func (p *picker) resize(w, h int) {
	p.width = w
	p.line.SetWidth(w)
	p.list.SetSize(w, max(min(p.count, pickerRows, h-2), 1))
}

func (p *picker) Init() tea.Cmd { return nil }

func (p *picker) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.resize(msg.Width, msg.Height)
	case tea.KeyPressMsg:
		return p, p.key(msg)
	case tea.PasteMsg:
		p.edit(msg)
	}
	return p, nil
}

func (p *picker) key(msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "enter":
		_, ok := p.list.Selected()
		return p.leave(ok)
	case "esc", "ctrl+c", "ctrl+d":
		return p.leave(false)
	case "up", "down", "pgup", "pgdown", "home", "end":
		return p.list.Update(msg)
	case "ctrl+p", "ctrl+k":
		return p.list.Update(tea.KeyPressMsg{Code: tea.KeyUp})
	case "ctrl+n", "ctrl+j":
		return p.list.Update(tea.KeyPressMsg{Code: tea.KeyDown})
	}
	p.edit(msg)
	return nil
}

// edit changes the filter, which selects the first job.
func (p *picker) edit(msg tea.Msg) {
	p.line.Update(msg)
	if filter := p.line.Value(); filter != p.list.Filter() {
		p.list.SetFilter(filter)
		p.list.Update(tea.KeyPressMsg{Code: tea.KeyHome})
	}
}

// leave ends the program with an empty view, so that nothing stays on the screen.
func (p *picker) leave(chosen bool) tea.Cmd {
	p.chosen, p.over = chosen, true
	return tea.Quit
}

func (p *picker) View() tea.View {
	if p.over {
		return tea.NewView("")
	}
	v := tea.NewView(p.line.View() + "\n" + p.list.View() + "\n" + cells.Truncate(p.hint, p.width, p.mark))
	v.Cursor = p.line.Cursor()
	return v
}
