//go:build linux || darwin

package local

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

	"github.com/hobjobs/hob/engine"
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

// errUnhooked prevents endless recursion: a program that was started as the holder of its own job,
// and starts that job instead.
var errUnhooked = errors.New("this program is the holder of a job, but does not begin with local.IsHolder")

// Capabilities implements [engine.Backend].
func (b *Backend) Capabilities() engine.Capabilities {
	return engine.Capabilities{PTY: true, Stdin: true, Split: true, Resize: true, LogLimit: true, TTYStdin: true, Restart: !b.inProcess}
}

// Start implements [engine.Backend].
func (b *Backend) Start(ctx context.Context, l engine.Launch) (*engine.State, error) {
	b.mu.Lock()
	closed := b.closed
	b.mu.Unlock()
	if closed {
		return nil, engine.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !b.inProcess && len(b.command) == 0 && isHolder() {
		return nil, &engine.Error{Op: "start", Job: l.ID, Backend: b.Name(), Err: errUnhooked}
	}
	cfg := localjob.Config{
		Dir: l.Dir, Env: l.Env, Set: slices.Sorted(maps.Keys(l.Spec.Env)),
		RuntimeDir: runtimeDir(), Notify: b.notify, Passed: slices.Sorted(maps.Keys(l.Files)),
	}
	b.holders.reap()
	// Until there is a holder, this process holds the lock that marks the job as alive.
	lock, ok := l.Lock.(*jobdir.FileLock)
	var err error
	if !ok {
		lock, err = jobdir.Lock(l.Dir)
		if err != nil {
			return nil, &engine.Error{Op: "start", Job: l.ID, Backend: b.Name(), Err: fmt.Errorf("hold the job: %w", err)}
		}
		defer lock.Close()
	}
	var place queueEntry
	if l.Job.Waits() {
		if place, err = b.enqueue(ctx, l); err != nil {
			return nil, &engine.Error{Op: "queue", Job: l.ID, Backend: b.Name(), Err: err, Hint: jobdir.HeldHint(err)}
		}
		defer place.alive.Release()
		cfg.Queue = place.Place
	}
	var begun *engine.State
	if b.inProcess {
		err = b.inner.Start(cfg, l.Files, lock)
	} else if begun, err = b.spawn(ctx, l.Record, cfg, l.Files, lock, place); begun != nil {
		*begun = b.run(l.Record).StateOf(begun)
	}
	if errors.Is(err, errHolderDied) && lostAtStart(l.Dir, cfg.RuntimeDir) {
		return nil, nil
	}
	if err != nil {
		place.leave()
		return nil, &engine.Error{Op: "start", Job: l.ID, Backend: b.Name(), Err: err}
	}
	return begun, nil
}

// spawn starts a holder and waits until its job runs. A holder that is another program than this
// one, and does not support the request or exits before it has taken the job, is replaced by this
// program.
func (b *Backend) spawn(
	ctx context.Context, rec engine.Record, cfg localjob.Config, passed map[int]*os.File, lock *jobdir.FileLock, place queueEntry,
) (*engine.State, error) {
	cfg.Launch = localjob.Version
	h, err := b.holderFor(string(rec.ID))
	if err != nil {
		return nil, err
	}
	kept := place.kept(lock)
	st, err := b.configure(ctx, h, cfg, kept, passed)
	nothing := errors.Is(err, localjob.ErrVersion) || errors.Is(err, errHolderDied) && !holder.EverHeld(cfg.Dir)
	if h.beside && nothing && ctx.Err() == nil {
		if h, err = startSelfAsHolder(string(rec.ID)); err != nil {
			return nil, err
		}
		st, err = b.configure(ctx, h, cfg, kept, passed)
	}
	return st, err
}

// holderFor starts the holder of the job id.
func (b *Backend) holderFor(id string) (*holderProcess, error) {
	if len(b.command) == 0 {
		return startHolderFor(id)
	}
	path, err := exec.LookPath(b.command[0])
	if err != nil {
		return nil, fmt.Errorf("find the holder program: %w", err)
	}
	return startHolder(path, append([]string{id}, b.command[1:]...)...)
}

// configure sends h its configuration and waits until its job runs. The returned state is nil if
// the holder does not send one. A holder that does not read or reply in time is killed. It gets the
// descriptors in kept, the first of which is the job's lock, and the files in passed by the number that
// each has in the job.
func (b *Backend) configure(ctx context.Context, h *holderProcess, cfg localjob.Config, kept []int, passed map[int]*os.File) (*engine.State, error) {
	defer h.reply.Close()
	b.holders.add(h.pid)
	if h.beside {
		cfg.Build = build.Version()
	}
	config, werr := json.Marshal(cfg)
	if werr == nil {
		werr = b.send(ctx, h, config, kept, passed)
	}
	_ = h.config.Close()
	st, err := b.ready(ctx, h, werr)
	if errors.Is(err, errHolderDied) {
		// The kernel keeps its locks until it has ended.
		b.holders.await(h.pid)
	}
	return st, err
}

// send sends the configuration, bounded by ctx. The holder starts nothing before it has received
// everything, so it can be ended safely.
func (b *Backend) send(ctx context.Context, h *holderProcess, config []byte, kept []int, passed map[int]*os.File) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, errStartTimeout)
	defer cancel()
	cut := context.AfterFunc(ctx, func() {
		b.holders.kill(h.pid)
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

var errStartTimeout = fmt.Errorf("timed out after %v", startTimeout)

// ready waits for the holder's reply; werr is the error of sending the configuration.
func (b *Backend) ready(ctx context.Context, h *holderProcess, werr error) (*engine.State, error) {
	_ = h.reply.SetReadDeadline(time.Now().Add(startTimeout))
	cut := context.AfterFunc(ctx, func() { _ = h.reply.SetReadDeadline(time.Now().Add(answerGrace)) })
	defer cut()
	reply, err := io.ReadAll(io.LimitReader(h.reply, 64<<10))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		b.holders.kill(h.pid)
		if why := ctx.Err(); why != nil {
			return nil, &noAnswer{why}
		}
		return nil, &noAnswer{errStartTimeout}
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
func (b *Backend) enqueue(ctx context.Context, l engine.Launch) (queueEntry, error) {
	if b.inProcess {
		return queueEntry{}, fmt.Errorf("%w: a queue for jobs in this program", engine.ErrUnsupported)
	}
	alive, err := jobdir.OpenAlive(l.Dir)
	if err != nil {
		return queueEntry{}, err
	}
	place := &queue.Place{
		Dir:      queueOf(l.Dir, &l.Job.Request),
		After:    l.Spec.After,
		AfterAny: l.Spec.AfterAny,
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
