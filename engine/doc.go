// Package engine supervises executions: it starts them through backends, knows
// how each of them stands, keeps the record, and tells whoever subscribes.
//
// The engine knows neither terminals nor networks nor shells. A [Backend] does
// the work where the job runs; the engine owns the lifecycle (create, stream,
// background, complete or kill), the job directories under its state root, ids
// and look-up, limits, retention, and delivery of facts.
//
//	eng, err := engine.New(engine.WithBackend(local.New())) // main begins as package local says
//	if err != nil { … }
//	defer eng.Close()
//	job, err := eng.Start(ctx, engine.Spec{Command: []string{"make", "test"}})
//	exit, err := eng.Wait(ctx, job.ID)
//
// # Truth
//
// A job is a directory (see package internal/jobdir for its files). Records are
// written first and published after; every client, in this process or another,
// is a reader of the same directories. Closing an engine lets go of its jobs;
// it ends those alone that live in this program.
//
// # Ownership and concurrency
//
// All methods of [Engine] may be called from any goroutine. Everything handed
// out is a value that the receiver may keep. Contexts bound the call, never the
// job.
//
// # Delivery
//
// A [Subscription] is pulled. Its first batch is the snapshot of all jobs that
// its filter selects, then every later fact arrives exactly once and in order a
// job; facts of one job that supersede each other (output grew, title changed)
// merge while nobody reads, ends are never merged away and wake the reader at
// once.
package engine
