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
	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/internal/vt"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/ui/components/prompt"
	"github.com/hobjobs/hob/ui/components/replay"
)

// preview shows the job's terminal in place of its log while a program uses the alternate screen,
// whose output is not readable as text. It never types, and does not affect the job's size.
type preview struct {
	id      engine.ID
	session *session
	drawn   bool // something was drawn
}

// drawsNow reports whether the shown job uses the alternate screen.
func (p *Pane) drawsNow() bool {
	j, ok := p.jobs.all[p.shown.id]
	if !ok || j.Status.Finished() {
		return false
	}
	return j.Alternate && j.Link != engine.LinkElsewhere
}

// screenShown reports whether the screen is shown instead of the log.
func (p *Pane) screenShown() bool { return p.preview != nil && p.preview.drawn }

// updatePreview opens or closes the preview as needed.
func (p *Pane) updatePreview() tea.Cmd {
	visible := p.fore.attached() == nil && !p.lay.log.empty()
	want := visible && !p.shown.raw && p.drawsNow()
	if g := p.preview; g != nil {
		if want && g.id == p.shown.id {
			return nil
		}
		p.preview = nil
		return tea.Batch(p.tasks.releaseSession(g.session), p.updatePreview(), p.catchUp())
	}
	if !want {
		return nil
	}
	p.screen.Reset()
	g := &preview{id: p.shown.id}
	p.preview = g
	return p.tasks.openSession(g.id, engine.TerminalOptions{Client: client}, func(open *session, err error) tea.Cmd {
		if p.preview != g {
			return p.tasks.releaseSession(open)
		}
		if err != nil {
			return nil
		}
		g.session = open
		return p.nextPreview(g)
	})
}

// nextPreview waits for more output of a preview.
func (p *Pane) nextPreview(g *preview) tea.Cmd {
	return p.tasks.nextChunks(g.session, func(chunks []engine.TerminalChunk, err error) tea.Cmd {
		if p.preview != g {
			return nil
		}
		return p.previewed(g, chunks, err)
	})
}

// previewed handles output of a preview. If the session fails, the log is shown.
func (p *Pane) previewed(g *preview, chunks []engine.TerminalChunk, err error) tea.Cmd {
	ended := err != nil
	for _, c := range chunks {
		p.screen.Feed(c)
		g.drawn = true
		if c.Exit != nil {
			ended = true
		}
	}
	if ended {
		g.drawn = false
		return p.catchUp()
	}
	return p.nextPreview(g)
}

// follow toggles following the log. For a job on the alternate screen it toggles between the
// screen and the raw log.
func (p *Pane) follow() tea.Cmd {
	switch {
	case p.drawsNow():
		return p.showRaw(!p.shown.raw)
	case p.shown.plain || p.shown.last:
		return p.showRaw(p.shown.last)
	}
	if err := p.log.Err(); err != nil { // retry
		return tea.Batch(p.tasks.route(p.log.SetFollow(true)), p.notices.refuse("Can't read the log: "+hint(err)))
	}
	return p.tasks.route(p.log.SetFollow(!p.log.Following()))
}

// showRaw shows the raw log, or the screen instead.
func (p *Pane) showRaw(raw bool) tea.Cmd {
	reopen := p.shown.last || p.shown.plain
	p.shown.raw = raw
	cmds := []tea.Cmd{p.updatePreview()}
	if reopen {
		cmds = append(cmds, p.closeLog(), p.openLog())
	}
	return tea.Batch(append(cmds, p.tasks.route(p.log.SetFollow(true)))...)
}

// pressScreen handles the log's keys while the screen is shown.
func (p *Pane) pressScreen(msg tea.KeyPressMsg) tea.Cmd {
	if keymap.Match(msg, p.opts.keys.Log.Copy) {
		return p.copy(strings.TrimRight(p.screen.Text(), "\n"), "screen")
	}
	if _, bound := p.boundTo(msg, "log"); bound {
		return p.notices.refuse(p.noLog())
	}
	return nil
}

// noLog explains why an action of the log is not available.
func (l *labels) noLog() string {
	k := l.opts.keys.Log
	return l.dotted("This is the job's screen", l.does(k.Follow, "show log"), l.does(k.Attach, "attach"))
}

