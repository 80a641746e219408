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
)

// readyPatience is how long a holder may take to start its job. It takes
// milliseconds; a machine that swaps may need seconds.
const readyPatience = 30 * time.Second

// lastAnswer is how much longer a holder may take that was told everything when
// nobody waits for the job any more: how it stands is better known than not.
const lastAnswer = time.Second

// errUnhooked ends what would be a chain without end: a program that was started as
// the holder of its own job, and starts that job instead.
var errUnhooked = errors.New("this program is the holder of a job, but does not begin with local.IsHolder")

// Capabilities implements [engine.Backend].
func (b *Backend) Capabilities() engine.Capabilities {
	return engine.Capabilities{PTY: true, Stdin: true, Split: true, Resize: true, Screen: true, LogLimit: true, TTYStdin: true}
}

// Prepare implements [engine.Preparer]: nobody sees a job that is not held.
func (b *Backend) Prepare(dir string) (io.Closer, error) { return jobdir.Lend(dir) }

// Start implements [engine.Backend].
func (b *Backend) Start(ctx context.Context, l engine.Launch) (engine.Run, error) {
	b.mu.Lock()
	closed := b.closed
	b.mu.Unlock()
	if closed {
		return nil, engine.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !b.inProcess && len(b.command) == 0 && IsHolder() {
		return nil, &engine.Error{Op: "start", Job: l.ID, Backend: b.Name(), Err: errUnhooked}
	}
	cfg := launchConfig{
		Dir: l.Dir, Env: l.Env, Set: slices.Sorted(maps.Keys(l.Spec.Env)),
		RuntimeDir: runtimeDir(), Notify: b.notify, Lent: slices.Sorted(maps.Keys(l.Files)),
	}
	run := b.run(l.Record)
	b.kids.reap()
	// Until there is a holder this process is the job's sign of life.
	lock, ok := l.Prepared.(*jobdir.Held)
	var err error
	if !ok {
		lock, err = jobdir.Lock(l.Dir)
		if err != nil {
			return nil, &engine.Error{Op: "start", Job: l.ID, Backend: b.Name(), Err: fmt.Errorf("hold the job: %w", err)}
		}
		defer lock.Close()
	}
	if b.inProcess {
		err = b.inner.start(cfg, l.Files, lock)
	} else {
		var st *engine.State
		if st, err = b.spawn(ctx, l.Record, cfg, l.Files, lock); st != nil {
			run.begun = new(run.StateOf(st))
		}
	}
	if errors.Is(err, errHolderDied) && lostAtStart(l.Dir, cfg.RuntimeDir) {
		return run, nil
	}
	if err != nil {
		return nil, &engine.Error{Op: "start", Job: l.ID, Backend: b.Name(), Err: err}
	}
	return run, nil
}

// spawn starts a holder and waits until its job runs. A holder of another program
// than this that does not understand, or went before it held anything, is replaced
// by one of this program.
func (b *Backend) spawn(
	ctx context.Context, rec engine.Record, cfg launchConfig, lent files, lock *jobdir.Held,
) (*engine.State, error) {
	cfg.Launch = launchVersion
	h, err := b.holderFor(string(rec.ID))
	if err != nil {
		return nil, err
	}
	st, err := b.configure(ctx, h, cfg, lock, lent)
	nothing := errors.Is(err, errHolderVersion) || errors.Is(err, errHolderDied) && !holder.EverHeld(cfg.Dir)
	if h.beside && nothing && ctx.Err() == nil {
		if h, err = startSelfAsHolder(string(rec.ID)); err != nil {
			return nil, err
		}
		st, err = b.configure(ctx, h, cfg, lock, lent)
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
		return nil, fmt.Errorf("find the program that holds jobs: %w", err)
	}
	return startHolder(path, append([]string{id}, b.command[1:]...)...)
}

// configure sends h its configuration and waits until its job runs. The state it
// returns is nil if the holder does not send one. A holder that does not read or
// answer in time is killed.
func (b *Backend) configure(ctx context.Context, h *holderProcess, cfg launchConfig, lock *jobdir.Held, lent files) (*engine.State, error) {
	defer h.reply.Close()
	b.kids.add(h.pid)
	if h.beside {
		cfg.Build = build.Version()
	}
	config, werr := json.Marshal(cfg)
	if werr == nil {
		werr = b.send(ctx, h, config, lock.File(), lent)
	}
	_ = h.config.Close()
	st, err := b.ready(ctx, h, werr)
	if errors.Is(err, errHolderDied) {
		// The kernel keeps its locks until it has ended.
		b.kids.await(h.pid)
	}
	return st, err
}

// send is the function of that name as long as ctx allows. The holder has started
// nothing before it was told all, so that it can be ended at once.
func (b *Backend) send(ctx context.Context, h *holderProcess, config []byte, lock *os.File, lent files) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyPatience, errPatience)
	defer cancel()
	cut := context.AfterFunc(ctx, func() {
		b.kids.kill(h.pid)
		_ = withDescriptor(h.config, func(fd int) error { return unix.Shutdown(fd, unix.SHUT_RDWR) }) // somebody else may have it, too
	})
	err := send(h.config, config, lock, lent)
	if !cut() {
		err = &noAnswer{context.Cause(ctx)}
	}
	return err
}

// noAnswer says that a holder was ended because it did not read or answer in time.
type noAnswer struct{ why error }

func (e *noAnswer) Error() string   { return "the job's holder does not answer: " + e.why.Error() }
func (e *noAnswer) Unwrap() []error { return []error{errHolderDied, e.why} }

var errPatience = fmt.Errorf("%v are over", readyPatience)

// ready waits for the holder's answer; werr is how telling it went.
func (b *Backend) ready(ctx context.Context, h *holderProcess, werr error) (*engine.State, error) {
	_ = h.reply.SetReadDeadline(time.Now().Add(readyPatience))
	cut := context.AfterFunc(ctx, func() { _ = h.reply.SetReadDeadline(time.Now().Add(lastAnswer)) })
	defer cut()
	said, err := io.ReadAll(io.LimitReader(h.reply, 64<<10))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		b.kids.kill(h.pid)
		if why := ctx.Err(); why != nil {
			return nil, &noAnswer{why}
		}
		return nil, &noAnswer{errPatience}
	}
	if ended, ok := errors.AsType[*noAnswer](werr); ok {
		return nil, ended
	}
	lines := bufio.NewScanner(strings.NewReader(string(said)))
	for lines.Scan() {
		var r launchReply
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			continue
		}
		switch {
		case r.Unknown:
			return nil, errHolderVersion
		case r.Error != "":
			return nil, errors.New(r.Error)
		}
		return r.State, nil
	}
	// The trace that follows tells a person nothing.
	text, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n\n")
	text = strings.ReplaceAll(text, "\n", "; ")
	if len(text) > 2000 {
		text = text[:2000] + "…"
	}
	return nil, errors.Join(fmt.Errorf("%w: %q", errHolderDied, text), err, werr)
}

// children are the holders that this process started and has to reap. Their ends
// are learnt from their jobs; the process table is tidied when there is occasion.
type children struct {
	mu   sync.Mutex
	pids []int
}

func (c *children) add(pid int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pids = append(c.pids, pid)
}

// kill ends the holder pid, if it was not reaped: else the number may be another's.
func (c *children) kill(pid int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Contains(c.pids, pid) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// await waits until the holder pid is no more, but not for ever.
func (c *children) await(pid int) {
	for end := time.Now().Add(deathTime); time.Now().Before(end); time.Sleep(time.Millisecond) {
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
