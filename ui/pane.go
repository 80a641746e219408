// Package ui is the pane that shows jobs in any Bubble Tea program ([Pane]). Package program has the
// program around it that hob is.
//
// A pane shows the jobs of an engine, the detail of the selected one, and its log or its live
// terminal:
//
//	pane := ui.NewPane(eng)          // eng is an *engine.Engine
//	cmd := pane.Init()               // the host runs all commands
//	cmd = pane.SetSize(100, 30)
//	cmd = pane.Update(msg)           // every message of the host's Update
//	text := pane.View()              // exactly 100 by 30 cells
//	pane.Close()                     // jobs keep running
//
// # Responsibilities
//
// The host owns the terminal. A pane never quits the program, copies, rings the bell, opens files or
// uses the alternate screen. It sends [CopyMsg], [OpenMsg], [AttentionMsg], [LeaveMsg] and others,
// and the host decides. Package program has such a host.
//
// # Internal rules
//
// Update only changes state: no I/O, no engine calls, and no clock except for clicks. Slow work is
// done in commands ([tasks.async]): a command captures values and carries the pane's context; its
// result is handled in Update, and dropped if it is outdated. Exactly one command waits for events
// of the engine. Bubble Tea calls View after every message, so it returns the last frame if the
// message was only output of a job that is not shown. There is no package state, so several panes work in one program.
//
// Pane receives messages and passes them on to its parts. Each part is a type that does not know Pane: [jobSet],
// [viewed], [output], [foreground], [modal], [view] and others. Its methods return commands. A part that needs
// something done by the others calls it through an interface of a few methods: [panes], [selector] or [jobStarter].
//
// All keys are bound to actions (actions.go); those on jobs are in jobactions.go. Help, footer and
// palette use the same bindings.
package ui

