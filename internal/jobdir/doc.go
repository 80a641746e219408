// Package jobdir is the one place that knows the files of a job directory and of
// the state root around it.
//
//	<root>/                 $HOB_STATE_DIR, $XDG_STATE_HOME/hob or ~/.local/state/hob; 0700
//	  index                 finished jobs, one checksummed line of JSON each; deletable
//	  jobs/<id>/            one directory a job
//	  jobs/.sweep           only a lock; its time is that of the last sweep
//	  jobs/.index           only a lock, of changes to the index
//	  jobs/.tokens          only a lock, of starts with an idempotency key
//	  jobs/.new-*           directories in the making
//	  trash/<id>/           removed jobs until the next sweep
//	  links/to-<host>       why that host could not be reached the last time; deletable
//
// A job directory holds meta.json (what was asked; written once, before the
// start), state.json (what is known since; one writer, the holder), the logs
// (package internal/logfile), times, events, exit_code (exists exactly when the
// end and its code are known; written after state.json), lock (held by the
// holder for life) and cursors/.
//
// # Formats
//
// Records are JSON, one object a file, and in events one a line. exit_code is a
// decimal number and a newline. A cursor is a decimal number: how far the client
// has read; of separate streams in the order that cursors/order gives them. times
// and index are described in times.go and index.go.
//
// # Atomicity
//
// Directories appear whole: they are made beside their place with meta.json in
// them and renamed. Records are replaced by rename. A reader therefore never
// needs a lock.
package jobdir
