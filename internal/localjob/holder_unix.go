//go:build linux || darwin

package localjob

import (
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
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/turn"
)

// replyFD is the descriptor to which a holder writes its Reply, and until then its stderr.
const replyFD = 3

// Hold is the main function of the holder of one job: it receives the configuration from its launcher,
// waits until a queued job may start, starts the job and keeps it until none of its processes is left.
// It returns the exit code for the process.
func Hold() int {
	received := turn.Wait() // first: a process that waits needs little memory
	signals := make(chan os.Signal, 16)
	// Notify, not Ignore: a signal that the holder ignores would be ignored in the job.
	signal.Notify(signals, syscall.SIGCHLD, syscall.SIGUSR1, syscall.SIGTERM,
		syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGPIPE)
	j := holdReceived(received)
	if j == nil {
		return 1
	}
	openCrashLog(j.cfg.Dir)
	nameProcess()
	j.serve(signals)
	return 0
}

// holdReceived starts the job. It returns nil if there is no job to hold after that.
func holdReceived(r turn.Result) *job {
	if r.Outcome != turn.NotQueued {
		return holdWaited(r)
	}
	j, err := holdConfigured(r)
	reply(j, err)
	return j
}

// reply reports to the launcher that the job was started, or why not, and closes the connection.
func reply(j *job, err error) {
	reply := os.NewFile(replyFD, "reply")
	r := Reply{Unknown: errors.Is(err, ErrVersion)}
	if err != nil {
		r.Error = err.Error()
	} else {
		st := j.h.State()
		r.State = &st
	}
	if text, err := json.Marshal(r); err == nil {
		_, _ = reply.Write(append(text, '\n')) // if the launcher died, the reply is not needed
	}
	detachLauncher(reply)
}

// holdConfigured takes over the job that a launcher has created.
func holdConfigured(r turn.Result) (*job, error) {
	var cfg Config
	err := r.Err
	if err == nil {
		err = json.Unmarshal(r.Config, &cfg)
	}
	received := filesOf(r.Files)
	switch {
	case err != nil:
		err = fmt.Errorf("read the holder's configuration: %w", err)
	case cfg.Launch != Version, cfg.Build != "" && !build.Same(cfg.Build, build.Version()):
		err = ErrVersion
	case !filepath.IsAbs(cfg.Dir):
		err = fmt.Errorf("the holder's configuration has no job directory: %q", cfg.Dir)
	}
	if err != nil {
		closeAll(received)
		return nil, err
	}
	lock, passed, err := splitPassed(received, cfg.Passed)
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(replyFD)
	return hold(cfg, nil, passed, lock, true)
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

// closeAndNotify releases the job, then notifies the user of its end if no client does.
func (j *job) closeAndNotify() {
	st := j.h.State()
	notify := st.Exit.Known() && j.mustNotify()
	if j.leads {
		j.leaveTerminal()
	}
	_ = j.close()
	if notify {
		_, _ = j.notify(endNotice(&st.Exit)) // an error cannot be reported
	}
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
	turn.Result
	alive *jobdir.Alive
	leave func() // gives the job's place in the queue back
}

func newWaited(r turn.Result, alive *jobdir.Alive) *waited {
	return &waited{Result: r, alive: alive, leave: sync.OnceFunc(func() { _ = os.Remove(r.Entry) })}
}

// holdWaited starts the job whose turn has come, or records why it is not started. It returns nil if
// hob itself failed; the job is lost then, and its lock file says why.
func holdWaited(r turn.Result) *job {
	var cfg Config
	err := json.Unmarshal(r.Config, &cfg)
	var j *job
	if err == nil {
		received, pipe := filesOf(slices.Delete(slices.Clone(r.Files), 1, 2)), r.Files[1]
		w := newWaited(r, jobdir.InheritAlive(cfg.Dir, pipe))
		var lock *os.File
		var passed files
		if lock, passed, err = splitPassed(received, cfg.Passed); err == nil {
			j, err = hold(cfg, w, passed, lock, true)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		_ = os.Remove(r.Entry)
	}
	return j
}

// maxCancellation limits the size of the file that cancels a queued job, in bytes.
const maxCancellation = 64 << 10

// declined records the end of a job whose turn does not come.
func (j *job) declined(w *waited) {
	if w.Outcome == turn.Cancel {
		var c turn.Cancellation
		if text, err := plainfile.Read(w.Entry, maxCancellation); err == nil {
			_ = json.Unmarshal(text, &c) // on an error it stays empty
		}
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
		Error:  w.Cause + " " + j.endingOf(w.Cause),
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
