//go:build linux || darwin

package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/hobjobs/hob/internal/build"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/proc"
)

// replyFD is the descriptor where a holder's launchReply goes; so does standard
// error until then.
const replyFD = 3

// hasHolders reports whether this system can have holders.
const hasHolders = true

// IsHolder reports whether this process was started to be the holder of a job.
// Programs ask before they do anything else.
func IsHolder() bool {
	return len(os.Args) > 0 && filepath.Base(os.Args[0]) == proc.HolderName
}

// RunHolder is the holder of one job: it reads what to do on standard input,
// starts the job and keeps it until nothing of it is left. It returns the exit
// code for the process.
func RunHolder() int {
	isolate(replyFD + 1)
	signals := make(chan os.Signal, 16)
	// Notify, not Ignore: a signal that the holder ignores would be ignored in the job.
	signal.Notify(signals, syscall.SIGCHLD, syscall.SIGUSR1, syscall.SIGTERM,
		syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGPIPE)
	reply := os.NewFile(replyFD, "reply")
	j := holdFromStdin(reply)
	if j == nil {
		return 1
	}
	openLastWords(j.cfg.Dir)
	nameProcess()
	j.serve(signals)
	return 0
}

// holdFromStdin reads the configuration from standard input, starts the job, and
// answers. It returns nil if there is no job to hold then.
func holdFromStdin(reply *os.File) *job {
	data, passed, err := receive()
	var j *job
	if err != nil {
		err = fmt.Errorf("read the holder's configuration: %w", err)
	} else {
		j, err = holdTold(data, passed)
	}
	r := launchReply{Unknown: errors.Is(err, errHolderVersion)}
	if err != nil {
		r.Error = err.Error()
	} else {
		st := j.h.State()
		r.State = &st
	}
	if text, err := json.Marshal(r); err == nil {
		_, _ = reply.Write(append(text, '\n')) // a launcher that died needs no answer
	}
	letGo(reply)
	return j
}

// holdTold holds the job that a launcher has made.
func holdTold(data []byte, passed []*os.File) (*job, error) {
	var cfg launchConfig
	err := json.Unmarshal(data, &cfg)
	switch {
	case err != nil:
		err = fmt.Errorf("read the holder's configuration: %w", err)
	case cfg.Launch != launchVersion, cfg.Build != "" && !build.Same(cfg.Build, build.Version()):
		err = errHolderVersion
	case !filepath.IsAbs(cfg.Dir):
		err = fmt.Errorf("the holder's configuration names no job directory: %q", cfg.Dir)
	}
	if err != nil {
		closeAll(passed)
		return nil, err
	}
	lock, lent, err := lentFiles(passed, cfg.Lent)
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(replyFD)
	return hold(cfg, lent, lock, true)
}

// letGo lets go of the launcher, which was answered.
func letGo(reply *os.File) {
	reply.Close()
	if null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0); err == nil {
		for fd := range 3 {
			_ = redirect(int(null.Fd()), fd)
		}
		null.Close()
	}
}

// exit is how the leader ended.
type exit struct {
	status syscall.WaitStatus
	usage  syscall.Rusage
}

// serve keeps the job to its end.
func (j *job) serve(signals <-chan os.Signal) {
	exits := make(chan exit, 1)
	done := make(chan struct{})
	j.wg.Go(func() { j.listen(signals, exits, done) })
	if j.pid != 0 {
		x := <-exits
		j.leaderEnded(x.status, x.usage)
		j.outlive()
		j.settleKills()
		j.outread()
	}
	close(done)
	j.depart()
}

// listen hears signals until done: children that ended, a socket that is missing,
// the request to go.
func (j *job) listen(signals <-chan os.Signal, exits chan<- exit, done <-chan struct{}) {
	chld := make(chan struct{}, 1)
	chld <- struct{}{} // it may have ended before anybody listened
	for over := j.pid == 0; ; {
		select {
		case <-done:
			return
		case <-chld:
		case sig := <-signals:
			switch sig {
			case syscall.SIGUSR1:
				_ = j.h.CheckSocket()
				continue
			case syscall.SIGTERM:
				j.background(func() { j.hangup(syscall.SIGTERM) })
				continue
			case syscall.SIGCHLD:
			default:
				continue
			}
		}
		if !over {
			var x exit
			if x.status, x.usage, over = j.collect(); over {
				exits <- x
			}
		}
		j.reaper.ReapStrays()
	}
}

// depart tells the user of the end if nobody else does, and lets go of the job.
func (j *job) depart() {
	watched := j.h.Watched()
	st := j.h.State()
	if j.leads {
		j.leaveTerminal()
	}
	_ = j.close()
	if j.cfg.Notify == "" || watched || !st.Exit.Known() || !(st.Backgrounded || j.meta.Notify) {
		return
	}
	code := ""
	if st.Exit.Code != nil {
		code = strconv.Itoa(*st.Exit.Code)
	}
	cmd := exec.Command(shell, "-c", j.cfg.Notify, "hob", j.meta.Name, string(st.Exit.Status))
	cmd.Env = append(j.cfg.Env, "HOB_NAME="+j.meta.Name, "HOB_RESULT="+resultWords(string(st.Exit.Status), code, st.Exit.Signal),
		"HOB_STATUS="+string(st.Exit.Status), "HOB_EXIT_CODE="+code, "HOB_JOB_ID="+string(j.meta.ID))
	cmd.Dir = "/"
	// The end of this process hangs its own session up.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err == nil {
		_ = cmd.Process.Release() // it outlives the holder
	}
}

func resultWords(status, code, sig string) string {
	switch {
	case sig != "":
		return status + " (" + sig + ")"
	case code != "":
		return status + " (exit code " + code + ")"
	}
	return status
}

// openLastWords makes standard error the lock of the job in dir, so that a holder
// that fails leaves its reason there. Without that it stays as it is.
func openLastWords(dir string) {
	f, err := plainfile.OpenFile(filepath.Join(dir, jobdir.LockFile), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return
	}
	defer f.Close()
	_ = redirect(int(f.Fd()), 2)
}
