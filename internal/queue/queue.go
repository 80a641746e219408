// Package queue lets jobs of this machine wait for a slot of a queue, or for other jobs. Clients add
// jobs to queues and change queues; the holder of each queued job waits until the job may start.
//
// # Files
//
// A queue is a directory, queues/NAME in the state directory:
//
//	lock        locked for moments, while the queue is read or changed
//	locked-by   exists while a process keeps the queue locked for long: describes it
//	settings    "SLOTS PAUSED CONFIGURED\n", three numbers
//	jobs/       one empty file for each job of the queue: its entry
//
// The name of an entry has the job's state (see [State]), a sequence number and the id. An entry counts
// only while the lock of its job is held. The entry of a process that was killed therefore has no
// effect, and the next process that finds it deletes it. A job has a slot while it has an entry in
// state Running.
//
// The holder of every job keeps the pipe "alive" of the job directory open for reading and writing
// until the end of the job is recorded. A process that has it open for reading sees a hang-up then,
// also if the holder is killed. A byte written to it wakes a holder that waits.
//
// # Waking
//
// The first job in line watches the jobs that have the slots, every other one the job before it: the
// end of a process wakes one other. A program that changes a queue wakes the holders that the
// change affects, before the change and with the queue locked: they look once the lock is free, even
// if the program is killed.
package queue

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/hobjobs/hob/engine/record"
)

// ErrNotWaiting means that a job does not wait in the queue, or not any more.
var ErrNotWaiting = errors.New("the job does not wait")

// Place is the place of a new job in a queue, as its holder needs it.
type Place struct {
	Dir      string      `json:"dir"`                 // the directory of the queue
	After    []record.ID `json:"after,omitempty"`     // must have exited with 0
	AfterAny []record.ID `json:"after_any,omitempty"` // must have ended
}

// Default is the name of the queue of jobs that name none.
const Default = "default"

// unnamed is the queue of jobs that wait for other jobs only.
const unnamed = ".after"

// Queues is the name of the directory of all queues, in the state directory.
const Queues = "queues"

// Of returns the directory of all queues in the state directory that the job directory jobDir is in.
func Of(jobDir string) string {
	return filepath.Join(filepath.Dir(filepath.Dir(jobDir)), Queues)
}

// Dir returns the directory of the queue name below the directory of all queues. The empty name is
// that of the jobs that need no slot.
func Dir(queues, name string) string {
	if name == "" {
		name = unnamed
	}
	return filepath.Join(queues, name)
}

// NameHint is how to choose a valid name.
const NameHint = "use 1 to 64 letters, digits, '-', '_' and '.', and begin with a letter, a digit or '_'"

// ValidName reports whether name can be that of a queue.
func ValidName(name string) bool {
	if name == "" || len(name) > 64 || strings.ContainsAny(name[:1], ".-") {
		return false
	}
	const valid = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	return strings.Trim(name, valid) == ""
}

// Names lists the queues, sorted.
func Names(queues string) ([]string, error) {
	entries, err := os.ReadDir(queues)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && ValidName(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, err
}