import (
	"slices"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/detail"
	"github.com/hobjobs/hob/ui/components/joblist"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// Pane is an embeddable view of the jobs of an engine. Its methods must be called in the
// goroutine of the host's Update and View; Close may also be called after the host's program has
// ended. The host must run the commands that the methods return, like those of Update.
type Pane struct {
	*labels
	tasks *tasks

	view  *view
	frame frame
	now   time.Time
	clock clock

	jobs       *jobSet
	events     eventStream // where their state comes from
	viewed     viewed
	selectNext engine.ID // job to select once it appears

	list    *joblist.Model
	detail  *detail.Model
	output  *output
	notices *notices
	painter *painter // draws them

	fore    *foreground
	modal   *modal
	pointer pointer

	ignoring  *keyPause
	questions *questions
	searches  *searches
	lines     *lineSender
	forms     *jobForms
	history   *history

	actions    *actionSet
	conditions *conditions
	jobActions *jobActions
}

// NewPane returns a pane for the jobs of eng. It does nothing before [Pane.Init].
func NewPane(eng *engine.Engine, opts ...Option) *Pane { return newPane(realEngine{eng}, opts...) }

func newPane(eng jobEngine, opts ...Option) *Pane {
	o := defaults()
	for _, opt := range opts {
		opt(&o)
	}
	p := &Pane{
		labels:  &labels{opts: o, styles: &themes.Styles{}},
		tasks:   newTasks(eng),
		view:    &view{focused: true, focus: areaList},
		now:     o.clock(),
		jobs:    newJobSet(),
		history: newHistory(),
		frame:   frame{dirty: true},
	}
	*p.styles = *p.opts.theme.Styles(p.opts.glyphs)

	p.makeComponents()
	p.makeParts()
	p.setNow(p.now)
	p.updateFocus()
	p.frame.dirty = true
	return p
}

// Init subscribes to the engine's events.
func (p *Pane) Init() tea.Cmd {
	return tea.Batch(p.subscribe(), p.tick(), p.jobActions.rebooted(), p.jobActions.warned())
}

// SetSize sets the size in columns and rows.
func (p *Pane) SetSize(w, h int) tea.Cmd {
	w, h = max(0, w), max(0, h)
	if w == p.view.w && h == p.view.h {
		return nil
	}
	p.view.w, p.view.h = w, h
	return tea.Batch(p.arrange(), p.fore.open(), p.fore.resized(), p.tick())
}

// MinSize returns the smallest size at which the pane shows more than a list.
func (p *Pane) MinSize() (w, h int) { return bareWidth, bareHeight }

// SetOrigin sets the position of the pane's upper left corner in the host's window, to interpret
// mouse positions.
func (p *Pane) SetOrigin(x, y int) { p.view.x, p.view.y = x, y }

// SetTerminalFacts sets the properties of the host's terminal, with which queries of attached
// jobs are answered. If the terminal answers no queries, the host should call it with zero facts,
// because a newly started job waits for them.
func (p *Pane) SetTerminalFacts(f engine.TerminalFacts) tea.Cmd {
	return p.fore.setFacts(f)
}

// SetByCluster sets whether the host's terminal counts columns by grapheme cluster (mode 2027). If
// not, a cluster that it may count differently is drawn in a simpler form.
func (p *Pane) SetByCluster(on bool) {
	p.fore.term.SetByCluster(on)
	p.output.screen.SetByCluster(on)
	p.frame.dirty = true
}

// SetTheme changes theme and glyphs.
func (p *Pane) SetTheme(t themes.Theme, g themes.Glyphs) {
	p.opts.theme, p.opts.glyphs = t, g
	*p.styles = *p.opts.theme.Styles(p.opts.glyphs)
	p.list.Restyled()
	p.modal.sizeOverlay() // a page of help is laid out with its styles
	p.frame.dirty = true
}

// Focus lets the pane receive keys, and declares that the user sees it.
func (p *Pane) Focus() {
	p.view.focused = true
	p.updateFocus()
	p.frame.dirty = true
	p.markViewed()
}

// Blur removes the focus: keys and pastes are ignored.
func (p *Pane) Blur() {
	p.view.focused = false
	p.updateFocus()
	p.frame.dirty = true
}

// Focused reports whether the pane has the focus.
func (p *Pane) Focused() bool { return p.view.focused }

// updateFocus sets which component receives keys. It runs after each Update.
func (p *Pane) updateFocus() {
	list, log, term := false, false, false
	if p.view.focused && p.modal.over == nil {
		switch a := p.fore.attached(); {
		case a != nil:
			log, term = a.viaLog, !a.viaLog
		case p.modal.prompt == nil:
			list, log = p.view.focus == areaList, p.view.focus == areaLog
		}
	}
	p.list.SetFocus(list)
	p.output.log.SetFocus(log)
	p.fore.term.SetFocus(term)
}

// Cursor returns the position of the terminal's cursor, relative to the pane, or nil if it is
// hidden.
func (p *Pane) Cursor() *tea.Cursor {
	if !p.view.focused {
		return nil
	}
	move := func(c *tea.Cursor, x, y int) *tea.Cursor {
		if c == nil {
			return nil
		}
		at := *c
		at.X, at.Y = at.X+x, at.Y+y
		if !(rect{0, 0, p.view.w, p.view.h}).has(at.X, at.Y) {
			return nil
		}
		return &at
	}
	switch {
	case p.modal.over != nil:
		x, y, _, _ := p.modal.overlayPlace(p.modal.over)
		return move(p.modal.over.Cursor(), x, y)
	case p.modal.prompt != nil:
		return move(p.modal.prompt.line.Cursor(), p.view.lay.footer.x+promptEdge, p.view.h-1)
	case p.fore.terminal() != nil:
		return p.fore.term.Cursor()
	case p.fore.attached() != nil:
		return nil
	case p.view.focus == areaList:
		return move(p.list.Cursor(), p.view.lay.list.x, p.view.lay.list.y)
	case p.view.focus == areaLog && !p.output.screenShown():
		return move(p.output.log.Cursor(), p.view.lay.log.x-1, p.view.lay.log.y)
	}
	return nil
}

// CapturesKeys reports whether the pane should get every key, because a job is attached or the
// user types text. The host then handles at most its own leave key.
func (p *Pane) CapturesKeys() bool {
	return p.fore.attached() != nil || p.modal.active()
}

// Select selects a job, now or when it appears.
func (p *Pane) Select(id engine.ID) tea.Cmd {
	p.frame.dirty = true
	if !p.list.Select(id) {
		p.selectNext = id
		return nil
	}
	p.selectNext = ""
	return p.show()
}

// Selected returns the selected job.
func (p *Pane) Selected() (engine.Job, bool) { return p.list.Selected() }

// ShortHelp returns the most important keys of the focused pane. Keys that do not apply now are
// disabled.
func (p *Pane) ShortHelp() []key.Binding {
	return slices.Concat(p.footerKeys()...)
}

// FullHelp returns all keys of the focused pane, grouped by section.
func (p *Pane) FullHelp() [][]key.Binding {
	var groups [][]key.Binding
	section := ""
	for _, a := range p.actions.bindings[p.context()] {
		if a.Section != section {
			section = a.Section
			groups = append(groups, nil)
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], a.Binding)
	}
	return groups
}

// Close releases everything that the pane holds and refuses open questions. Jobs keep running. It
// waits for all goroutines of the pane, so a program that exits should limit how long it waits
// for Close.
func (p *Pane) Close() error {
	p.tasks.cancel()
	p.questions.refuseAll()
	p.output.log.Close()
	return p.tasks.open.close()
}

func (l *labels) promptKeys() prompt.Keys {
	return prompt.Keys{Input: l.opts.keys.Input, Edit: l.opts.keys.Edit}
}

func (p *Pane) setNow(now time.Time) {
	if now.Before(p.now) {
		return
	}
	p.now = now
	p.list.SetNow(now)
	p.detail.SetNow(now)
	p.frame.dirty = true
}
