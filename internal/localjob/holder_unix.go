//go:build linux || darwin

package localjob

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/build"
	"github.com/hobjobs/hob/internal/ending"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/notify"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/queue"
)

const (
	configFD = 0 // a socket with the configuration
	replyFD  = 3 // a holder writes its Reply to it, and until then its stderr
)

// Hold is the main function of the holder of one job: it receives the configuration from its launcher,
// waits until a queued job may start, starts the job and keeps it until none of its processes is left.
// It returns the exit code for the process.
func Hold() int {
	closeLeaked(replyFD + 1)
	syscall.CloseOnExec(replyFD)
	l, err := receiveLaunch()
	var w *waited
	queued := err == nil && l.alive != nil
	if queued {
		w = l.wait()
	}
	signals := make(chan os.Signal, 16)
	// Notify, not Ignore: a signal that the holder ignores would be ignored in the job. Those that come
	// while a job is queued end its holder.
	signal.Notify(signals, syscall.SIGCHLD, syscall.SIGUSR1, syscall.SIGTERM,
		syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGPIPE)
	var j *job
	if err == nil {
		j, err = hold(l.cfg, w, l.passed, l.lock, true)
	}
	switch {
	case !queued:
		reply(j, err)
	case err != nil: // hob itself failed: the job is lost, and its lock file says why
		fmt.Fprintln(os.Stderr, err)
		w.leave()
	}
	if j == nil {
		return 1
	}
	openCrashLog(j.cfg.Dir)
	nameProcess()
	j.serve(signals)
	return 0
}

// reply reports to the launcher that the job was started, or that it waits if there is none, or why not,
// and closes the connection.
func reply(j *job, err error) {
	reply := os.NewFile(replyFD, "reply")
	r := Reply{Unknown: errors.Is(err, ErrVersion)}
	switch {
	case err != nil:
		r.Error = err.Error()
	case j != nil:
		st := j.h.State()
		r.State = &st
	}
	if text, err := json.Marshal(r); err == nil {
		_, _ = reply.Write(append(text, '\n')) // if the launcher died, the reply is not needed
	}
	detachLauncher(reply)
}

// launch is what a holder receives from its launcher.
type launch struct {
	cfg    Config
	lock   *os.File      // the job's lock
	alive  *jobdir.Alive // the pipe of a queued job, else nil
	passed files
}

// receiveLaunch takes over the job that a launcher has created.
func receiveLaunch() (*launch, error) {
	l := &launch{}
	config, received, err := receive(configFD)
	if err == nil {
		err = json.Unmarshal(config, &l.cfg)
	}
	switch {
	case err != nil:
		err = fmt.Errorf("read the holder's configuration: %w", err)
	case l.cfg.Launch != Version:
		err = ErrVersion
	case l.cfg.Build != "" && !build.Same(l.cfg.Build, build.Version()):
		err = ErrVersion
	case !filepath.IsAbs(l.cfg.Dir):
		err = fmt.Errorf("the holder's configuration has no job directory: %q", l.cfg.Dir)
	}
	if err == nil && l.cfg.Queue != nil {
		received, err = l.takeAlive(received)
	}
	if err == nil {
		l.lock, l.passed, err = splitPassed(received, l.cfg.Passed)
	} else {
		closeAll(received)
	}
	return l, err
}

// takeAlive takes the pipe of a queued job, which follows the lock.
func (l *launch) takeAlive(received []*os.File) ([]*os.File, error) {
	if len(received) < 2 {
		return received, errFilesMissing
	}
	fd, err := duplicateFD(received[1])
	if err != nil {
		return received, err
	}
	l.alive = jobdir.InheritAlive(l.cfg.Dir, fd)
	received[1].Close()
	return slices.Delete(received, 1, 2), nil
}

// detachLauncher closes the connections to the launcher after the reply.
func detachLauncher(reply *os.File) {
	reply.Close()
	if null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0); err == nil {
		for fd := range 3 {
			_ = redirect(int(null.Fd()), fd)
		}
		null.Close()
	}
}

