// Package replay plays the recording of a job's terminal: pause, seek, speed and search.
//
// A Model must be used only in the goroutine of its program's Update and View. Its commands
// read the recording; their messages go back to [Model.Update].
package replay

import (
	"context"
	"regexp"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine/replay"
	"github.com/hobjobs/hob/internal/vt"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/later"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// Recording is the recording of a job's terminal, an [replay.Recording] of package engine/replay.
type Recording interface {
	Start() time.Time
	Duration() time.Duration
	Seek(ctx context.Context, at time.Duration) (replay.Frame, error)
	Next(ctx context.Context) (replay.Frame, error)
	Find(ctx context.Context, re *regexp.Regexp, after time.Duration) (at time.Duration, ok bool, err error)
	PreviousBurst(at, gap time.Duration) (time.Duration, bool)
	NextBurst(at, gap time.Duration) (time.Duration, bool)
}

// Options are how a recording is played at first.
type Options struct {
	Speed     float64       // 0: 1
	IdleLimit time.Duration // longer pauses are cut to this; 0: 2s
}

const (
	// defaultIdleLimit is the same as asciinema users know from its option of that name.
	defaultIdleLimit = 2 * time.Second
	// skip is how far the arrow keys go.
	skip = 5 * time.Second
	// burstGap is the silence after which output counts as a new burst.
	burstGap = time.Second
	// liveEvery is how often the recording of a running job is read again at its end.
	liveEvery = 100 * time.Millisecond
	// maxSpeed and minSpeed bound the speed, which a key doubles or halves.
	maxSpeed, minSpeed = 64, 1.0 / 8
)

// Model plays a recording.
type Model struct {
	// ctx ends the commands that read the recording. It is stored because commands outlive the calls
	// that create them.
	ctx    context.Context
	rec    Recording
	name   string
	keys   keymap.Replay
	input  keymap.Input
	styles *themes.Styles
	glyphs *themes.Glyphs
	line   *prompt.Line

	term    *vt.Terminal
	at      time.Duration
	end     bool // at the end of the recording
	running bool // the job has not ended, so the recording grows
	playing bool
	speed   float64
	idle    time.Duration

	// One request reads the recording at a time. gen is the number of the last; wanted is a seek
	// that begins when it is done.
	gen     int
	reading bool
	wanted  *time.Duration
	next    *replay.Frame // is shown when its time has come
	typing  bool
	sought  string // what is searched for
	notice  string
	w, h    int
	on      Actions
}

// Actions are called when the user closes the player or asks for its keys.
type Actions struct{ Close, Help func() tea.Cmd }

// New returns a player at the beginning of rec, the recording of the job called name, playing.
// running means that the job has not ended.
// line is the text input of the search. Commands stop when ctx is done.
func New(ctx context.Context, rec Recording, name string, running bool, line *prompt.Line, keys keymap.Replay, input keymap.Input, styles *themes.Styles, o Options, on Actions) *Model {
	m := &Model{
		on:      on,
		ctx:     ctx,
		rec:     rec,
		name:    name,
		running: running,
		line:    line,
		keys:    keys,
		input:   input,
		styles:  styles,
		glyphs:  &styles.Glyphs,
		playing: true,
		speed:   o.Speed,
		idle:    o.IdleLimit,
		term:    vt.New(1, 1),
	}
	if m.speed <= 0 {
		m.speed = 1
	}
	if m.idle <= 0 {
		m.idle = defaultIdleLimit
	}
	return m
}

// Init begins to play.
func (m *Model) Init() tea.Cmd { return m.seek(0) }

// SetSize sets the size of the view; the last row is the player's own.
func (m *Model) SetSize(w, h int) {
	m.w, m.h = max(0, w), max(0, h)
	m.line.SetWidth(m.w)
}

// Update handles keys and the messages of the player's commands.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		m.notice = ""
		if m.typing {
			return m.typed(msg)
		}
		return m.press(msg)
	case later.Msg:
		return msg()
	}
	return nil
}

func (m *Model) press(k tea.KeyPressMsg) tea.Cmd {
	keys := m.keys
	switch {
	case keymap.Match(k, keys.Close):
		return m.on.Close()
	case keymap.Match(k, keys.ShowHelp):
		return m.on.Help()
	case keymap.Match(k, keys.Pause):
		return m.pause()
	case keymap.Match(k, keys.Back):
		return m.seek(m.at - skip)
	case keymap.Match(k, keys.Forward):
		return m.seek(m.at + skip)
	case keymap.Match(k, keys.PreviousBurst):
		return m.burst(m.rec.PreviousBurst)
	case keymap.Match(k, keys.NextBurst):
		return m.burst(m.rec.NextBurst)
	case keymap.Match(k, keys.Slower):
		m.speed = max(minSpeed, m.speed/2)
		return m.again()
	case keymap.Match(k, keys.Faster):
		m.speed = min(maxSpeed, m.speed*2)
		return m.again()
	case keymap.Match(k, keys.Search):
		m.typing = true
		m.line.SetValue("")
	case keymap.Match(k, keys.NextMatch):
		return m.search()
	case keymap.Match(k, keys.Live):
		m.playing = true
		return m.seek(m.rec.Duration())
	case len(k.Text) == 1 && k.Text[0] >= '0' && k.Text[0] <= '9':
		return m.seek(m.rec.Duration() * time.Duration(k.Text[0]-'0') / 10)
	}
	return nil
}

