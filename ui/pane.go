package ui

import (
	"context"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/detail"
	"github.com/hobjobs/hob/ui/components/joblist"
	"github.com/hobjobs/hob/ui/components/logview"
	"github.com/hobjobs/hob/ui/components/prompt"
	"github.com/hobjobs/hob/ui/components/statusbadge"
	"github.com/hobjobs/hob/ui/components/terminal"
	"github.com/hobjobs/hob/ui/components/toast"
)

// Pane is the embeddable view of all jobs of an engine. Its methods belong to
// the goroutine of the host's Update and View; Close may also be called once the
// host's program has ended. The commands that methods return are to be run like
// those of Update.
type Pane struct {
	eng                   jobEngine
	opts                  options
	styles                themes.Styles
	badge                 statusbadge.Badge
	footerKey, footerDesc cells.Paint // of the styles, which are drawn often
	held                  *holdings

	// ctx ends with the pane; commands carry it because they outlive the call
	// that made them.
	ctx    context.Context
	cancel context.CancelFunc

	w, h    int
	x, y    int // origin in the host's window
	focused bool
	now     time.Time

	jobs    map[engine.ID]*job
	gone    map[engine.ID]time.Time // of jobs dropped soon after their end: when that was
	tally   *counts                 // of jobs; nil: to be counted again
	known   bool                    // the snapshot has come
	trouble string
	subGen  int
	sub     subscription
	tickGen int
	ticking bool

	actions  map[string]action          // by id
	bindings map[string][]keymap.Action // by context

	list   *joblist.Model
	detail *detail.Model
	log    *logview.Model
	term   *terminal.Model
	screen *terminal.Model // in the place of the log
	toasts *toast.Model

	focus  area
	zoomed bool
	lay    layout
	laid   int // lines of the detail that it was made for

	shown      shown // the job in detail and log
	glance     *glance
	behind     bool // the log has grown while nobody saw it
	wish       engine.ID
	attachment *attachment // the job that owns the keyboard
	park       *attachment // one just left, until a second leave key can no longer come
	// late is how long a second leave key can come to a job of the host, which is sent to
	// the background only then; 0: at once. went is the job that was left so.
	late time.Duration
	went engine.ID
	// stays reports that a job could not be sent to the background, which the panes
	// show.
	stays bool
	// foreEnd is how the foreground job ended whose last screen was left.
	foreEnd *engine.Job

	over   *overlay // a box over the panes that owns the keyboard
	prompt *footerPrompt
	ask    []AskMsg
	undo   []engine.ID
	undoID int // toast that offers it

	interrupted int // toast of the first Ctrl+C
	searched    []string
	regex       bool                  // the last search was for a regular expression
	tried       []string              // commands that were typed
	drafts      map[engine.ID]jobText // typed and not started, by the job that it is to restart ("": none)
	lines       []string              // sent to jobs
	unsent      map[engine.ID]string  // typed for jobs and not sent
	chordGen    int
	sizeGen     int
	pointer     pointer
	outer       engine.TerminalFacts
	outerKnown  bool // the host has set outer

	frame string
	dirty bool
}

// NewPane returns a pane on the jobs of eng. Nothing happens before [Pane.Init].
func NewPane(eng *engine.Engine, opts ...Option) *Pane { return newPane(realEngine{eng}, opts...) }

