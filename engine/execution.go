package engine

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// Execution is an execution that this program performs, see [Engine.NewExecution]: the job's handle, and what
// its performer does with it. The holder is this process: it keeps the lock, the log and the socket, so
// that other processes see and reach the job like any other. All methods may be called concurrently;
// after the end those of the performer do nothing.
type Execution struct {
	*Handle
	dir   string
	pid   int
	meta  jobdir.Meta
	hooks hooks
	h     *holder.Holder

	outMu sync.Mutex // orders output and its end
	ended bool       // guarded by outMu

	mu       sync.Mutex // guards stopping
	stopping *StopRequest

	backgrounded chan struct{} // closed when no client waits for it any longer
	done         chan struct{} // closed when the end is recorded
}

const virtualName = "virtual"

// NewExecution creates a job for an execution that the program performs itself: the program appends the output
// and reports the end. If spec.PID is set, the execution is a process that the program started and owns; the
// engine accesses it only through the hooks. The error is ErrExists if this engine already has a job for that
// process.
func (e *Engine) NewExecution(spec ExecutionSpec) (*Execution, error) {
	if spec.PID < 0 {
		return nil, invalid("attach", fmt.Sprintf("the pid %d", spec.PID), "0 is none")
	}
	pid := spec.PID
	meta, err := e.virtualMeta(spec)
	if err != nil {
		return nil, err
	}
	var leader proc.Identity
	if pid != 0 {
		id, err := proc.IdentityOf(pid)
		if errors.Is(err, proc.ErrGone) {
			return nil, invalid("attach", fmt.Sprintf("there is no process %d", pid), "attach the process before you wait for it")
		}
		if err != nil {
			id = proc.Identity{PID: pid}
		}
		leader = id
	}
	x := &Execution{
		Handle:       e.Handle(""),
		pid:          pid,
		meta:         meta,
		backgrounded: make(chan struct{}),
		done:         make(chan struct{}),
		hooks: hooks{
			ExecutionHooks: spec.Hooks,
			turn:           make(chan struct{}, 1),
			kills:          make(chan struct{}, 1),
		},
	}
	if err := e.reserve(pid); err != nil {
		return nil, err
	}
	if err := x.open(leader); err != nil {
		e.unreserve(pid)
		return nil, err
	}
	if !e.enlist(x) {
		e.unreserve(pid)
		return nil, errors.Join(&Error{Op: "create", Err: ErrClosed}, x.abandon())
	}
	e.changed()
	e.sweepSometimes()
	return x, nil
}

// virtualMeta returns the request of an execution, or an error if it is not valid.
func (e *Engine) virtualMeta(v ExecutionSpec) (jobdir.Meta, error) {
	s := Spec{
		Name:      v.Name,
		Command:   v.Command,
		Dir:       v.Dir,
		Size:      v.Size,
		Labels:    v.Labels,
		LogLimit:  v.LogLimit,
		CreatedBy: v.CreatedBy,
	}
	checked := s
	if len(s.Command) == 0 {
		checked.Command = []string{"-"} // the name may be empty
	}
	if err := checked.Check(); err != nil {
		return jobdir.Meta{}, startError(err)
	}
	if v.Hooks.Resize != nil && s.Size == (Size{}) {
		s.Size = defaultSize
	}
	m := e.metaOf(e.withDefaults(s), virtualName, startOptions{})
	if m.Kind = KindVirtual; v.Hooks.Write != nil {
		m.Stdin = InputHook
	}
	return m, nil
}

// open creates the directory and becomes its holder.
func (x *Execution) open(leader proc.Identity) error {
	dir, lock, err := x.e.create(x.e.runCtx, &x.meta)
	if err != nil {
		return err
	}
	x.id, x.dir = x.meta.ID, dir
	h, err := holder.Open(holder.Config{
		Dir:        dir,
		Lock:       lock,
		Meta:       x.meta,
		RuntimeDir: os.Getenv("XDG_RUNTIME_DIR"),
		Terminal:   x.meta.InitialSize != Size{},
		Hooks:      x.holderHooks(),
	})
	if err != nil {
		return errors.Join(&Error{Op: "create", Job: x.id, Err: err}, os.RemoveAll(dir))
	}
	x.h = h
	if err := h.Listen(); err != nil {
		x.e.log.Warn("other processes cannot reach the job", "job", x.id, "err", err)
	}
	if err := h.Started(leader, 0, x.e.cfg.now(), time.Time{}); err != nil {
		return errors.Join(&Error{Op: "create", Job: x.id, Err: err}, h.Close(), os.RemoveAll(dir))
	}
	return nil
}

