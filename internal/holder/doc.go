// Package holder implements the holder of a job, whichever program that is: a separate process for
// a local job, or the program that performs a virtual execution. The holder has the job directory's
// lock for as long as it lives, writes the log, the records and the facts, and serves the job's
// socket. The operations on the job itself (starting it, typing into it, ending it) are passed in
// as [Hooks].
//
// The client side is [Run]: all operations on a job, given its directory, whichever program and
// version its holder is. The backends of local jobs and of virtual executions embed it. docs/holder-protocol.md describes the protocol between the two.
//
// # Truth
//
// The directory is authoritative, the socket is only faster. A client that finds no socket reads
// the files; a lost connection implies nothing about the job. A job has ended if its records
// contain the end, and is lost if its lock is free and they do not.
//
// # Ownership and concurrency
//
// A [Holder] has one caller of Output at a time; all other methods may be called concurrently. No
// client can block the job: output that a client does not read in time is dropped for that client,
// which gets a new snapshot when it reads again.
//
// This package does not import the engine; they share the types of engine/record.
package holder
