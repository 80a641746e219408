package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
)

// While a job is attached, it has the keyboard and the whole pane. The leave key shows the panes
// again. For a moment after that, the session of the job is kept: a second leave key returns to
// the job and is typed into it. This file is the table of that; [Pane.foregroundEvent] follows it.

// foreState is the state of the foreground.
type foreState int

const (
	foreDetached    foreState = iota // no job is attached; the panes are shown
	foreAttached                     // a job is attached
	foreLost                         // its terminal can no longer be read
	foreFailed                       // its terminal could not be opened
	foreEnded                        // it has ended; its last screen is shown
	foreLeft                         // it was left; a second leave key returns to it
	foreLeftUnsent                   // as foreLeft, but it goes to the background when no leave key can follow
	foreLeftForHost                  // as foreLeftUnsent, but the host takes over: its screen is still shown
	foreSentForHost                  // as foreLeftForHost, but it is on its way to the background
)

// foreEvent is something that changes the foreground.
type foreEvent int

const (
	eventAttach       foreEvent = iota // a job is attached
	eventAttachEnded                   // a job that has ended is attached
	eventLeave                         // the leave key; it sends an attached job to the background at once
	eventLeaveUnsent                   // the leave key, with [LeaveLater]
	eventLeaveForHost                  // the leave key, with [LeaveToHost]
	eventClose                         // the key that closes a last screen
	eventKey                           // another key, while a leave key can follow
	eventTimeOver                      // no leave key can follow any more
	eventJobEnded                      // the job has ended
	eventEndedEmpty                    // a job that the user attached has ended with an empty screen
	eventLost                          // its terminal cannot be read
	eventOpenFailed                    // its terminal cannot be opened; the host requested the job
	eventOpenRefused                   // its terminal cannot be opened; the user requested the job
	eventNotSent                       // the engine has refused to send it to the background
)

// foreAction is what the pane does in a transition.
type foreAction int

const (
	doFocusList  foreAction = iota // focus the list
	doShowPanes                    // show the panes, with the job selected
	doSend                         // send the job to the background
	doWait                         // wait until no leave key can follow
	doClose                        // close the session
	doReturn                       // show the job again
	doTypeKey                      // type the leave key into the job
	doIgnoreKeys                   // ignore keys for a moment: the user was typing for the job
	doReportLeft                   // report [LeaveMsg] if the host requested the job
	doRefuse                       // explain that the job has exited
)

// foreStep is the result of an event in a state.
type foreStep struct {
	to foreState
	do []foreAction
}

