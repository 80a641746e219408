// Package holder is what the holder of a job does, whoever it is: a process of
// its own for a local job, or the program that performs a virtual execution. It
// has the job directory's lock for as long as it lives, writes the log, the
// records and the facts, and serves the job's socket. What makes the job go
// (starting it, typing into it, ending it) comes in as [Hooks].
//
// The other end is [Run]: everything that can be asked of a job by its directory,
// whatever program of whatever version holds it. The backends of local jobs and of
// virtual executions embed it. docs/holder-protocol.md describes what passes between
// the two.
//
// # Truth
//
// The directory is the truth, the socket only faster. A client that finds no
// socket reads the files; a lost connection says nothing about the job. A job
// has ended when its records say so, or is lost when its lock is free and they
// do not.
//
// # Ownership and concurrency
//
// A [Holder] has one caller of Output at a time; everything else may be called
// by anyone. No client can make the job wait: what a client does not take in
// time is dropped for it, and it gets a new snapshot when it reads again.
//
// This package does not know the engine; it has the types of engine/record in common
// with it.
package holder