// reserve ensures that a process is attached only once.
func (e *Engine) reserve(pid int) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return &Error{Op: "create", Err: ErrClosed}
	}
	if pid == 0 {
		return nil
	}
	if e.attached[pid] {
		return &Error{Op: "attach", Err: fmt.Errorf("%w: process %d is attached", ErrExists, pid)}
	}
	e.attached[pid] = true
	return nil
}

func (e *Engine) unreserve(pid int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.attached, pid)
}

func (e *Engine) enlist(x *Execution) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	e.execs[x.id] = x
	return true
}

// execution returns the execution of this program with that id, if it has not ended.
func (e *Engine) execution(id ID) *Execution {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.execs[id]
}

// job returns its current state.
func (x *Execution) job() Job {
	rec, err := x.e.record(x.id)
	if err != nil { // cleared
		rec = &jobdir.Record{ID: string(x.id), Meta: x.meta}
	}
	st := x.h.State()
	rec.State, rec.Started, rec.Output = st, true, x.h.Offset()
	return x.e.jobOf(rec)
}

// Backgrounded is closed when no client waits for the execution any longer, so that a foreground
// view can close.
func (x *Execution) Backgrounded() <-chan struct{} { return x.backgrounded }

// Append adds output. It does not wait for readers and cannot fail: bytes that cannot be written to
// disk are counted as dropped. p is not kept.
func (x *Execution) Append(p []byte) {
	x.outMu.Lock()
	defer x.outMu.Unlock()
	if !x.ended {
		x.h.Output(p)
	}
}

// Complete ends the execution and returns when the end is recorded. Only the first end counts; if a stop was
// requested before it, the execution counts as killed. The zero Exit means exit code 0; a code that no process of
// this system can exit with (0 to 255, on Windows 32 bits) is recorded as not known. An Exit with the status Failed
// has the reason in Error.
func (x *Execution) Complete(exit Exit) error {
	if !exit.Status.Finished() {
		exit.Status = Exited
		if exit.Signal != "" {
			exit.Status = Killed
		}
	}
	if exit.Status == Exited && exit.Code == nil {
		exit.Code = new(int)
	}
	if exit.Code != nil && !jobdir.ValidCode(*exit.Code) {
		exit.Code = nil
	}
	if exit.Reason == "" {
		switch {
		case exit.Signal != "":
			exit.Reason = ReasonSignal
		case exit.Status == Killed:
			exit.Reason = ReasonKill
		default:
			exit.Reason = ReasonExit
		}
	}
	return x.finish(exit)
}

// mayBeOfStop reports whether the end of an execution that was asked to stop can be due to that.
func mayBeOfStop(exit Exit) bool {
	if exit.Status == Killed {
		return exit.EndedBy == ""
	}
	return exit.Status == Exited
}

// finish records the end. Concurrent callers wait for the first one.
func (x *Execution) finish(exit Exit) error {
	x.outMu.Lock()
	if x.ended {
		x.outMu.Unlock()
		<-x.done
		return nil
	}
	x.ended = true
	x.outMu.Unlock()
	x.mu.Lock()
	if s := x.stopping; s != nil && mayBeOfStop(exit) {
		exit.Status, exit.Reason, exit.EndedBy = Killed, s.Reason, s.By
	}
	x.mu.Unlock()
	if exit.At.IsZero() {
		exit.At = x.e.cfg.now()
	}
	x.h.End(exit)
	x.e.mu.Lock()
	delete(x.e.execs, x.id)
	delete(x.e.attached, x.pid)
	// The end may be reported from inside of a hook, which Close waits for.
	closing := x.e.spawnLocked(func() { x.releaseHolder() })
	x.e.mu.Unlock()
	close(x.done)
	if !closing {
		x.releaseHolder()
	}
	return nil
}

func (x *Execution) releaseHolder() {
	if err := x.h.Close(); err != nil {
		x.e.log.Warn("the holder of an execution failed to close", "job", x.id, "err", err)
	}
}

// abandon ends an execution whose engine is closed.
func (x *Execution) abandon() error {
	return x.finish(Exit{
		Status: Lost,
		Reason: ReasonHolderDied,
		Error:  "the program that performed it exited without completing it",
	})
}

// hasEnded reports whether the end is recorded.
func (x *Execution) hasEnded() bool {
	select {
	case <-x.done:
		return true
	default:
		return false
	}
}
