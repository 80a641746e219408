//go:build linux || darwin

package localjob

import (
	"cmp"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/notifyevent"
)

// notice is what the user's command gets to know about a job, as environment variables.
type notice struct {
	event  notifyevent.Event
	status string
	code   string
	result string
	detail string // what a program says of it; "": nothing
}

// message returns one line for a person.
func (n notice) message(name string) string {
	text := name + " " + n.result
	if n.detail != "" {
		text += ": " + n.detail
	}
	return text
}

func endNotice(end *record.Exit) notice {
	n := notice{
		event:  notifyevent.Failed,
		status: string(end.Status),
		result: string(end.Status),
	}
	if st := (record.State{Status: end.Status, Exit: *end}); !st.Unsuccessful() {
		n.event = notifyevent.Ended
	}
	if end.Code != nil {
		n.code = strconv.Itoa(*end.Code)
	}
	switch {
	case end.Signal != "":
		n.result += " (" + end.Signal + ")"
	case n.code != "":
		n.result += " (exit code " + n.code + ")"
	}
	return n
}

// selects reports whether the user has a command for notifications of an event.
func (j *job) selects(event notifyevent.Event) bool {
	if !j.own || j.cfg.Notify == "" {
		return false
	}
	if len(j.cfg.Events) == 0 {
		return slices.Contains(notifyevent.Defaults(), event)
	}
	return slices.Contains(j.cfg.Events, string(event))
}

// mustNotify reports whether the user wants notifications of an event for this job, and no client shows the job.
func (j *job) mustNotify(event notifyevent.Event) bool {
	if !j.selects(event) {
		return false
	}
	wanted := j.meta.Notify || j.h.State().Backgrounded
	return wanted && !j.h.Watched()
}

// notify starts the user's command. It outlives the holder.
func (j *job) notify(n notice) (pid int, err error) {
	cmd := exec.Command(shell, "-c", j.cfg.Notify, "hob", j.meta.Name, n.status)
	cmd.Env = append(j.cfg.Env, "HOB_NAME="+j.meta.Name, "HOB_RESULT="+n.result,
		"HOB_STATUS="+n.status, "HOB_EVENT="+string(n.event), "HOB_MESSAGE="+n.message(j.meta.Name),
		"HOB_EXIT_CODE="+n.code, "HOB_JOB_ID="+string(j.meta.ID))
	cmd.Dir = "/"
	// When this process exits, its own session is hung up.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	pid = cmd.Process.Pid
	return pid, cmd.Process.Release()
}

// notifyPause is the minimum time between two notifications of the same event of a running job.
const notifyPause = 30 * time.Second

// notices are the events of a running job. A program can cause them at any rate.
type notices struct {
	mu  sync.Mutex
	due map[notifyevent.Event]bool // not sent yet

	sending sync.Mutex // held while they are sent; guards the fields below
	last    map[notifyevent.Event]time.Time
	later   map[notifyevent.Event]bool // a timer reports the event again
}

// add notes that an event is to be sent.
func (n *notices) add(event notifyevent.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.due == nil {
		n.due = map[notifyevent.Event]bool{}
	}
	n.due[event] = true
}

// take returns the events that are to be sent, once.
func (n *notices) take() []notifyevent.Event {
	n.mu.Lock()
	defer n.mu.Unlock()
	events := slices.Sorted(maps.Keys(n.due))
	clear(n.due)
	return events
}

// wait returns how long it takes until an event may be sent; 0: it may be now. n.sending is held.
func (n *notices) wait(event notifyevent.Event, now time.Time) time.Duration {
	last, sent := n.last[event]
	if !sent {
		return 0
	}
	return max(0, notifyPause-now.Sub(last))
}

// sent notes that an event was sent. n.sending is held.
func (n *notices) sent(event notifyevent.Event, now time.Time) {
	if n.last == nil {
		n.last = map[notifyevent.Event]time.Time{}
	}
	n.last[event] = now
}

