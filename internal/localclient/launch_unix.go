//go:build linux || darwin

package localclient

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/build"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/localjob"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/queue"
)

// startTimeout is how long a holder may take to start its job. It normally takes milliseconds; a
// machine that is swapping may need seconds.
const startTimeout = 30 * time.Second

// answerGrace is how much longer to wait for a holder that has its complete configuration when the
// caller no longer waits: the job's state is worth knowing.
const answerGrace = time.Second

// Launcher starts jobs of this machine, each with a holder. The zero Launcher is ready. It is safe for
// concurrent use.
type Launcher struct {
	// Command is how to run a holder; nil: hob-holder beside this program, or else this program.
	Command []string
	holders children
}

// Launch has everything that is needed to start a job whose directory exists and has meta.json.
type Launch struct {
	Dir     string
	Request *record.Request
	Env     []string // the complete environment, see [localjob.Config]
	Set     []string // variables of Env that the request sets
	// After and AfterAny are the jobs for which this one has to wait, without those that have ended.
	After, AfterAny []record.ID
	Files           map[int]*os.File // of the caller, by the number of the job's descriptor
	Lock            *jobdir.FileLock // the lock of Dir
	Notify          string           // see [localjob.Config]
	Events          []string         // see [localjob.Config]
}

// Config returns the configuration of the job's holder.
func (l *Launch) Config() localjob.Config {
	return localjob.Config{
		Dir:        l.Dir,
		Env:        l.Env,
		Set:        l.Set,
		RuntimeDir: os.Getenv("XDG_RUNTIME_DIR"),
		Notify:     l.Notify,
		Events:     l.Events,
		Passed:     slices.Sorted(maps.Keys(l.Files)),
	}
}

// QueueError means that a job could not be put in its queue.
type QueueError struct{ Err error }

func (e *QueueError) Error() string { return e.Err.Error() }
func (e *QueueError) Unwrap() error { return e.Err }

// Start starts a job. It returns the job's state then, nil if that is not known. A command that cannot be
// executed is not an error: the job is recorded as failed. An error means that nothing was started.
func (l *Launcher) Start(ctx context.Context, j Launch) (*record.State, error) {
	l.holders.reap()
	cfg := j.Config()
	var place queueEntry
	if j.Request.Waits() {
		var err error
		if place, err = enqueue(ctx, &j); err != nil {
			return nil, &QueueError{err}
		}
		defer place.alive.Release()
		cfg.Queue = place.Place
	}
	begun, err := l.spawn(ctx, cfg, &j, place)
	if errors.Is(err, errHolderDied) && lostAtStart(j.Dir, cfg.RuntimeDir) {
		return nil, nil
	}
	if err != nil {
		place.leave()
		return nil, err
	}
	if begun != nil {
		*begun = NewRun(j.Dir, *j.Request, false).StateOf(begun)
	}
	return begun, nil
}

// Reap reaps the holders that have exited.
func (l *Launcher) Reap() { l.holders.reap() }

// spawn starts a holder and waits until its job runs. A holder that is another program than this
// one, and does not support the request or exits before it has taken the job, is replaced by this
// program.
func (l *Launcher) spawn(ctx context.Context, cfg localjob.Config, j *Launch, place queueEntry) (*record.State, error) {
	cfg.Launch = localjob.Version
	id := string(j.Request.ID)
	h, err := l.holderFor(id)
	if err != nil {
		return nil, err
	}
	kept := place.kept(j.Lock)
	st, err := l.configure(ctx, h, cfg, kept, j.Files)
	nothing := errors.Is(err, localjob.ErrVersion) || errors.Is(err, errHolderDied) && !holder.EverHeld(cfg.Dir)
	if h.beside && nothing && ctx.Err() == nil {
		if h, err = startSelfAsHolder(id); err != nil {
			return nil, err
		}
		st, err = l.configure(ctx, h, cfg, kept, j.Files)
	}
	return st, err
}

// holderFor starts the holder of the job id.
func (l *Launcher) holderFor(id string) (*holderProcess, error) {
	if len(l.Command) == 0 {
		return startHolderFor(id)
	}
	path, err := exec.LookPath(l.Command[0])
	if err != nil {
		return nil, fmt.Errorf("find the holder program: %w", err)
	}
	return startHolder(path, append([]string{id}, l.Command[1:]...)...)
}

// configure sends h its configuration and waits until its job runs. The returned state is nil if
// the holder does not send one. A holder that does not read or reply in time is killed. It gets the
// descriptors in kept, the first of which is the job's lock, and the files in passed by the number that
// each has in the job.
func (l *Launcher) configure(ctx context.Context, h *holderProcess, cfg localjob.Config, kept []int, passed map[int]*os.File) (*record.State, error) {
	defer h.reply.Close()
	l.holders.add(h.pid)
	if h.beside {
		cfg.Build = build.Version()
	}
	config, werr := json.Marshal(cfg)
	if werr == nil {
		werr = l.send(ctx, h, config, kept, passed)
	}
	_ = h.config.Close()
	st, err := l.ready(ctx, h, werr)
	if errors.Is(err, errHolderDied) {
		// The kernel keeps its locks until it has ended.
		l.holders.await(h.pid)
	}
	return st, err
}

