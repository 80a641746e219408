package ui

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"sort"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/vt"
	"github.com/hobjobs/hob/keymap"
)

// glance is a look at the shown job's terminal in place of its log, while a
// program draws on the whole of the screen: what that writes is no text to read.
// It never types and never decides the job's size.
type glance struct {
	id      engine.ID
	session *session
	drawn   bool // there is something to see
}

// wantsScreen reports whether the place of the log is the job's screen's.
func (p *Pane) wantsScreen() bool {
	return p.attachment == nil && !p.lay.log.empty() && !p.shown.raw && p.drawsNow()
}

// drawsNow reports whether the shown job draws on the whole screen.
func (p *Pane) drawsNow() bool {
	j, ok := p.jobs[p.shown.id]
	return ok && j.Alternate && !j.Status.Finished() && j.Link != engine.LinkElsewhere
}

// screenShown reports whether the screen stands where the log does otherwise.
func (p *Pane) screenShown() bool { return p.glance != nil && p.glance.drawn }

// look opens or ends the glance as things stand now.
func (p *Pane) look() tea.Cmd {
	want := p.wantsScreen()
	if g := p.glance; g != nil {
		if want && g.id == p.shown.id {
			return nil
		}
		p.glance, p.dirty = nil, true
		var cmd tea.Cmd
		if g.session != nil {
			cmd = p.release(g.session)
		}
		return tea.Batch(cmd, p.look(), p.catchUp())
	}
	if !want {
		return nil
	}
	p.screen.Reset()
	g := &glance{id: p.shown.id}
	p.glance = g
	return p.openSession(g.id, engine.TerminalOptions{Client: client}, func(open *session, err error) tea.Cmd {
		switch {
		case p.glance != g && open != nil:
			return p.release(open)
		case p.glance != g || err != nil:
			return nil
		}
		g.session = open
		return p.glanceOn(g)
	})
}

// glanceOn waits for more of what a glance sees.
func (p *Pane) glanceOn(g *glance) tea.Cmd {
	return p.nextChunks(g.session, func(chunks []engine.TerminalChunk, err error) tea.Cmd {
		if p.glance != g {
			return nil
		}
		return p.glanced(g, chunks, err)
	})
}

// glanced takes what a glance sees. A session that fails leaves the log in its
// place.
func (p *Pane) glanced(g *glance, chunks []engine.TerminalChunk, err error) tea.Cmd {
	p.dirty = true
	ended := err != nil
	for _, c := range chunks {
		p.screen.Feed(c)
		g.drawn = true
		ended = ended || c.Exit != nil
	}
	if ended {
		g.drawn = false
		return p.catchUp()
	}
	return p.glanceOn(g)
}

// follow follows the log, or stays; of a job that draws on the whole screen it
// changes between the screen and the log as it was written.
func (p *Pane) follow() tea.Cmd {
	switch {
	case p.drawsNow():
		return p.showRaw(!p.shown.raw)
	case p.shown.plain || p.shown.last:
		return p.showRaw(p.shown.last)
	}
	if err := p.log.Err(); err != nil { // it tries again
		return tea.Batch(p.route(p.log.SetFollow(true)), p.refuse("the log cannot be read: "+hint(err)))
	}
	return p.route(p.log.SetFollow(!p.log.Following()))
}

// showRaw shows the log as it was written, or the screen in its place.
func (p *Pane) showRaw(raw bool) tea.Cmd {
	reopen := p.shown.last || p.shown.plain
	p.shown.raw = raw
	cmds := []tea.Cmd{p.look()}
	if reopen {
		cmds = append(cmds, p.closeLog(), p.openLog())
	}
	return tea.Batch(append(cmds, p.route(p.log.SetFollow(true)))...)
}

