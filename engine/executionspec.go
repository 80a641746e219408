package engine

import "context"

// ExecutionSpec describes an execution that a program performs itself.
type ExecutionSpec struct {
	PID     int      // the process that performs it, which the caller started and owns; 0: none
	Name    string   // empty: derived from the command
	Command []string // shown as the command; may be nil
	Dir     string
	// Size makes the output that of a terminal of this size: lines end in CR LF, escape sequences
	// are interpreted, and clients can attach. Zero: plain lines, unless there is a Resize hook;
	// then 120x40.
	Size      Size
	Labels    map[string]string
	LogLimit  int64 // bytes; 0: the engine's default, negative: none
	Hooks     ExecutionHooks
	CreatedBy string // empty: the engine's client name
}

// ExecutionHooks are the engine's access to an execution that a program owns. If a hook is nil, the
// corresponding call fails with ErrUnsupported, or ErrNoInput for Write. The engine calls hooks
// from its own goroutines, one at a time for each execution; they may call the execution's methods.
// When Kill is due, the context of a running hook is canceled.
type ExecutionHooks struct {
	// Write receives input and, for an execution with a terminal, the terminal's replies to queries
	// in the output. The hook may keep p.
	Write func(ctx context.Context, p []byte) error
	// Resize reports the terminal's size. While a client is attached, the client sets the size: the
	// hook is notified afterward, and its error is only logged.
	Resize func(ctx context.Context, size Size) error
	// Kill ends the execution. When it returns nil, the engine records the execution as ended,
	// unless it was completed by then. It is called once, and again only after an error. ctx is
	// done when the caller no longer waits, at the latest two seconds after the grace period; the
	// job is stopping until the hook returns.
	Kill func(ctx context.Context) error
}
