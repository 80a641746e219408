// Package statedir reads and changes the state directory, which contains the job directories of a
// user: it creates jobs, lists them, moves them to the trash and applies the retention limits. The
// files of one job are those of package internal/jobdir, which is all that a holder needs.
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
//	  queues/<name>/        queues, see packages internal/turn and internal/queue
//
// A job directory is created under a temporary name, with meta.json in it, and then renamed, so
// that readers need no lock. The format of the index is described in index.go.
package statedir
