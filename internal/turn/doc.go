// Package turn is how the holder of a queued job waits until the job may start.
//
// Each waiting job has a process, so its memory counts: there may be a thousand of them. The package
// therefore uses system calls, starts no goroutine and allocates little, and a holder waits before
// it does anything else.
//
// # Files
//
// A queue is a directory, queues/NAME in the state directory:
//
//	lock        locked for moments, while the queue is read or changed
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
package turn