// screenState returns the text in the border that distinguishes screen and log.
func (p *Pane) screenState() string {
	key := p.keyLabel(p.opts.keys.Log.Follow)
	switch {
	case p.screenShown(), p.shown.last:
		return key + ": show log"
	case p.shown.plain, p.shown.raw && p.drawsNow():
		return key + ": show screen"
	}
	return ""
}

// headBytes is how much of a log is examined to determine its kind.
const headBytes = 128 << 10

// mostlyDrawn reports whether most of the beginning of a log was written to the alternate screen.
func mostlyDrawn(ctx context.Context, log openLog) bool {
	size, err := log.Size(ctx)
	if err != nil {
		return false
	}
	head := make([]byte, min(size, headBytes))
	n, _ := log.ReadAt(ctx, head, 0) // a partial read is sufficient
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

// lastScreen returns the final screen of a full-screen program: the main screen with its
// scrollback, or the alternate screen if the job ended on it.
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

// textLog is text in memory that is shown as a log.
type textLog struct {
	text  string
	lines []joblog.Line
}

func newTextLog(text string) *textLog {
	text = strings.TrimRight(text, "\r\n ")
	l := &textLog{text: text}
	start := int64(0)
	for line := range strings.Lines(text) {
		end := start + int64(len(line))
		raw := strings.TrimRight(line, "\r\n")
		l.lines = append(l.lines, joblog.Line{
			Number: int64(len(l.lines)), Start: start, End: end, Text: vt.Strip(raw), Raw: []byte(raw),
		})
		start = end
	}
	return l
}

func (l *textLog) Size(context.Context) (int64, error)              { return int64(len(l.text)), nil }
func (l *textLog) TimeAt(int64) (at time.Time, ok bool)             { return time.Time{}, false }
func (l *textLog) LineNumber(context.Context, int64) (int64, error) { return 0, nil } // all lines have one
func (l *textLog) Close() error                                     { return nil }

func (l *textLog) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	if off >= int64(len(l.text)) {
		return 0, io.EOF
	}
	return bytes.NewReader([]byte(l.text)).ReadAt(p, off)
}

func (l *textLog) Window(_ context.Context, off int64, before, after int) ([]joblog.Line, error) {
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

// WithReplay sets how recordings are played at first.
func WithReplay(o replay.Options) Option { return func(p *options) { p.replay = o } }

// Replay plays the recording of a job's terminal in the whole pane. When the user closes it, the
// host gets a [ReplayedMsg].
func (p *Pane) Replay(id engine.ID) tea.Cmd {
	t := p.tasks
	return t.async(func(ctx context.Context) func() tea.Cmd {
		rec, err := t.eng.OpenReplay(ctx, id)
		if err == nil && !t.open.keep(rec) {
			return nil
		}
		return func() tea.Cmd {
			if err != nil {
				return p.notices.fail("Can't replay", err)
			}
			return p.play(rec, id)
		}
	})
}

func (p *Pane) replay(jobs []engine.Job) tea.Cmd { return p.Replay(jobs[0].ID) }

func (p *Pane) refuseReplay(jobs []engine.Job) string {
	switch j := jobs[0]; {
	case j.Host != "":
		return "No times are recorded for jobs on a host"
	case !j.HasTerminal():
		return "It has no terminal to replay: its log has all of the output"
	}
	return ""
}

func (p *Pane) play(rec recording, id engine.ID) tea.Cmd {
	running := !rec.Job().Status.Finished()
	line := p.newLine(prompt.Options{Label: "/"})
	ctx, stop := context.WithCancel(p.tasks.ctx)
	on := replay.Actions{Help: p.openHelp, Close: func() tea.Cmd {
		stop()
		p.shut()
		return tea.Batch(p.tasks.release(rec), send(ReplayedMsg{ID: id}))
	}}
	m := replay.New(ctx, rec, running, line, p.opts.keys.Replay, p.opts.keys.Input, p.styles, p.opts.replay, on)
	index := p.tasks.async(func(context.Context) func() tea.Cmd {
		_ = rec.Index(ctx, nil) // without it, seeking takes longer
		return nil
	})
	return tea.Batch(p.open(&overlay{box: m, context: "replay"}), p.tasks.route(m.Init()), index)
}
