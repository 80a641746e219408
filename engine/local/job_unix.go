//go:build linux || darwin

package local

import (
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

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

const (
	defaultCols = 120
	defaultRows = 40
)

// job is one job as its holder sees it. It lives in a holder process, or in a
// program's own with several others.
type job struct {
	cfg  launchConfig
	meta jobdir.Meta
	h    *holder.Holder
	ctx  context.Context // ends when the holder lets go of the job
	stop context.CancelFunc
	wg   sync.WaitGroup
	// own is set in a holder process: it may be a subreaper, hear signals and
	// collect strays.
	own    bool
	reaper proc.Reaper // with own

	pid     int
	reaps   bool        // this process gets the job's orphans
	forced  atomic.Bool // all of it is being killed
	leads   bool        // this process leads the session of the job's terminal
	ref     proc.JobRef
	tty     *tty      // nil: the job has none
	in      *input    // nil: it takes no input
	logs    *ownLogs  // nil: the holder writes the log
	prompt  *prompter // looks whether the job waits for input
	noTTY   error     // why there is no terminal although one was asked for
	timeout *time.Timer
	rest    rest // of an own process

	mu      sync.Mutex // guards what follows; held while the leader is signalled, so that its pid is not reaped meanwhile
	reaped  bool
	asked   *engine.StopOptions // the first request to end the job
	ladders int                 // how many try to
	sent    sentSignal          // the last signal that a client had sent
	gone    bool                // too late to end anything
	kills   sync.WaitGroup      // ladders under way
	ended   chan struct{}       // closed when the end is recorded
}

type sentSignal struct {
	sig syscall.Signal
	by  string
}

// hold makes a job of a configuration: it takes the lock and executes the
// command. An error is one of hob alone, and nothing was started then; a command
// that cannot be executed is a job whose end is recorded. lock, the job's, and what
// is lent are taken over. own says that this process keeps nothing but the job.
func hold(cfg launchConfig, lent files, lock *os.File, own bool) (*job, error) {
	files := &childFiles{ctty: -1, lent: lent}
	defer files.close()
	held, err := jobdir.Inherit(cfg.Dir, lock)
	if err != nil {
		return nil, fmt.Errorf("hold the job: %w", err)
	}
	meta, err := jobdir.ReadMeta(cfg.Dir)
	if err != nil {
		held.Close()
		return nil, fmt.Errorf("read meta.json of the job: %w", err)
	}
	meta.ID = engine.ID(filepath.Base(cfg.Dir))
	if meta.InitialSize.Cols <= 0 || meta.InitialSize.Rows <= 0 {
		meta.InitialSize = engine.Size{Cols: defaultCols, Rows: defaultRows}
	}
	j := &job{
		cfg: cfg, meta: meta, own: own, reaps: own && proc.SetSubreaper() == nil,
		ended: make(chan struct{}),
	}
	j.ctx, j.stop = context.WithCancel(context.Background())
	if err := j.prepare(files, held); err != nil {
		return nil, err
	}
	started := time.Now()
	if err := j.launch(files); err != nil {
		j.failed(err)
		return j, nil
	}
	files.close()
	j.begin(started)
	return j, nil
}

// begin does what there is to do once the command runs.
func (j *job) begin(started time.Time) {
	if j.tty != nil {
		j.wg.Go(func() { j.tty.copy(j.printed) })
	}
	id, err := proc.Of(j.pid)
	if err != nil {
		id = proc.Identity{PID: j.pid}
	}
	session := j.pid
	if j.leads {
		session = os.Getpid()
	}
	j.ref = proc.JobRef{Leader: id, Session: session, JobID: string(j.meta.ID)}
	if j.own {
		j.ref.Holder, j.ref.Adopts = proc.Self(), j.reaps
	}
	var deadline time.Time
	if j.meta.Timeout > 0 {
		d := j.meta.Timeout.Duration()
		deadline = started.Add(d)
		// A timer of the monotonic clock: it stands still while the machine sleeps.
		j.timeout = time.AfterFunc(d, func() { j.background(j.overdue) })
	}
	// Without a socket the files still say everything but the screen.
	_ = j.h.Listen()
	if mode, known := j.mode(); known {
		j.h.Waiting(false, entryOf(mode, known))
	}
	_ = j.h.Started(id, session, started, deadline)
	if j.logs != nil {
		j.h.OwnSizes(j.logs.size)
		j.wg.Go(func() { j.logs.watch(j.ctx, j.h, j.prompt) })
	}
	j.prompt.start()
	if j.own {
		j.rest.start()
	}
	j.background(j.countForMore)
}

// background runs f in a goroutine that close waits for.
func (j *job) background(f func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ctx.Err() == nil {
		j.wg.Go(f)
	}
}

// printed takes output of the terminal.
func (j *job) printed(p []byte) {
	if j.logs != nil {
		j.logs.append(p)
		j.h.Grew()
	} else {
		j.h.Output(p)
	}
	j.prompt.active()
	if j.own {
		j.rest.printed(len(p))
	}
}

// settleKills waits for the ladders that are under way: the leader may be the
// first to go. None begins after it.
func (j *job) settleKills() {
	j.mu.Lock()
	j.gone = true
	j.mu.Unlock()
	j.kills.Wait()
}

// overdue ends a job whose time is over.
func (j *job) overdue() { j.insist(engine.StopOptions{By: "timeout", Reason: engine.ReasonTimeout}) }

// failed records that the command could not be executed.
func (j *job) failed(err error) {
	what := shell
	if len(j.meta.Command) > 0 {
		what = j.meta.Command[0]
	}
	if errors.Is(err, unix.EACCES) && unix.Faccessat(unix.AT_FDCWD, j.meta.Dir, unix.X_OK, unix.AT_EACCESS) == unix.EACCES {
		err = &dirError{j.meta.Dir, unix.EACCES} // the system does not tell which of them it meant
	}
	code, text := startFailure(what, err)
	if _, ok := errors.AsType[*dirError](err); ok {
		code, text = codeNotExecutable, err.Error()
	}
	if j.tty != nil {
		j.tty.close()
	}
	j.h.End(engine.Exit{At: time.Now(), Status: engine.Failed, Code: &code, Reason: engine.ReasonSpawn, Error: text})
	close(j.ended)
}

// close lets go of the job, which loses its terminal if it still has it.
func (j *job) close() error {
	j.mu.Lock()
	j.stop()
	j.mu.Unlock()
	if j.timeout != nil {
		j.timeout.Stop()
	}
	j.prompt.stop()
	j.rest.stop()
	if j.tty != nil {
		j.tty.close()
	}
	err := j.h.Close()
	j.wg.Wait()
	return errors.Join(err, j.closeFiles())
}

// closeFiles closes what this process has open of the job, when nobody uses it.
func (j *job) closeFiles() error {
	if j.tty != nil {
		j.tty.close()
	}
	if j.in != nil {
		j.in.close()
	}
	if j.logs != nil {
		return j.logs.close()
	}
	return nil
}

func (j *job) grace() time.Duration {
	if j.meta.Grace > 0 {
		return j.meta.Grace.Duration()
	}
	return defaultGrace
}
