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

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/config"
)

// Config is what a server needs to know.
type Config struct {
	Version string
	// Dir is where the agent works: commands run there unless they say otherwise,
	// and the project is found from it. Absolute.
	Dir      string
	Settings config.Agent
	// Problems is what is wrong with the settings; the first answer says it.
	Problems []string
	// Open opens the engine under the name of the client, which is known with its
	// first call. It is called once. The caller of Serve closes the engine.
	Open   func(client string) (*engine.Engine, error)
	Logger *slog.Logger // nil: nothing is logged
}

// Serve serves one client over t until it leaves, which is no error, or ctx is
// done. Commands that run in the foreground then go on in the background.
func Serve(ctx context.Context, c Config, t mcp.Transport) error {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	life, end := context.WithCancel(ctx)
	defer end()
	a := newAgent(life, c)
	srv := mcp.NewServer(&mcp.Implementation{Name: "hob", Title: "hob: background jobs", Version: c.Version}, &mcp.ServerOptions{
		Instructions:       instructions,
		Logger:             c.Logger,
		InitializedHandler: func(_ context.Context, r *mcp.InitializedRequest) { a.greet(clientName(r.ClientInfo())) },
		SubscribeHandler:   a.subscribe,
		UnsubscribeHandler: a.unsubscribe,
		//lint:ignore SA1019 deprecated, and yet the only message every client takes
		Capabilities: &mcp.ServerCapabilities{Logging: &mcp.LoggingCapabilities{}},
	})
	a.srv = srv
	a.addTools()
	a.addLogTemplate()

	// Clients that never set a level get what the agent would be told too.
	session, err := srv.Connect(ctx, t, &mcp.ServerSessionOptions{State: &mcp.ServerSessionState{LogLevel: "info"}})
	if err != nil {
		return err
	}
	a.session.Store(session)
	// Calls in flight notice that life ends, and Close waits for them. Their answers
	// are lost: the SDK sends none once it closes.
	stop := context.AfterFunc(life, func() { _ = session.Close() })
	defer stop()
	err = session.Wait()
	end()
	a.news.close()
	a.work.Wait()
	gone := errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) || errors.Is(err, syscall.EPIPE)
	if gone || ctx.Err() != nil {
		return nil
	}
	return err
}

// clientName is the name that a client has given itself, fit for a list.
func clientName(i *mcp.Implementation) string {
	name := ""
	if i != nil {
		name = oneLine(i.Name, 40)
	}
	if name == "" {
		name = "agent"
	}
	return name
}