// pause stops and continues; at the end it begins again.
func (m *Model) pause() tea.Cmd {
	m.playing = !m.playing
	if m.playing && m.end && !m.running {
		return m.seek(0)
	}
	return m.again()
}

func (m *Model) burst(find func(at, gap time.Duration) (time.Duration, bool)) tea.Cmd {
	at, ok := find(m.at, burstGap)
	if !ok {
		m.notice = "no more output"
		return nil
	}
	return m.seek(at)
}

// again schedules the next frame anew, after a change of speed or a pause.
func (m *Model) again() tea.Cmd {
	if m.reading {
		return nil
	}
	m.gen++
	if m.next != nil {
		return m.schedule()
	}
	return m.advance()
}

// request runs one request of the recording.
func (m *Model) request(do func() (then func() tea.Cmd)) tea.Cmd {
	m.gen++
	m.reading, m.next = true, nil
	return later.Run(&m.gen, do)
}

// seek shows the screen at a time, now or when the current request is done.
func (m *Model) seek(at time.Duration) tea.Cmd {
	at = min(max(0, at), m.rec.Duration())
	if m.reading {
		m.wanted = &at
		return nil
	}
	ctx, rec := m.ctx, m.rec
	return m.request(func() func() tea.Cmd {
		f, err := rec.Seek(ctx, at)
		return func() tea.Cmd { return m.read(f, true, err) }
	})
}

// advance reads the next frame, unless the player is paused or at the end.
func (m *Model) advance() tea.Cmd {
	switch {
	case !m.playing, m.reading:
		return nil
	case m.end && !m.running:
		m.playing = false
		return nil
	}
	ctx, rec, wait := m.ctx, m.rec, m.end
	return m.request(func() func() tea.Cmd {
		if wait {
			select {
			case <-time.After(liveEvery):
			case <-ctx.Done():
			}
		}
		f, err := rec.Next(ctx)
		return func() tea.Cmd { return m.read(f, false, err) }
	})
}

// read takes the frame that was requested.
func (m *Model) read(frame replay.Frame, seek bool, err error) tea.Cmd {
	m.reading = false
	if err != nil {
		m.playing, m.notice = false, "the recording cannot be read: "+err.Error()
		return nil
	}
	if m.wanted != nil {
		at := *m.wanted
		m.wanted = nil
		return m.seek(at)
	}
	if seek || m.end || frame.At <= m.at {
		m.show(frame)
		return m.advance()
	}
	m.next = &frame
	return m.schedule()
}

// schedule shows the next frame when its time has come.
func (m *Model) schedule() tea.Cmd {
	ctx, wait := m.ctx, time.Duration(float64(min(m.next.At-m.at, m.idle))/m.speed)
	return later.Run(&m.gen, func() func() tea.Cmd {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		return func() tea.Cmd {
			if m.next == nil || !m.playing {
				return nil
			}
			m.show(*m.next)
			return m.advance()
		}
	})
}

func (m *Model) show(f replay.Frame) {
	if f.Reset {
		m.term = vt.New(max(1, f.Size.Cols), max(1, f.Size.Rows))
	}
	m.term.Write(f.Data)
	m.at, m.end, m.next = f.At, f.End, nil
}

// typed handles keys in the search line.
func (m *Model) typed(k tea.KeyPressMsg) tea.Cmd {
	switch {
	case keymap.Match(k, m.input.Cancel):
		m.typing = false
	case keymap.Match(k, m.input.Accept):
		m.typing = false
		if text := m.line.Value(); text != "" {
			m.sought = text
		}
		return m.search()
	default:
		return m.line.Update(k)
	}
	return nil
}

// search looks for the next time at which the sought text appears on the screen.
func (m *Model) search() tea.Cmd {
	re, err := regexp.Compile(m.sought)
	switch {
	case m.sought == "":
		return nil
	case err != nil:
		m.notice = "not a valid regular expression"
		return nil
	case m.reading:
		return nil
	}
	ctx, rec, at := m.ctx, m.rec, m.at
	m.notice = "searching"
	return m.request(func() func() tea.Cmd {
		found, ok, err := rec.Find(ctx, re, at)
		if !ok && err == nil { // continue from the beginning
			found, ok, err = rec.Find(ctx, re, -1)
		}
		return func() tea.Cmd { return m.found(found, ok, err) }
	})
}

func (m *Model) found(at time.Duration, ok bool, err error) tea.Cmd {
	m.reading, m.notice = false, ""
	switch {
	case err != nil:
		m.notice = "the recording cannot be read: " + err.Error()
	case !ok:
		m.notice = "not found: " + m.sought
	default:
		m.playing = false
		return m.seek(at)
	}
	return m.again()
}
