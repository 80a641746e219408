// Package engine supervises executions. It starts them through backends, tracks their state, keeps
// their records, and notifies subscribers of changes.
//
// The engine does not depend on a terminal, a network or a shell. A [Backend] does the work where
// the job runs; the engine owns the lifecycle (create, stream, background, complete or kill), the
// job directories under its state directory, ids and lookup, limits, retention, and the delivery of
// events.
//
//	eng, err := engine.New(engine.WithBackend(local.New())) // see package local for what main must call first
//	if err != nil { … }
//	defer eng.Close()
//	job, err := eng.Start(ctx, engine.Spec{Command: []string{"make", "test"}})
//	exit, err := eng.Wait(ctx, job.ID)
//
// # Source of truth
//
// A job is a directory (see package internal/jobdir for its files). Records are written first and
// published after; every client, in this process or another, reads the same directories. Closing an
// engine releases its jobs; it ends only jobs that live in this program.
//
// # Ownership and concurrency
//
// All methods of [Engine] may be called from any goroutine. The caller may keep every returned
// value. A context bounds the call, never the job.
//
// # Delivery
//
// A [Subscription] is pull-based. Its first batch is a snapshot of all jobs that match its filter.
// After that, every event arrives exactly once and in order for each job. Events of one job that
// supersede each other (output grew, title changed) are merged until they are read; ends are never
// merged and wake the reader immediately.
package engine
