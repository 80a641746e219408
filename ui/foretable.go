package ui

// While a job is attached, it has the keyboard and the whole pane. The leave key shows the panes
// again. For a moment after that, the session of the job is kept: a second leave key returns to
// the job and is typed into it. This file is the table of that; [foreground.event] follows it.

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
