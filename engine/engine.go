package engine

import (
	"context"
	"time"
)

// Engine supervises jobs. Make one with [New], let go of it with
// [Engine.Close]. All its methods may be called concurrently.
type Engine struct {
	cfg config
}

// New opens the state root, making it if needed. It starts nothing.
func New(opts ...Option) (*Engine, error) { return nil, ErrUnsupported }

// StateRoot is where jobs are kept unless told otherwise: $HOB_STATE_DIR, else
// $XDG_STATE_HOME/hob, else ~/.local/state/hob.
func StateRoot() (string, error) { return "", ErrUnsupported }

// Close lets go of all jobs, ending none but those whose holder is this process:
// virtual executions that were not completed become lost.
func (e *Engine) Close() error { return nil }

// Backends names the backends, in order.
func (e *Engine) Backends() []string { return nil }

// Capabilities are those of the backend that serves host.
func (e *Engine) Capabilities(host string) Capabilities { return Capabilities{} }

// Start starts a job and returns it as soon as it runs.
func (e *Engine) Start(ctx context.Context, spec Spec, opts ...StartOption) (Job, error) {
	return Job{}, ErrUnsupported
}

// Run starts a job and waits for its end, for [Engine.Background], or for
// YieldAfter. When ctx is done first, the job is stopped.
func (e *Engine) Run(ctx context.Context, spec Spec, o RunOptions) (Result, error) {
	return Result{}, ErrUnsupported
}

// List returns the jobs that f selects, newest first.
func (e *Engine) List(ctx context.Context, f Filter) ([]Job, error) { return nil, ErrUnsupported }

// Get is Resolve for verbs that read.
func (e *Engine) Get(ctx context.Context, ref string) (Job, error) { return Job{}, ErrUnsupported }

// Intent says what a reference is resolved for.
type Intent int

// The intents.
const (
	Read Intent = iota // reads or restarts: of a shared name the newest job when none runs
	Act                // acts: of a shared name only the one that runs
)

// Resolve finds the job that ref means: an id, a name, a unique prefix of an id,
// "@" for the newest job, "@2" for the one before.
func (e *Engine) Resolve(ctx context.Context, ref string, in Intent) (Job, error) {
	return Job{}, ErrUnsupported
}

// Background ends the waiting of every [Engine.Run] for the job, which runs on.
func (e *Engine) Background(ctx context.Context, id ID) error { return ErrUnsupported }

// Wait returns when the job has ended.
func (e *Engine) Wait(ctx context.Context, id ID) (Exit, error) { return Exit{}, ErrUnsupported }

// IsActive reports whether the job has not ended.
func (e *Engine) IsActive(id ID) bool { return false }

// OnExit calls f once with the job's end.
func (e *Engine) OnExit(id ID, f func(Exit)) (cancel func()) { return func() {} }

// Write types p into the job.
func (e *Engine) Write(ctx context.Context, id ID, p []byte) error { return ErrUnsupported }

// CloseInput ends the job's input.
func (e *Engine) CloseInput(ctx context.Context, id ID) error { return ErrUnsupported }

// SendKeys types keys by their tmux names.
func (e *Engine) SendKeys(ctx context.Context, id ID, keys []string) error { return ErrUnsupported }

// Paste types p as a paste, bracketed if the job asked for that.
func (e *Engine) Paste(ctx context.Context, id ID, p []byte) error { return ErrUnsupported }

// Resize gives the job's terminal another size.
func (e *Engine) Resize(ctx context.Context, id ID, s Size) error { return ErrUnsupported }

// Screen is the job's screen now, or its last one.
func (e *Engine) Screen(ctx context.Context, id ID) (Screen, error) {
	return Screen{}, ErrUnsupported
}

// OpenTerminal opens a live session with the job's terminal.
func (e *Engine) OpenTerminal(ctx context.Context, id ID, o TerminalOptions) (Terminal, error) {
	return nil, ErrUnsupported
}

// Signal sends one signal.
func (e *Engine) Signal(ctx context.Context, id ID, name string) error { return ErrUnsupported }

// Stop ends the job's whole tree and returns when it is gone.
func (e *Engine) Stop(ctx context.Context, id ID, o StopOptions) (StopReport, error) {
	return StopReport{}, ErrUnsupported
}

// Kill is Stop without a grace time.
func (e *Engine) Kill(ctx context.Context, id ID) (StopReport, error) {
	return StopReport{}, ErrUnsupported
}

// Clear moves finished jobs to the trash.
func (e *Engine) Clear(ctx context.Context, ids ...ID) ([]Job, error) { return nil, ErrUnsupported }

// Undo brings cleared jobs back; without ids those of the last clear.
func (e *Engine) Undo(ctx context.Context, ids ...ID) ([]Job, error) { return nil, ErrUnsupported }

// Remove stops the job if it runs, then clears it.
func (e *Engine) Remove(ctx context.Context, id ID) (Job, error) { return Job{}, ErrUnsupported }

// Restart starts the job's request again as a new job.
func (e *Engine) Restart(ctx context.Context, id ID, opts ...StartOption) (Job, error) {
	return Job{}, ErrUnsupported
}

// ReadOutput reads the job's output (stdout, if the streams are apart) at the
// absolute offset off. size is how far the output reaches. n is 0 without an
// error at the end.
func (e *Engine) ReadOutput(ctx context.Context, id ID, p []byte, off int64) (n int, size int64, err error) {
	return 0, 0, ErrUnsupported
}

// Poll is what a client has not yet seen of a job.
type Poll struct {
	Job     Job
	Output  []byte
	Cursor  int64 // where the next poll goes on
	Dropped int64 // bytes between the cursors that are gone
	More    bool  // there is more to read at once
}

// Poll returns the output since the last poll of client.
func (e *Engine) Poll(ctx context.Context, id ID, client string, wait time.Duration) (Poll, error) {
	return Poll{}, ErrUnsupported
}

// PollAt is Poll from a cursor that the caller keeps.
func (e *Engine) PollAt(ctx context.Context, id ID, cursor int64, wait time.Duration) (Poll, error) {
	return Poll{}, ErrUnsupported
}

// History returns the recorded facts since then, oldest first.
func (e *Engine) History(ctx context.Context, since time.Time) ([]Event, error) {
	return nil, ErrUnsupported
}

// Sweep removes what retention no longer keeps.
func (e *Engine) Sweep(ctx context.Context) error { return ErrUnsupported }
