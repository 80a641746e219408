// Package mcp serves hob to AI agents: the tools bash and process of the Model
// Context Protocol, and the logs of their jobs as resources.
//
// It is thin over package engine. What it adds is what an agent needs and a
// person does not: answers of bounded length that say what to call next, output
// that is marked as such, and news of what ended while nobody asked.
//
// # Scope
//
// Jobs belong to a scope, the client's name and the project's directory, which
// is written on them as labels. An agent's next session in the same project owns
// them again. Jobs outside of it are unknown unless a call says all: true.
//
// # Ownership
//
// [Serve] serves one client and returns when the client has left and every
// goroutine has ended. Jobs are the engine's: a command in the foreground ends
// when its call is cancelled, nothing ends because the client has gone.
//
// # Delivery of ends
//
// The end of a job in the background is told once to the agent: by the answer of
// a call about the job, or else as a notice in the next answer, in this session
// or the next. An agent that is there when it ends is told even if another one of
// its scope knows already. The client also gets a log message at once. Nothing is
// told of commands in the foreground and of jobs that somebody killed.
package mcp