// exit is the wait status of the leader.
type exit struct {
	status syscall.WaitStatus
	usage  syscall.Rusage
}

// serve keeps the job until its end.
func (j *job) serve(signals <-chan os.Signal) {
	exits := make(chan exit, 1)
	done := make(chan struct{})
	j.wg.Go(func() { j.listen(signals, exits, done) })
	if j.pid != 0 {
		for again := true; again; {
			again = j.leaderEnded(<-exits)
		}
		j.waitForTerminal()
		j.waitForStops()
		j.waitForReaders()
	}
	close(done)
	j.closeAndNotify()
}

// listen handles signals until done is closed: child processes that ended, a missing socket, a
// request to terminate.
func (j *job) listen(signals <-chan os.Signal, exits chan<- exit, done <-chan struct{}) {
	chld := make(chan struct{}, 1)
	chld <- struct{}{} // it may have ended before the handler was installed
	for {
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
		if x, ended := j.collect(); ended {
			exits <- x
		}
		j.reaper.ReapOrphans()
	}
}

// closeAndNotify releases the job, then notifies the user of its end if no client does. It returns when no command for
// notifications runs any more: only the holder can end one that hangs, and record how it failed.
func (j *job) closeAndNotify() {
	j.sendNotices() // what the program reported last
	st := j.h.State()
	end := notify.OfEnd(&st.Exit)
	notifies := st.Exit.Known() && j.mustNotify(end.Event)
	if j.leads {
		j.leaveTerminal()
	}
	_ = j.close()
	if notifies {
		j.command().Run(context.Background(), end)
	}
	j.awaitCommands()
}

// openCrashLog redirects stderr to the lock file of the job in dir, so that a crash trace is kept
// there. If that fails, stderr is unchanged.
func openCrashLog(dir string) {
	f, err := plainfile.OpenFile(filepath.Join(dir, jobdir.LockFile), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return
	}
	defer f.Close()
	_ = redirect(int(f.Fd()), 2)
}

// waited is how the wait of a queued job ended, in its holder.
type waited struct {
	queue.Result
	alive *jobdir.Alive
	leave func() // gives the job's place in the queue back
}

// wait reports to the launcher that the job waits, and returns when the wait is over.
func (l *launch) wait() *waited {
	reply(nil, nil)
	openCrashLog(l.cfg.Dir)
	rest := time.AfterFunc(restTime, releasePages)
	defer rest.Stop()
	r := l.cfg.Queue.Wait(l.cfg.Dir, l.alive, func() { rest.Reset(restTime) })
	return &waited{
		Result: r,
		alive:  l.alive,
		leave:  sync.OnceFunc(func() { _ = os.Remove(r.Entry) }),
	}
}

// declined records the end of a job whose turn does not come.
func (j *job) declined(w *waited) {
	if c := w.Canceled; c != nil {
		j.endUnstarted(record.Exit{
			At:      time.Now(),
			Status:  record.Killed,
			Reason:  record.Reason(c.Reason),
			EndedBy: c.By,
		})
		return
	}
	j.endUnstarted(record.Exit{
		At:     time.Now(),
		Status: record.Failed,
		Reason: record.ReasonDependency,
		Error:  string(w.BlockedBy) + " " + j.endingOf(string(w.BlockedBy)),
	})
}

// endingOf describes the end of another job, which may have been cleared.
func (j *job) endingOf(id string) string {
	dir := filepath.Join(filepath.Dir(j.cfg.Dir), id)
	rec, err := jobdir.Read(dir)
	if errors.Is(err, fs.ErrNotExist) {
		rec, err = jobdir.Read(filepath.Join(filepath.Dir(filepath.Dir(dir)), "trash", id))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "was deleted"
	}
	other := rec.CurrentState()
	if text := ending.Of(&rec.Meta.Request, &other); text != "" {
		return text
	}
	return "ended without a record"
}
