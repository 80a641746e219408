// Package ssh runs jobs on hosts that ssh can reach. The hosts need only a POSIX sh.
//
//	eng, err := engine.New(engine.WithBackend(local.New()), engine.WithBackend(ssh.New(ssh.WithPrompts(p))))
//	job, err := eng.Start(ctx, engine.Spec{Host: "web1", Script: "make test"})
//
// A host is an argument of `ssh`: the user's configuration, agent, keys and known_hosts
// determine how it is reached. Each job has a directory on its host (see
// docs/remote-layout.md) with its log files, which outlives the connection, this program and
// this machine. It also has a record here, so that jobs can be listed while their host cannot
// be reached.
//
// # State
//
// The job's directory on the host is authoritative; the local record has its last known
// state. While a host cannot be reached its jobs keep their last status, with a link of
// unreachable: a status is never guessed. A job is identified by its token, not its id; a
// process by pid, start time and boot.
//
// # Connections
//
// Each host has one connection, with at most four sessions, and one more while a stream of
// input is sent. It is made when a call needs it. While jobs on the host are watched a lost
// connection is made again, with growing pauses. After a refused login, or a changed or
// unknown host key, the host needs attention: only [Backend.Connect], or another call that may
// prompt, tries again. Hosts never wait for each other.
//
// # Questions
//
// The user is asked (for a passphrase, about an unknown host key) through [Prompts], and only
// on behalf of a call that the user waits for: starting, stopping, writing, [Backend.Connect],
// and calls with a context of [WithInteraction]. Listing and watching jobs never prompts.
//
// # Concurrency
//
// [Backend] is safe for concurrent use. Its goroutines have ended when Close returns.
package ssh