// report notifies the user of an event of a running job. Too soon after the last one, it does so later, if
// the event still applies then.
func (j *job) report(event notifyevent.Event) {
	if !j.selects(event) {
		return
	}
	j.notices.add(event)
	j.sendNotices()
}

// said is called, with the holder locked, when the program of the job reports what it does.
func (j *job) said(r record.ProgramReport) {
	for event, state := range programEvents() {
		if r.State == state && j.selects(event) {
			j.notices.add(event)
			go j.sendNotices()
		}
	}
}

// programEvents returns the states of a program that are events.
func programEvents() map[notifyevent.Event]record.ProgramState {
	return map[notifyevent.Event]record.ProgramState{
		notifyevent.Blocked: record.ProgramBlocked,
		notifyevent.Error:   record.ProgramError,
		notifyevent.Done:    record.ProgramDone,
	}
}

// sendNotices sends the events that are due. It must not be called after the end of the job is notified of.
func (j *job) sendNotices() {
	n := &j.notices
	n.sending.Lock()
	defer n.sending.Unlock()
	if j.ctx.Err() != nil {
		return
	}
	for _, event := range n.take() {
		now := time.Now()
		if wait := n.wait(event, now); wait > 0 {
			j.reportLater(event, wait)
			continue
		}
		if !j.mustNotify(event) {
			continue
		}
		if notice, applies := j.noticeOf(event); applies {
			n.sent(event, now)
			j.tell(notice)
		}
	}
}

// reportLater reports an event after a pause. n.sending is held.
func (j *job) reportLater(event notifyevent.Event, pause time.Duration) {
	n := &j.notices
	if n.later[event] {
		return
	}
	if n.later == nil {
		n.later = map[notifyevent.Event]bool{}
	}
	n.later[event] = true
	time.AfterFunc(pause, func() {
		n.sending.Lock()
		n.later[event] = false
		n.sending.Unlock()
		j.report(event)
	})
}

// noticeOf describes an event of a running job by its state now; applies is false if it no longer applies.
func (j *job) noticeOf(event notifyevent.Event) (n notice, applies bool) {
	st := j.h.State()
	n = notice{event: event, status: "waiting"}
	if state, ok := programEvents()[event]; ok {
		return programNotice(n, st, state), st.Program.Says(state)
	}
	switch event {
	case notifyevent.NeedsInput:
		n.result = "needs input"
		n.detail = j.h.LastLine()
		if st.Entry == record.EntryHidden { // such as a password, which only the user can type
			n.result, n.detail = "waits for hidden input", ""
		}
		return n, st.Waiting
	case notifyevent.Unhealthy:
		n.status, n.result = "running", "is unhealthy"
		if st.Health != nil {
			n.detail = st.Health.Output
		}
		return n, st.Health.Is(record.Unhealthy)
	case notifyevent.Failed, notifyevent.Ended: // of jobs that have ended
	case notifyevent.Blocked, notifyevent.Error, notifyevent.Done: // the states of a program, above
	}
	return n, false
}

// programNotice describes that the program of a job says that it is in this state.
func programNotice(n notice, st record.State, state record.ProgramState) notice {
	if st.Program != nil {
		r := st.Program.ProgramReport
		n.detail = cmp.Or(r.Message, r.Title, string(r.Kind))
	}
	switch state {
	case record.ProgramBlocked:
		n.result = "is blocked"
		return n
	case record.ProgramDone:
		n.result = "is done"
	case record.ProgramError:
		n.result = "reports an error"
	case record.ProgramIdle, record.ProgramWorking: // no events
	}
	n.status = "running"
	if st.Exit.Known() {
		n.status = string(st.Exit.Status)
	}
	return n
}

// tell runs the user's command for a running job. The command is a child of the holder, but not a process of the
// job.
func (j *job) tell(n notice) {
	j.mu.Lock()
	defer j.mu.Unlock()
	pid, err := j.notify(n)
	if err != nil {
		return
	}
	j.addOtherLocked(pid)
}
