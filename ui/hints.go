package ui

import (
	"strconv"

	"charm.land/bubbles/v2/key"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

// This file defines the texts of the keys in the footer.

// hintZoom adjusts the key that zooms or unzooms.
func (c *conditions) hintZoom(b *key.Binding) {
	if c.view.zoomed {
		b.SetHelp(b.Help().Key, "unzoom")
	}
}

// hintOpen adjusts the key that opens the log, or unfolds old jobs if their row is selected. There
// may be no room for the log.
func (c *conditions) hintOpen(b *key.Binding) {
	on, unfolded := c.list.OnFold()
	if c.output.group.shown() {
		on = false
	}
	if !on || c.view.focus != areaList {
		restrict(b, c.view.lay.shape != shapeBare)
		if j, ok := c.list.Selected(); ok && c.reconnects(&j) {
			b.SetHelp(b.Help().Key, "reconnect")
		}
		return
	}
	b.SetEnabled(len(b.Keys()) > 0)
	b.SetHelp(b.Help().Key, "unfold")
	if unfolded {
		b.SetHelp(b.Help().Key, "fold")
	}
}

// reconnects reports whether opening the log of a job connects its host first.
func (c *conditions) reconnects(j *engine.Job) bool {
	return j.Host != "" && j.Link == engine.LinkUnreachable && c.opts.connect != nil
}

// hintAttach hides attach for a finished job: it works, but only shows the output.
func (c *conditions) hintAttach(b *key.Binding) { restrict(b, c.output.live()) }

// restrict disables b unless ok.
func restrict(b *key.Binding, ok bool) {
	if !ok {
		b.SetEnabled(false)
	}
}

// hintSendLine shows the key only for a job that needs input.
func (c *conditions) hintSendLine(b *key.Binding) {
	j, ok := c.output.job()
	restrict(b, ok && j.Waiting)
}

func (c *conditions) hintNextMatch(b *key.Binding) { restrict(b, c.output.searching()) }

// hintFollow adjusts the key that follows the log or pauses that, or returns from a job's screen
// to its log.
func (c *conditions) hintFollow(b *key.Binding) {
	switch {
	case c.output.screenShown():
		b.SetHelp(b.Help().Key, "show log")
	case c.output.log.Following() && c.output.grows():
		b.SetHelp(b.Help().Key, "pause")
	}
}

// marked returns the marked jobs, to which a key applies in the list.
func (c *conditions) marked() []engine.Job {
	if c.view.focus != areaList {
		return nil
	}
	return c.list.Marked()
}

// onGroup reports whether a key applies to the jobs of a group because its row is selected and no jobs are marked.
func (c *conditions) onGroup() bool { return c.output.group.shown() && len(c.marked()) == 0 }

// hintCount returns a hint that adds the number of marked jobs to which the action applies, or "all" on
// the row of a group.
func (c *conditions) hintCount(applies func(engine.Job) bool) func(b *key.Binding) {
	return func(b *key.Binding) {
		if c.onGroup() {
			b.SetHelp(b.Help().Key, b.Help().Desc+" all")
			return
		}
		n := 0
		for _, j := range c.marked() {
			if applies(j) {
				n++
			}
		}
		if n > 0 {
			b.SetHelp(b.Help().Key, b.Help().Desc+" "+strconv.Itoa(n))
		}
	}
}

// hintCopy adds the number of selected lines to the key that copies.
func (c *conditions) hintCopy(b *key.Binding) {
	if n := c.output.log.SelectedLines(); n > 0 {
		b.SetHelp(b.Help().Key, "copy "+units.Count(n, "line"))
	}
}

// hintBack names what the key goes back from.
func (c *conditions) hintBack(b *key.Binding) {
	switch {
	case c.view.focus == areaLog && c.output.log.Selecting():
		b.SetHelp(b.Help().Key, "cancel")
	case c.view.focus == areaLog && c.output.searching():
		b.SetHelp(b.Help().Key, "end search")
	case c.view.zoomed:
		b.SetHelp(b.Help().Key, "unzoom")
	case c.view.focus != areaList:
		b.SetHelp(b.Help().Key, "list")
	case len(c.list.Marked()) > 0:
		b.SetHelp(b.Help().Key, "unmark")
	}
}

// hintOtherJob shows the keys of the previous and the next job as one hint.
func (c *conditions) hintOtherJob(b *key.Binding) {
	if previous := c.opts.keys.Panes.PreviousJob; isBound(previous) {
		b.SetHelp(previous.Help().Key+" "+b.Help().Key, "other job")
	}
}

// hintEdit shortens the key that edits the command of a job and restarts it.
func (c *conditions) hintEdit(b *key.Binding) { b.SetHelp(b.Help().Key, "edit") }

// hintQuit adjusts the quit key of an embedded pane, which only returns the focus.
func (c *conditions) hintQuit(b *key.Binding) {
	if !c.opts.program {
		b.SetHelp(b.Help().Key, "back")
	}
}

// hintUndo shows the key while the message about the clear is visible.
func (c *conditions) hintUndo(b *key.Binding) { restrict(b, len(c.notices.cleared) > 0) }

// hintTurn shows a key in the footer only for a job that waits.
func (c *conditions) hintTurn(b *key.Binding) {
	j, _ := c.list.Selected()
	restrict(b, waitsForTurn(j))
}

// hintQueue does the same for a job that waits in a queue.
func (c *conditions) hintQueue(b *key.Binding) {
	j, _ := c.list.Selected()
	restrict(b, waitsForTurn(j) && j.Queue != "")
}

// hintPause is hintQueue for the key that pauses the queue, or resumes it.
func (c *conditions) hintPause(b *key.Binding) {
	c.hintQueue(b)
	if j, _ := c.list.Selected(); b.Enabled() && j.Pending != nil && j.Pending.Paused {
		b.SetHelp(b.Help().Key, "resume queue")
	}
}
