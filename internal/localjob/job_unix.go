//go:build linux || darwin

package localjob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

const (
	defaultCols = 120
	defaultRows = 40
)

// job is the holder's state of one job. It lives in a holder process, or with others in a program's
// own process.
type job struct {
	cfg  Config
	meta jobdir.Meta
	h    *holder.Holder
	ctx  context.Context // ends when the holder releases the job
	stop context.CancelFunc
	wg   sync.WaitGroup
	// own is set in a holder process: it may be a subreaper, handle signals and reap orphans.
	own    bool
	reaper proc.Reaper // with own

	pid      int
	forkPeak int64       // peak memory of this process when it forked the leader, in bytes
	reaps    bool        // this process adopts the job's orphans
	forced   atomic.Bool // all of its processes are being killed
	leads    bool        // this process leads the session of the job's terminal
	ref      proc.JobRef
	tty      *tty           // nil if the job has none
	in       *input         // nil if the job has no input
	logs     *ownLogs       // nil if the holder writes the log
	notices  notices        // events of which the user is notified
	telling  sync.WaitGroup // commands that notify the user while the job runs
	checks   *healthChecks  // of the current run; nil: none
	prompt   *prompter      // detects whether the job waits for input
	noTTY    error          // why the requested terminal could not be allocated
	kept     *kept          // nil if the command is not started again when it ends
	timeout  *time.Timer
	rest     *time.Timer // of a holder process: releases the memory that the start needed

	mu           sync.Mutex // guards the fields below; held while the leader is signaled, so that its pid is not reaped meanwhile
	reaped       bool
	final        bool                // the command is not started again
	asked        *record.StopOptions // the first request to end the job
	stops        int                 // number of stops in progress
	ran          chan struct{}       // closed at the end of the current run; nil: none has begun
	unhealthyWhy string              // what the health check reported when it ended the current run
	sent         sentSignal          // the last signal sent on behalf of a client
	oom          oomCount            // at the start
	gone         bool                // no further stop can begin
	kills        sync.WaitGroup      // stops in progress
	ended        chan struct{}       // closed when the end is recorded
	others       []proc.Identity     // children of the holder that are not processes of the job
}

type sentSignal struct {
	sig syscall.Signal
	by  string
}

// hold creates a job from a configuration: it takes the lock and executes the command. An error
// means that hob itself failed and nothing was started; a command that cannot be executed is a job
// whose end is recorded. w is nil for a job that did not wait. hold takes ownership of lock, the job's
// lock, and of the passed files. own means that this process serves only this job.
func hold(cfg Config, w *waited, passed files, lock *os.File, own bool) (*job, error) {
	files := &childFiles{ctty: -1, passed: passed}
	keepFiles := false
	defer func() {
		if !keepFiles {
			files.close()
		}
	}()
	held, err := jobdir.Inherit(cfg.Dir, lock)
	if err != nil {
		return nil, fmt.Errorf("hold the job: %w", err)
	}
	meta, err := jobdir.ReadMeta(cfg.Dir)
	if err != nil {
		held.Close()
		return nil, fmt.Errorf("read meta.json of the job: %w", err)
	}
	meta.ID = record.ID(filepath.Base(cfg.Dir))
	if w != nil && jobdir.Backgrounded(cfg.Dir) {
		meta.StartInBackground = true
	}
	if meta.InitialSize.Cols <= 0 || meta.InitialSize.Rows <= 0 {
		meta.InitialSize = record.Size{Cols: defaultCols, Rows: defaultRows}
	}
	j := &job{
		cfg:   cfg,
		meta:  meta,
		own:   own,
		reaps: own && proc.SetSubreaper() == nil,
		ended: make(chan struct{}),
	}
	if policy, err := record.ParseRestart(meta.Restart); err == nil && policy != (record.RestartPolicy{}) && own {
		j.kept = &kept{
			policy:   policy,
			constant: meta.RestartPause.Duration(),
			files:    files,
			wake:     make(chan struct{}, 1),
		}
	}
	j.ctx, j.stop = context.WithCancel(context.Background())
	if err := j.prepare(files, held, w); err != nil {
		return nil, err
	}
	if w != nil && !w.MayStart() {
		j.declined(w)
		return j, nil
	}
	started := time.Now()
	if err := j.launch(files); err != nil {
		j.failed(err)
		return j, nil
	}
	if keepFiles = j.kept != nil; !keepFiles {
		files.close()
	}
	j.begin(started)
	return j, nil
}