// pressScreen takes the keys of the log while the screen is in its place.
func (p *Pane) pressScreen(msg tea.KeyPressMsg) tea.Cmd {
	if keymap.Match(msg, p.opts.keys.Log.Copy) {
		return p.copy(strings.TrimRight(p.screen.Text(), "\n"), "screen")
	}
	if _, bound := p.boundTo(msg, "log"); bound {
		return p.refuse(p.noLog())
	}
	return nil
}

// noLog says why what works in the log does not work now.
func (p *Pane) noLog() string {
	k := p.opts.keys.Log
	return "this is its screen: " + p.keyLabel(k.Follow) + " shows the log, " + p.keyLabel(k.Attach) + " attaches"
}

// screenState says on the border which of the two is shown.
func (p *Pane) screenState() string {
	key := p.keyLabel(p.opts.keys.Log.Follow)
	switch {
	case p.screenShown(), p.shown.last:
		return key + " log"
	case p.shown.plain, p.shown.raw && p.drawsNow():
		return key + " screen"
	}
	return ""
}

// headBytes is how much of a log says what kind of log it is.
const headBytes = 128 << 10

// mostlyDrawn reports whether most of a log's beginning was written to the
// alternate screen.
func mostlyDrawn(ctx context.Context, log openLog) bool {
	size, err := log.Size(ctx)
	if err != nil {
		return false
	}
	head := make([]byte, min(size, headBytes))
	n, _ := log.ReadAt(ctx, head, 0) // what was read says enough
	head = head[:n]
	drawn, since := 0, -1
	for _, s := range vt.AltSwitches(head) {
		switch {
		case s.On && since < 0:
			since = s.From
		case !s.On && since >= 0:
			drawn += s.To - since
			since = -1
		}
	}
	if since >= 0 {
		drawn += n - since
	}
	return 2*drawn > n
}

// lastScreen is what a job that drew on the whole screen left behind: its main
// screen with what scrolled out of it, or the screen that it was ended on.
func lastScreen(ctx context.Context, eng jobEngine, id engine.ID) (openLog, bool) {
	s, err := eng.Screen(ctx, id)
	if err != nil {
		return nil, false
	}
	text := s.Main
	if s.Alternate && blank(text) {
		text = s.ANSI
	}
	if blank(text) {
		text = ""
	}
	return newTextLog(text), true
}

func blank(text string) bool { return strings.TrimSpace(vt.Strip(text)) == "" }

// textLog is text in memory, shown like the log of a job.
type textLog struct {
	text  string
	lines []engine.Line
}

func newTextLog(text string) *textLog {
	text = strings.TrimRight(text, "\r\n ")
	l := &textLog{text: text}
	start := int64(0)
	for line := range strings.Lines(text) {
		end := start + int64(len(line))
		raw := strings.TrimRight(line, "\r\n")
		l.lines = append(l.lines, engine.Line{
			Number: int64(len(l.lines)), Start: start, End: end, Text: vt.Strip(raw), Raw: []byte(raw),
		})
		start = end
	}
	return l
}

func (l *textLog) Size(context.Context) (int64, error)  { return int64(len(l.text)), nil }
func (l *textLog) TimeAt(int64) (at time.Time, ok bool) { return time.Time{}, false }
func (l *textLog) Close() error                         { return nil }

func (l *textLog) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	if off >= int64(len(l.text)) {
		return 0, io.EOF
	}
	return bytes.NewReader([]byte(l.text)).ReadAt(p, off)
}

func (l *textLog) Window(_ context.Context, off int64, before, after int) ([]engine.Line, error) {
	at := sort.Search(len(l.lines), func(i int) bool { return l.lines[i].End > off })
	return l.lines[max(0, at-before):min(len(l.lines), at+after)], nil
}

func (l *textLog) Matching(ctx context.Context, re *regexp.Regexp, from, to int64, found func(start, end int64) bool) error {
	for _, line := range l.lines {
		if line.Start >= to {
			break
		}
		if line.End > from && re.MatchString(line.Text) && !found(line.Start, line.End) {
			break
		}
	}
	return ctx.Err()
}