func newPane(eng jobEngine, opts ...Option) *Pane {
	o := defaults()
	for _, opt := range opts {
		opt(&o)
	}
	p := &Pane{
		eng: eng, opts: o, held: &holdings{}, focused: true, focus: areaList, dirty: true,
		jobs: map[engine.ID]*job{}, gone: map[engine.ID]time.Time{}, drafts: map[engine.ID]jobText{}, unsent: map[engine.ID]string{},
		now: o.clock(),
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.mix()
	p.actions, p.bindings = withKeys(o.keys), map[string][]keymap.Action{}
	for _, c := range keymap.Contexts() {
		p.bindings[c.Name] = o.keys.In(c.Name)
	}

	s := p.styles
	p.list = joblist.New(o.keys.List, s.List, p.badge, o.glyphs, joblist.WithMinutes(o.calm))
	p.detail = detail.New(o.keys.Detail, s.Detail, p.badge, o.glyphs, detail.WithHome(o.home), detail.WithMinutes(o.calm),
		detail.WithWaits(p.answering()))
	p.log = logview.New(o.keys.Log, s.Log, o.glyphs, logview.WithClock(o.clock), logview.WithWords(p.unread),
		logview.WithWrap(o.log.Wrap), logview.WithTimestamps(o.log.Timestamps), logview.WithLineNumbers(o.log.LineNumbers))
	p.log.SetEmpty("")
	p.term, p.screen = terminal.New(s.Terminal), terminal.New(s.Terminal)
	p.toasts = toast.New(s.Toast, o.glyphs)
	p.setNow(p.now)
	p.spreadFocus()
	p.list.SetHints(p.keyLabel(o.keys.Jobs.New), p.firstWords()...)
	return p
}

// Init begins: it subscribes to the engine's facts.
func (p *Pane) Init() tea.Cmd { return tea.Batch(p.subscribe(), p.tick()) }

// SetSize sets the number of columns and rows to fill.
func (p *Pane) SetSize(w, h int) tea.Cmd {
	w, h = max(0, w), max(0, h)
	if w == p.w && h == p.h {
		return nil
	}
	p.w, p.h = w, h
	return tea.Batch(p.arrange(), p.openTerminal(), p.resized(), p.tick())
}

// MinSize is the smallest size at which the panes show more than a list.
func (p *Pane) MinSize() (w, h int) { return bareWidth, bareHeight }

// SetOrigin says where in the host's window the pane's left upper corner is, so
// that mouse messages, which count from the window's, find their place.
func (p *Pane) SetOrigin(x, y int) { p.x, p.y = x, y }

// SetTerminalFacts replaces what is known of the host's terminal: queries of the jobs
// that are attached are answered with it. A host calls it also when its terminal answers
// nothing, with zero facts: a job that has just been started waits for them.
func (p *Pane) SetTerminalFacts(f engine.TerminalFacts) tea.Cmd {
	p.outer, p.outerKnown = f, true
	p.term.SetTellsEscape(f.KittyKeyboard)
	return tea.Batch(p.reportTerminal(p.attachment), p.reportTerminal(p.park))
}

// mix makes the styles of the theme.
func (p *Pane) mix() {
	p.styles = p.opts.theme.Styles(p.opts.glyphs)
	p.badge = statusbadge.New(p.styles.Badge, p.opts.glyphs)
	p.footerKey, p.footerDesc = cells.NewPaint(p.styles.Footer.Key), cells.NewPaint(p.styles.Footer.Desc)
}

// SetTheme changes colours and signs.
func (p *Pane) SetTheme(t themes.Theme, g themes.Glyphs) {
	p.opts.theme, p.opts.glyphs = t, g
	p.mix()
	s := p.styles
	p.list.SetStyles(s.List, p.badge, g)
	p.detail.SetStyles(s.Detail, p.badge, g)
	p.log.SetStyles(s.Log, g)
	p.term.SetStyles(s.Terminal)
	p.screen.SetStyles(s.Terminal)
	p.toasts.SetStyles(s.Toast, g)
	if p.over != nil {
		p.over.restyle(s)
	}
	if p.prompt != nil {
		p.prompt.line.SetStyles(s.Prompt)
	}
	p.dirty = true
}

// Focus says that the pane has the keyboard and that somebody is looking.
func (p *Pane) Focus() {
	p.focused = true
	p.spreadFocus()
	p.looked()
}

// Blur says that the pane has not the keyboard: keys and pastes are ignored.
func (p *Pane) Blur() {
	p.focused = false
	p.spreadFocus()
}

// Focused reports whether the pane has the keyboard.
func (p *Pane) Focused() bool { return p.focused }

// spreadFocus tells the components which of them has the keyboard.
func (p *Pane) spreadFocus() {
	p.dirty = true
	free := p.focused && p.attachment == nil && p.over == nil && p.prompt == nil
	set := func(on bool, c interface {
		Focus()
		Blur()
	}) {
		if on {
			c.Focus()
		} else {
			c.Blur()
		}
	}
	set(free && p.focus == areaList, p.list)
	set(p.focused && p.over == nil && (free && p.focus == areaLog || p.attachment != nil && p.attachment.viaLog), p.log)
	set(p.focused && p.over == nil && p.attachment != nil && !p.attachment.viaLog, p.term)
}

// Cursor is where the terminal's cursor belongs, relative to the pane; nil if
// it is to be hidden.
func (p *Pane) Cursor() *tea.Cursor {
	if !p.focused {
		return nil
	}
	move := func(c *tea.Cursor, x, y int) *tea.Cursor {
		if c == nil {
			return nil
		}
		at := *c
		at.X, at.Y = at.X+x, at.Y+y
		if at.X < 0 || at.Y < 0 || at.X >= p.w || at.Y >= p.h {
			return nil
		}
		return &at
	}
	switch {
	case p.over != nil:
		x, y, _, _ := p.overlayPlace()
		return move(p.over.Cursor(), x, y)
	case p.prompt != nil:
		return move(p.prompt.line.Cursor(), p.lay.footer.x+promptEdge, p.lay.footer.y)
	case p.attachment != nil && !p.attachment.viaLog:
		return p.term.Cursor()
	case p.attachment == nil && p.focus == areaList:
		return move(p.list.Cursor(), p.lay.list.x, p.lay.list.y)
	}
	return nil
}

// CapturesKeys reports whether every key is the pane's: a job is attached, or
// text is being typed. The host then keeps at most its own leave key.
func (p *Pane) CapturesKeys() bool { return p.attachment != nil || p.prompt != nil || p.over != nil }

// Select moves the selection to a job, now or when it appears.
func (p *Pane) Select(id engine.ID) tea.Cmd {
	p.dirty = true
	if !p.list.Select(id) {
		p.wish = id
		return nil
	}
	p.wish = ""
	return p.show()
}

// Selected returns the selected job.
func (p *Pane) Selected() (engine.Job, bool) { return p.list.Selected() }

// ShortHelp returns the keys that matter most where the focus is; those that do
// not apply now are disabled.
func (p *Pane) ShortHelp() []key.Binding {
	keys, _ := p.footerKeys()
	return keys
}

// FullHelp returns all keys of where the focus is, a section a group.
func (p *Pane) FullHelp() [][]key.Binding {
	var groups [][]key.Binding
	section := ""
	for _, a := range p.bindings[p.context()] {
		if a.Section != section {
			section = a.Section
			groups = append(groups, nil)
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], a.Binding)
	}
	return groups
}

// Close lets go of everything that the pane holds; jobs go on, questions that
// were not answered are refused. It returns after the last goroutine of the pane
// has, so a program that wants to leave now gives it a bounded time.
func (p *Pane) Close() error {
	p.cancel()
	for _, ask := range p.ask {
		ask.Reply("", false)
	}
	p.ask = nil
	p.log.Close()
	return p.held.close()
}

func (p *Pane) promptKeys() prompt.Keys {
	return prompt.Keys{Input: p.opts.keys.Input, Edit: p.opts.keys.Edit}
}

func (p *Pane) setNow(now time.Time) {
	if !now.After(p.now) && !p.now.IsZero() && !now.Equal(p.now) {
		return
	}
	p.now = now
	p.list.SetNow(now)
	p.detail.SetNow(now)
	p.dirty = true
}
