// Package jobdir reads and writes the files of a job directory. Only this package depends on their
// names and formats. Package internal/statedir has the directory of all jobs.
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
// is described in times.go.
//
// # Atomicity
//
// Records are replaced by renaming. Readers therefore need no lock.
package jobdir