// send sends the configuration, bounded by ctx. The holder starts nothing before it has received
// everything, so it can be ended safely.
func (l *Launcher) send(ctx context.Context, h *holderProcess, config []byte, kept []int, passed map[int]*os.File) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, lateStart{})
	defer cancel()
	cut := context.AfterFunc(ctx, func() {
		l.holders.kill(h.pid)
		_ = plainfile.WithDescriptor(h.config, func(fd int) error { return unix.Shutdown(fd, unix.SHUT_RDWR) }) // another process may share it
	})
	err := localjob.Send(h.config, config, kept, passed)
	if !cut() {
		err = &noAnswer{context.Cause(ctx)}
	}
	return err
}

// noAnswer means that a holder was killed because it did not read or reply in time.
type noAnswer struct{ why error }

func (e *noAnswer) Error() string   { return "the job's holder does not answer: " + e.why.Error() }
func (e *noAnswer) Unwrap() []error { return []error{errHolderDied, e.why} }

// lateStart means that a holder took longer than startTimeout.
type lateStart struct{}

func (lateStart) Error() string { return "timed out after " + startTimeout.String() }

// ready waits for the holder's reply; werr is the error of sending the configuration.
func (l *Launcher) ready(ctx context.Context, h *holderProcess, werr error) (*record.State, error) {
	_ = h.reply.SetReadDeadline(time.Now().Add(startTimeout))
	cut := context.AfterFunc(ctx, func() { _ = h.reply.SetReadDeadline(time.Now().Add(answerGrace)) })
	defer cut()
	reply, err := io.ReadAll(io.LimitReader(h.reply, 64<<10))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		l.holders.kill(h.pid)
		if why := ctx.Err(); why != nil {
			return nil, &noAnswer{why}
		}
		return nil, &noAnswer{lateStart{}}
	}
	if ended, ok := errors.AsType[*noAnswer](werr); ok {
		return nil, ended
	}
	lines := bufio.NewScanner(strings.NewReader(string(reply)))
	for lines.Scan() {
		var r localjob.Reply
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			continue
		}
		switch {
		case r.Unknown:
			return nil, localjob.ErrVersion
		case r.Error != "":
			return nil, errors.New(r.Error)
		}
		return r.State, nil
	}
	// The stack trace after that is of no use to the user.
	text, _, _ := strings.Cut(strings.TrimSpace(string(reply)), "\n\n")
	text = strings.ReplaceAll(text, "\n", "; ")
	if len(text) > 2000 {
		text = text[:2000] + "…"
	}
	return nil, errors.Join(fmt.Errorf("%w: %q", errHolderDied, text), err, werr)
}

// children are the holders that this process started and has to reap. Their ends are detected
// through their jobs; they are reaped when convenient.
type children struct {
	mu   sync.Mutex
	pids []int
}

func (c *children) add(pid int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pids = append(c.pids, pid)
}

// kill kills the holder pid unless it was reaped, since the pid could have been reused.
func (c *children) kill(pid int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Contains(c.pids, pid) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// await waits, with a limit, until the holder pid has ended.
func (c *children) await(pid int) {
	for end := time.Now().Add(closeTimeout); time.Now().Before(end); time.Sleep(time.Millisecond) {
		c.reap()
		c.mu.Lock()
		there := slices.Contains(c.pids, pid)
		c.mu.Unlock()
		if !there {
			return
		}
	}
}

func (c *children) reap() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pids = slices.DeleteFunc(c.pids, func(pid int) bool {
		got, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		return got == pid || errors.Is(err, syscall.ECHILD)
	})
}

// queueEntry is the place of a new job in its queue. The zero queueEntry is that of a job that starts at
// once.
type queueEntry struct {
	*queue.Place
	alive   *jobdir.Alive
	dequeue func()
}

// enqueue puts a new job in its queue. The caller has the job's lock.
func enqueue(ctx context.Context, l *Launch) (queueEntry, error) {
	alive, err := jobdir.OpenAlive(l.Dir)
	if err != nil {
		return queueEntry{}, err
	}
	place := &queue.Place{
		Dir:      queueOf(l.Dir, l.Request),
		After:    l.After,
		AfterAny: l.AfterAny,
	}
	dequeue, err := place.Enter(ctx, l.Dir)
	if err != nil {
		alive.Close()
		return queueEntry{}, err
	}
	return queueEntry{place, alive, dequeue}, nil
}

// leave removes a job that was not started from its queue.
func (t queueEntry) leave() {
	if t.dequeue != nil {
		t.dequeue()
	}
}

// kept returns the descriptors that a holder keeps: the lock, and the pipe of a queued job.
func (t queueEntry) kept(lock *jobdir.FileLock) []int {
	fds := []int{int(lock.File().Fd())}
	if t.alive != nil {
		fds = append(fds, t.alive.FD())
	}
	return fds
}
