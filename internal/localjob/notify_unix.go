//go:build linux || darwin

package localjob

import (
	"cmp"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/notifyevent"
)

// notifyPause is the minimum time between two notifications that the job waits for input: a
// job can ask for it in a loop.
const notifyPause = time.Minute

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
	if end.Succeeded() || end.EndedBy != "" {
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

// notifyWaiting notifies the user that the job waits for input.
func (j *job) notifyWaiting(entry record.Entry) {
	result := "needs input"
	if entry == record.EntryHidden { // such as a password, which only the user can type
		result = "waits for hidden input"
	}
	j.tell(notice{event: notifyevent.NeedsInput, status: "waiting", result: result})
}

// blockedPause is the minimum time between two notifications that the program of the job says it needs the user.
const blockedPause = 30 * time.Second

// said takes in what the program of the job says now. It is called with the holder locked.
func (j *job) said(r record.ProgramReport) {
	if r.State != record.ProgramBlocked || !j.selects(notifyevent.Blocked) {
		return
	}
	now, last := time.Now(), j.toldBlocked
	if now.Sub(last) < blockedPause {
		return
	}
	j.toldBlocked = now
	n := notice{
		event:  notifyevent.Blocked,
		status: "waiting",
		result: "is blocked",
		detail: cmp.Or(r.Message, r.Title, string(r.Kind)),
	}
	go func() {
		if j.mustNotify(n.event) {
			j.tell(n)
		}
	}()
}

// tell runs the user's command for a job that goes on. The command is a child of the holder, but not a process of the
// job.
func (j *job) tell(n notice) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ctx.Err() != nil {
		return
	}
	pid, err := j.notify(n)
	if err != nil {
		return
	}
	j.addOtherLocked(pid)
}
