package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/internal/session"
)

// preview shows the job's terminal in place of its log while a program uses the alternate screen,
// whose output is not readable as text. It never types, and does not affect the job's size.
type preview struct {
	id      engine.ID
	session *session.Session
	drawn   bool // something was drawn
}

// drawsNow reports whether the shown job uses the alternate screen.
func (o *output) drawsNow() bool {
	if !o.live() {
		return false
	}
	j := o.jobs.all[o.id]
	return j.Alternate && j.Link != engine.LinkElsewhere
}

// screenShown reports whether the screen is shown instead of the log.
func (o *output) screenShown() bool { return o.preview != nil && o.preview.drawn }

// updatePreview opens or closes the preview as needed.
func (o *output) updatePreview() tea.Cmd {
	want := o.beside && !o.raw && o.drawsNow()
	if g := o.preview; g != nil {
		if want && g.id == o.id {
			return nil
		}
		o.preview = nil
		return tea.Batch(o.tasks.releaseSession(g.session), o.updatePreview(), o.catchUp())
	}
	if !want {
		return nil
	}
	o.screen.Reset()
	g := &preview{id: o.id}
	o.preview = g
	return o.tasks.openSession(g.id, engine.TerminalOptions{Client: client}, func(open *session.Session, err error) tea.Cmd {
		if o.preview != g {
			return o.tasks.releaseSession(open)
		}
		if err != nil {
			return nil
		}
		g.session = open
		return o.nextPreview(g)
	})
}

// nextPreview waits for more output of a preview.
func (o *output) nextPreview(g *preview) tea.Cmd {
	return o.tasks.nextChunks(g.session, func(chunks []engine.TerminalChunk, err error) tea.Cmd {
		if o.preview != g {
			return nil
		}
		return o.previewed(g, chunks, err)
	})
}

// previewed handles output of a preview. If the session fails, the log is shown.
func (o *output) previewed(g *preview, chunks []engine.TerminalChunk, err error) tea.Cmd {
	ended := err != nil
	for _, c := range chunks {
		o.screen.Feed(c)
		g.drawn = true
		if c.Exit != nil {
			ended = true
		}
	}
	if ended {
		g.drawn = false
		return o.catchUp()
	}
	return o.nextPreview(g)
}

// follow toggles following the log. For a job on the alternate screen it toggles between the
// screen and the raw log.
func (o *output) follow() tea.Cmd {
	switch {
	case o.drawsNow():
		return o.showRaw(!o.raw)
	case o.hasLastScreen():
		return o.showRaw(o.last)
	}
	if err := o.log.Err(); err != nil { // retry
		return tea.Batch(o.tasks.route(o.log.SetFollow(true)), o.notices.refuse("Can't read the log: "+hint(err)))
	}
	return o.tasks.route(o.log.SetFollow(!o.log.Following()))
}

// hasLastScreen reports whether a full-screen program has left a screen, which is shown or not.
func (o *output) hasLastScreen() bool { return o.last || o.plain }

// showRaw shows the raw log, or the screen instead.
func (o *output) showRaw(raw bool) tea.Cmd {
	reopen := o.hasLastScreen()
	o.raw = raw
	cmds := []tea.Cmd{o.updatePreview()}
	if reopen {
		cmds = append(cmds, o.closeLog(), o.openLog())
	}
	return tea.Batch(append(cmds, o.tasks.route(o.log.SetFollow(true)))...)
}

// screenState returns the text in the border that distinguishes screen and log.
func (o *output) screenState() string {
	key := o.keyLabel(o.opts.keys.Log.Follow)
	switch {
	case o.screenShown(), o.last:
		return key + ": show log"
	case o.plain, o.raw && o.drawsNow():
		return key + ": show screen"
	}
	return ""
}
