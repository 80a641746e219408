//go:build linux || darwin

package localjob

import (
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/proc"
)

// notifyPause is the minimum time between two notifications that the job waits for hidden input: a
// job can ask for it in a loop.
const notifyPause = time.Minute

// notice is what the user's command gets to know about a job, as environment variables.
type notice struct{ status, code, result string }

func endNotice(end *record.Exit) notice {
	n := notice{status: string(end.Status), result: string(end.Status)}
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

// mustNotify reports whether the user has a command for notifications, wants them for this job, and
// no client shows the job.
func (j *job) mustNotify() bool {
	return j.own && j.cfg.Notify != "" && (j.meta.Notify || j.h.State().Backgrounded) && !j.h.Watched()
}

// notify starts the user's command. It outlives the holder.
func (j *job) notify(n notice) (pid int, err error) {
	cmd := exec.Command(shell, "-c", j.cfg.Notify, "hob", j.meta.Name, n.status)
	cmd.Env = append(j.cfg.Env, "HOB_NAME="+j.meta.Name, "HOB_RESULT="+n.result,
		"HOB_STATUS="+n.status, "HOB_EXIT_CODE="+n.code, "HOB_JOB_ID="+string(j.meta.ID))
	cmd.Dir = "/"
	// When this process exits, its own session is hung up.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	pid = cmd.Process.Pid
	return pid, cmd.Process.Release()
}

// notifyHidden notifies the user that the job waits for hidden input, such as a password: only the
// user can type that. The command is a child of the holder, but not a process of the job.
func (j *job) notifyHidden() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ctx.Err() != nil {
		return
	}
	pid, err := j.notify(notice{status: "waiting", result: "waits for hidden input"})
	if err != nil {
		return
	}
	j.others = slices.DeleteFunc(j.others, func(id proc.Identity) bool { return !proc.Alive(id) })
	if id, err := proc.IdentityOf(pid); err == nil { // it has not ended yet
		j.others = append(j.others, id)
	}
}
