package ui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/terminal"
	"github.com/hobjobs/hob/ui/components/toast"
)

// foreground is the job that is attached or was just left, with its terminal. The user and the host attach
// jobs; keys, the session and events of the job move it from state to state, as the table has it. What
// concerns the rest of the pane is done by panes.
type foreground struct {
	*labels
	tasks   *tasks
	notices *notices
	jobs    *jobSet
	pause   *keyPause
	panes   panes

	term  *terminal.Model
	outer outerTerminal

	state foreState
	job   *attachment // nil: foreDetached
	// leaving is the job of the host that the user has left: see [Pane.Leaving].
	leaving engine.ID
	key     tea.Key // the leave key, as last pressed
	timer   int     // number of the wait for a second leave key
}

// panes is what a transition of the foreground does with the rest of the pane.
type panes interface {
	focusList()
	// showPanes shows the panes again, with a job selected.
	showPanes(id engine.ID) tea.Cmd
	// showAttached shows the attached job in place of the panes.
	showAttached() tea.Cmd
	// showOutputOnly shows the output of a job that cannot be attached to, with the reason.
	showOutputOnly(id engine.ID) tea.Cmd
}

const (
	// doubleLeave is the time within which a second leave key returns to the job.
	doubleLeave = 700 * time.Millisecond
	// hostLeave is that time if the host takes over: longer than a double press, but short,
	// because the user waits for the host.
	hostLeave = 250 * time.Millisecond
)

// attached returns the attached job, or nil.
func (f *foreground) attached() *attachment {
	if f.isLeft() {
		return nil
	}
	return f.job
}

// terminal returns the attached job if its terminal is on screen, or nil. A job that has none is shown
// by its log.
func (f *foreground) terminal() *attachment {
	a := f.attached()
	if a == nil || a.viaLog {
		return nil
	}
	return a
}

// shows reports whether a job is attached.
func (f *foreground) shows(id engine.ID) bool {
	a := f.attached()
	return a != nil && a.id == id
}

// isLeft reports whether the job was left and a second leave key can return to it.
func (f *foreground) isLeft() bool {
	switch f.state {
	case foreLeft, foreLeftUnsent, foreLeftForHost, foreSentForHost:
		return true
	default:
		return false
	}
}

// toHost reports whether the host takes over soon.
func (f *foreground) toHost() bool {
	switch f.state {
	case foreLeftForHost, foreSentForHost:
		return true
	default:
		return false
	}
}

// has reports whether a job is attached or can be returned to.
func (f *foreground) has(a *attachment) bool { return a == f.job }

// ended reports whether the attached job has ended.
func (f *foreground) ended() bool { return f.state == foreEnded }

// closable reports whether the attached job gets no keys, so that a key closes it.
func (f *foreground) closable() bool {
	switch f.state {
	case foreEnded, foreFailed, foreLost:
		return true
	default:
		return false
	}
}

// leaveEvent returns the event of the leave key.
func (f *foreground) leaveEvent(l Leave) foreEvent {
	switch {
	case f.attached() == nil, !f.job.byHost:
	case l == LeaveLater:
		return eventLeaveUnsent
	case l == LeaveToHost:
		return eventLeaveForHost
	}
	return eventLeave
}

// step moves to the next state. It returns what the pane has to do, and the job that it concerns.
func (f *foreground) step(e foreEvent) ([]foreAction, *attachment) {
	next, ok := foreSteps()[f.state][e]
	if !ok {
		return nil, nil
	}
	a, was := f.job, f.isLeft()
	f.state = next.to
	switch {
	case f.state == foreDetached:
		f.job = nil
	case was && e == eventLeave: // returned
		f.leaving = ""
	case !was && f.isLeft() && a.byHost:
		f.leaving = a.id
	}
	return next.do, a
}

// waitFor returns how long a second leave key can follow.
func (f *foreground) waitFor() time.Duration {
	if f.state == foreLeftForHost {
		return hostLeave
	}
	return doubleLeave
}

// pressLeave handles the leave key while a job is attached or was just left.
func (f *foreground) pressLeave(msg tea.KeyPressMsg) tea.Cmd {
	f.key = tea.Key(msg)
	return f.event(f.leaveEvent(f.opts.leave))
}

// event performs a transition of the table.
func (f *foreground) event(e foreEvent) tea.Cmd {
	actions, a := f.step(e)
	var cmds []tea.Cmd
	for _, do := range actions {
		cmds = append(cmds, f.act(do, a))
	}
	return tea.Batch(cmds...)
}

func (f *foreground) act(do foreAction, a *attachment) tea.Cmd {
	switch do {
	case doFocusList:
		f.panes.focusList()
	case doShowPanes:
		return f.panes.showPanes(a.id)
	case doSend:
		return f.send(a)
	case doWait:
		return f.tasks.latest(&f.timer, f.waitFor(), func() tea.Cmd { return f.event(eventTimeOver) })
	case doClose:
		if a.session != nil {
			return f.tasks.release(a.session)
		}
	case doReturn:
		f.notices.Clear() // the job is visible again
		return f.panes.showAttached()
	case doTypeKey:
		if !a.viaLog {
			f.term.Press(f.key)
			return f.typeOn(a)
		}
	case doIgnoreKeys:
		return f.pause.begin()
	case doReportLeft:
		if a.byHost {
			return send(LeaveMsg{Ended: f.endOf(a)})
		}
	case doRefuse:
		return f.notices.refuse(f.dotted("The job has exited", f.does(f.opts.keys.Ended.LeaveEnded, "close")))
	}
	return nil
}

// send sends the job of an attachment to the background.
func (f *foreground) send(a *attachment) tea.Cmd {
	if f.jobs.backgrounded(a.id) {
		if a.byHost {
			return f.backgrounded(a.id, nil)
		}
		return nil
	}
	eng, id := f.tasks.eng, a.id
	return f.tasks.async(func(context.Context) func() tea.Cmd {
		err := eng.Background(id)
		return func() tea.Cmd { return f.backgrounded(id, err) }
	})
}

// backgrounded handles the engine's answer.
func (f *foreground) backgrounded(id engine.ID, err error) tea.Cmd {
	if err == nil {
		return send(BackgroundedMsg{id})
	}
	var cmd tea.Cmd
	if f.leaving == id {
		f.leaving = ""
	}
	if errors.Is(err, engine.ErrNotRunning) {
		cmd = f.notices.message(toast.Info, "The job has already exited")
	} else {
		cmd = f.notices.fail("Can't send the job to the background", err)
	}
	return tea.Batch(f.event(eventNotSent), cmd)
}

// endOf returns the ended job of an attachment, as far as its end is known.
func (f *foreground) endOf(a *attachment) *engine.Job {
	ended := engine.Job{Request: engine.Request{ID: a.id}}
	if j, ok := f.jobs.all[a.id]; ok {
		ended = j.Job
	}
	switch {
	case ended.Status.Finished():
	case a.exit != nil:
		ended.Status, ended.Exit = a.exit.Status, *a.exit
	default:
		return nil
	}
	return &ended
}
