// Package ssh runs jobs on hosts that ssh reaches, with nothing installed there
// but a POSIX sh.
//
//	eng, err := engine.New(engine.WithBackend(local.New()), engine.WithBackend(ssh.New(ssh.WithPrompts(p))))
//	job, err := eng.Start(ctx, engine.Spec{Host: "web1", Script: "make test"})
//
// A host is whatever `ssh HOST` takes: the user's configuration, agent, keys and
// known_hosts decide how it is reached. Each job has a directory there (see
// docs/remote-layout.md) with its log files, which outlives the connection, this
// program and this machine; and a record here, so that lists are complete at once
// while a host cannot be reached.
//
// # Truth
//
// The host's directory is the truth, the local record the last known of it. What
// cannot be asked keeps its last status with a link of unreachable: it is never
// guessed. A job is named by its token, not its id; a process by pid, time of
// birth and boot.
//
// # Connections
//
// There is one connection a host, with at most four sessions, and one more while a
// stream of input goes there. It is made when something of the host is needed, and
// again, with growing pauses, while jobs there are watched. A refusal to authenticate
// and a wrong or unknown host key stop that until somebody asks for the host
// ([Backend.Connect]): such a host needs attention. Hosts never wait for each other.
//
// # Questions
//
// What has to be asked of a person (a passphrase, an unknown host key) goes
// through [Prompts], and only on behalf of a call that a person is waiting for:
// starting, stopping, writing, [Backend.Connect], and calls whose context comes
// from [WithInteraction]. Looking never asks.
//
// # Concurrency
//
// [Backend] may be used from any goroutine. Its goroutines belong to it and have
// ended when Close returns.
package ssh
