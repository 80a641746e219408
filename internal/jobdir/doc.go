// Package jobdir reads and writes the files of job directories and of the state directory that
// contains them. Only this package depends on their names and formats.
//
//	<root>/                 $HOB_STATE_DIR, $XDG_STATE_HOME/hob or ~/.local/state/hob; 0700
//	  index                 finished jobs, one checksummed line of JSON each; deletable
//	  swept                 the clocks at the last sweep; deletable
//	  jobs/<id>/            one directory a job
//	  jobs/.sweep           lock of a sweep; its modification time is that of the last sweep
//	  jobs/.index           lock of changes to the index
//	  jobs/.tokens          lock of starts with an idempotency key
//	  jobs/.new-*           directories that are being created
//	  trash/<id>/           removed jobs until a sweep deletes them
//	  links/to-<host>       why the host could not be reached the last time; deletable
//
// A job directory contains meta.json (the request; written once, before the start),
// state.json (everything known since; one writer, the holder), the logs (package
// internal/logfile), times, events, exit_code (exists only if the end and its code are
// known; written after state.json), lock (held by the holder while it runs), seen (the user
// has seen that the job failed) and cursors/.
//
// # Formats
//
// Records are JSON, one object a file; events has one object a line. exit_code is a
// decimal number and a newline. A cursor is a decimal number: the offset up to which the
// client has read, for separate streams in the order that cursors/order defines. times
// and index are described in times.go and index.go.
//
// # Atomicity
//
// A directory is created under a temporary name, with meta.json in it, and then renamed.
// Records are replaced by renaming, too. Readers therefore need no lock.
package jobdir