// begin does the work that follows a successful start of the command.
func (j *job) begin(started time.Time) {
	if j.tty != nil {
		j.wg.Go(func() {
			j.tty.copy(j.printed)
			if j.logs != nil {
				j.in.echo.giveUp()
			}
		})
	}
	var deadline time.Time
	if j.meta.Timeout > 0 {
		d := j.meta.Timeout.Duration()
		deadline = started.Add(d)
		// A timer uses the monotonic clock: it stops while the machine is suspended.
		j.timeout = time.AfterFunc(d, func() { j.background(j.overdue) })
	}
	// Without a socket the files still have everything but the screen.
	_ = j.h.Listen()
	if mode, known := j.mode(); known {
		j.h.Waiting(false, entryOf(mode, known))
	}
	if j.kept != nil {
		j.kept.began, j.kept.deadline = started, deadline
	}
	j.started(started, deadline)
	if j.logs != nil {
		j.h.OwnSizes(j.logs.size)
		j.wg.Go(func() { j.logs.watch(j.ctx, j.h, j.prompt) })
	}
}

// started does the work that follows the start of each run of the command.
func (j *job) started(at, deadline time.Time) {
	_ = j.h.Started(j.ref.Leader, j.ref.Session, at, deadline)
	j.runBegins()
	j.startHealth()
	j.prompt.active()
	if j.own {
		j.rest = time.AfterFunc(restTime, releasePages)
	}
	j.background(j.raiseOOMScore)
	j.background(j.watchOOM)
}

// identify sets the reference to the processes of the leader that has just been started. j.mu is held.
func (j *job) identify() {
	id, err := proc.IdentityOf(j.pid)
	if err != nil {
		id = proc.Identity{PID: j.pid}
	}
	session := j.pid
	if j.leads {
		session = os.Getpid()
	}
	j.ref = proc.JobRef{
		Leader:  id,
		Session: session,
		JobID:   string(j.meta.ID),
	}
	if j.own {
		j.ref.Holder, j.ref.Subreaper = proc.Self(), j.reaps
	}
}

// leader returns the pid of the leader; 0 if it has been reaped.
func (j *job) leader() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.reaped {
		return 0
	}
	return j.pid
}

// background runs f in a goroutine that close waits for.
func (j *job) background(f func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ctx.Err() == nil {
		j.wg.Go(f)
	}
}

// printed handles output of the terminal.
func (j *job) printed(p []byte) {
	if j.logs != nil {
		j.logs.append(j.in.echo.strip(p))
		j.h.Grew()
	} else {
		j.h.Output(p)
	}
	j.prompt.printed.Add(int64(len(p)))
	j.prompt.active()
}

// waitForStops waits for the stops in progress, since the leader may be the first process to end.
// No new one begins after it.
func (j *job) waitForStops() {
	j.mu.Lock()
	j.gone = true
	j.mu.Unlock()
	j.kills.Wait()
}

// overdue ends a job whose timeout has expired.
func (j *job) overdue() {
	j.killWithRetry(record.StopOptions{By: "timeout", Reason: record.ReasonTimeout})
}

// failed records that the command could not be executed.
func (j *job) failed(err error) {
	j.endUnstarted(j.spawnFailure(err))
}

// endUnstarted records the end of a job whose command was not executed.
func (j *job) endUnstarted(end record.Exit) {
	if j.tty != nil {
		j.tty.close()
	}
	j.h.End(end)
	close(j.ended)
}

// spawnFailure describes the end of a command that could not be executed.
func (j *job) spawnFailure(err error) record.Exit {
	what := shell
	if len(j.meta.Command) > 0 {
		what = j.meta.Command[0]
	}
	if errors.Is(err, unix.EACCES) && unix.Faccessat(unix.AT_FDCWD, j.meta.Dir, unix.X_OK, unix.AT_EACCESS) == unix.EACCES {
		err = &dirError{j.meta.Dir, unix.EACCES} // the system does not report which of the two was denied
	}
	code, text := startFailure(what, err)
	if _, ok := errors.AsType[*dirError](err); ok {
		code, text = codeNotExecutable, err.Error()
	}
	return record.Exit{
		At:     time.Now(),
		Status: record.Failed,
		Code:   &code,
		Reason: record.ReasonSpawn,
		Error:  text,
	}
}

// close releases the job. If it still has its terminal, the terminal is closed.
func (j *job) close() error {
	j.mu.Lock()
	j.stop()
	j.mu.Unlock()
	if j.timeout != nil {
		j.timeout.Stop()
	}
	j.prompt.stop()
	if j.rest != nil {
		j.rest.Stop()
	}
	if j.tty != nil {
		j.tty.close()
	}
	err := j.h.Close()
	j.wg.Wait()
	return errors.Join(err, j.closeFiles())
}

// closeFiles closes this process's files of the job when they are no longer used.
func (j *job) closeFiles() error {
	if j.tty != nil {
		j.tty.close()
	}
	if j.in != nil {
		j.in.close()
	}
	if j.kept != nil {
		j.kept.files.close()
	}
	if j.logs != nil {
		return j.logs.close()
	}
	return nil
}

func (j *job) grace() time.Duration { return cmp.Or(j.meta.Grace.Duration(), DefaultGrace) }