// foreSteps returns the transitions. An event without a row changes nothing.
func foreSteps() map[foreState]map[foreEvent]foreStep {
	leave := foreStep{foreLeft, []foreAction{doFocusList, doShowPanes, doSend, doWait}}
	leaveUnsent := foreStep{foreLeftUnsent, []foreAction{doFocusList, doShowPanes, doWait}}
	leaveForHost := foreStep{foreLeftForHost, []foreAction{doFocusList, doShowPanes, doWait}}
	closed := foreStep{foreDetached, []foreAction{doClose, doShowPanes, doReportLeft}}
	returned := foreStep{foreAttached, []foreAction{doReturn, doTypeKey}}
	drop := foreStep{foreDetached, []foreAction{doClose}}
	sendAndDrop := foreStep{foreDetached, []foreAction{doSend, doClose}}
	refused := foreStep{foreEnded, []foreAction{doRefuse}}
	empty := foreStep{foreDetached, []foreAction{doClose, doShowPanes, doIgnoreKeys}}
	unopened := foreStep{foreDetached, []foreAction{doClose, doShowPanes}}
	return map[foreState]map[foreEvent]foreStep{
		foreDetached: {
			eventAttach:      {to: foreAttached},
			eventAttachEnded: {to: foreEnded},
		},
		foreAttached: {
			eventAttach:       {foreAttached, []foreAction{doClose}},
			eventAttachEnded:  {foreEnded, []foreAction{doClose}},
			eventLeave:        leave,
			eventLeaveUnsent:  leaveUnsent,
			eventLeaveForHost: leaveForHost,
			eventJobEnded:     {to: foreEnded},
			eventEndedEmpty:   empty,
			eventLost:         {to: foreLost},
			eventOpenFailed:   {to: foreFailed},
			eventOpenRefused:  unopened,
		},
		foreLost: {
			eventAttach:       {foreAttached, []foreAction{doClose}},
			eventAttachEnded:  {foreEnded, []foreAction{doClose}},
			eventLeave:        leave,
			eventLeaveUnsent:  leaveUnsent,
			eventLeaveForHost: leaveForHost,
			eventClose:        closed,
			eventJobEnded:     {to: foreEnded},
		},
		foreFailed: {
			eventAttach:       {foreAttached, []foreAction{doClose}},
			eventAttachEnded:  {foreEnded, []foreAction{doClose}},
			eventLeave:        closed,
			eventLeaveUnsent:  closed,
			eventLeaveForHost: closed,
			eventClose:        closed,
			eventJobEnded:     {to: foreEnded},
		},
		foreEnded: {
			eventAttach:       {foreAttached, []foreAction{doClose}},
			eventAttachEnded:  {foreEnded, []foreAction{doClose}},
			eventLeave:        refused,
			eventLeaveUnsent:  refused,
			eventLeaveForHost: refused,
			eventClose:        closed,
			eventEndedEmpty:   empty,
			eventOpenRefused:  unopened,
		},
		foreLeft: {
			eventAttach:      {foreAttached, []foreAction{doClose}},
			eventAttachEnded: {foreEnded, []foreAction{doClose}},
			eventLeave:       returned,
			eventKey:         drop,
			eventTimeOver:    drop,
			eventJobEnded:    drop,
			eventLost:        drop,
			eventOpenFailed:  drop,
			eventOpenRefused: drop,
		},
		foreLeftUnsent: {
			eventAttach:      {foreAttached, []foreAction{doSend, doClose}},
			eventAttachEnded: {foreEnded, []foreAction{doSend, doClose}},
			eventLeave:       returned,
			eventKey:         sendAndDrop,
			eventTimeOver:    sendAndDrop,
			eventJobEnded:    sendAndDrop,
			eventLost:        sendAndDrop,
			eventOpenFailed:  sendAndDrop,
		},
		foreLeftForHost: {
			eventAttach:      {foreAttached, []foreAction{doSend, doClose}},
			eventAttachEnded: {foreEnded, []foreAction{doSend, doClose}},
			eventLeave:       returned,
			eventKey:         sendAndDrop,
			eventTimeOver:    {foreSentForHost, []foreAction{doSend, doWait}},
			eventJobEnded:    sendAndDrop,
			eventLost:        sendAndDrop,
			eventOpenFailed:  sendAndDrop,
		},
		foreSentForHost: {
			eventAttach:      {foreAttached, []foreAction{doClose}},
			eventAttachEnded: {foreEnded, []foreAction{doClose}},
			eventLeave:       returned,
			eventKey:         drop,
			eventTimeOver:    drop,
			eventJobEnded:    drop,
			eventLost:        drop,
			eventOpenFailed:  drop,
			eventNotSent:     {to: foreLeft},
		},
	}
}

// Leave is what happens to the job of [Pane.Foreground] when the user presses the leave key.
type Leave int

// Values of Leave.
const (
	// LeaveAtOnce sends the job to the background at once and shows the panes.
	LeaveAtOnce Leave = iota
	// LeaveLater shows the panes at once, but sends the job to the background only when no second
	// leave key can follow. So a double press, which returns to the job, never sends it.
	LeaveLater
	// LeaveToHost is like LeaveLater for a host that shows something else than the pane after
	// [BackgroundedMsg]. It waits for less time, and other keys are ignored. See [Pane.Leaving].
	LeaveToHost
)

const (
	// doubleLeave is the time within which a second leave key returns to the job.
	doubleLeave = 700 * time.Millisecond
	// hostLeave is that time if the host takes over: longer than a double press, but short,
	// because the user waits for the host.
	hostLeave = 250 * time.Millisecond
)

// WithLeave sets what happens when the user leaves a foreground job (default: [LeaveAtOnce]).
func WithLeave(l Leave) Option { return func(o *options) { o.leave = l } }

// foreground is the job that is attached or was just left.
type foreground struct {
	state foreState
	job   *attachment // nil: foreDetached
	// leaving is the job of the host that the user has left: see [Pane.Leaving].
	leaving engine.ID
	key     tea.Key // the leave key, as last pressed
	timer   int     // number of the wait for a second leave key
}

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
func (f *foreground) toHost() bool { return f.state == foreLeftForHost || f.state == foreSentForHost }

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

// attachedOnTop reports whether a job is attached and no dialog covers it.
func (p *Pane) attachedOnTop() bool { return p.fore.attached() != nil && p.modal.over == nil }

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

// wait returns how long a second leave key can follow.
func (f *foreground) wait() time.Duration {
	if f.state == foreLeftForHost {
		return hostLeave
	}
	return doubleLeave
}
