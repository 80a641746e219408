// Package mcp serves hob to AI agents: the tools bash and process of the Model
// Context Protocol, and the logs of their jobs as resources.
//
// It is a thin layer over package engine. It adds what agents need: answers of bounded
// length that name the next call, output that is marked as such, and notices about jobs
// that ended between two calls.
//
// # Scope
//
// Jobs belong to a scope: the client's name and the project's directory, which are labels
// of the job. An agent's next session in the same project owns them again. Jobs outside of
// the scope are unknown, unless a call has all: true.
//
// # Ownership
//
// [Serve] serves one client and returns when the client has disconnected and every
// goroutine has ended. Jobs are the engine's: a command in the foreground ends
// when its call is canceled, and no job ends because the client disconnects.
//
// # Delivery of ends
//
// The end of a job in the background is reported to the agent once: by the answer to
// a call about the job, or else as a notice in the next answer, in this session
// or the next, or by the result of the job's task. A connected agent gets the notice even if
// another agent of its scope already had it. If the server was killed while it sent an answer, the
// next one may repeat the notice, marked as such; the result of a task is not repeated. A client of
// a protocol without tasks also gets a log message at once. Ends of commands in the foreground,
// unless their server was killed, and of jobs that were killed on request are not reported.
package mcp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/deliver"
	"github.com/hobjobs/hob/internal/app/mcp/plain"
	"github.com/hobjobs/hob/internal/app/mcp/session"
	"github.com/hobjobs/hob/internal/app/mcp/tool"
	"github.com/hobjobs/hob/internal/config"
)

// Config configures a server.
type Config struct {
	Version string
	// Dir is the agent's working directory: commands run there by default, and the
	// project is derived from it. Absolute.
	Dir      string
	Settings config.Agent
	Keep     time.Duration // how long finished jobs are kept
	// Problems are errors in the settings; the first answer reports them.
	Problems []string
	// Open opens the engine under the name of the client, which its first request has.
	// It is called once. The caller of Serve closes the engine.
	Open   func(client string) (*engine.Engine, error)
	Logger *slog.Logger // nil: nothing is logged
}

// Serve serves one client over t until the client disconnects, which is not an error, or ctx
// is done. Commands in the foreground then continue in the background.
func Serve(ctx context.Context, c Config, t mcp.Transport) error {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	life, end := context.WithCancel(ctx)
	defer end()
	a := newAgent(life, c)
	//lint:ignore SA1019 deprecated, and yet the only message every client takes
	caps := &mcp.ServerCapabilities{Logging: &mcp.LoggingCapabilities{}}
	caps.AddExtension(deliver.TasksExtension, nil)
	srv := mcp.NewServer(&mcp.Implementation{Name: "hob", Title: "hob: background jobs", Version: c.Version}, &mcp.ServerOptions{
		Instructions:       instructions,
		Logger:             c.Logger,
		InitializedHandler: func(_ context.Context, r *mcp.InitializedRequest) { _ = a.Open(r.ClientInfo()) }, // the first call reports the error
		SubscribeHandler:   a.subscribe,
		UnsubscribeHandler: a.unsubscribe,
		Capabilities:       caps,
	})
	a.srv = srv
	a.addTools()
	a.addLogTemplate()
	if err := a.delivery.AddTasks(srv); err != nil {
		return err
	}

	// Clients that never set a level get the messages about ends too.
	connection, err := srv.Connect(ctx, receipts{t, a.delivery}, &mcp.ServerSessionOptions{State: &mcp.ServerSessionState{LogLevel: "info"}})
	if err != nil {
		return err
	}
	a.delivery.Connected(connection)
	// The end of life cancels calls in flight, and Close waits for them. Their answers
	// are lost, because the SDK sends none once it closes.
	stop := context.AfterFunc(life, func() { _ = connection.Close() })
	defer stop()
	err = connection.Wait()
	end()
	a.delivery.Close()
	a.Work.Wait()
	gone := errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) || errors.Is(err, syscall.EPIPE)
	if gone || ctx.Err() != nil {
		return nil
	}
	return err
}

// clientName is the name of a client, shortened for lists.
func clientName(i *mcp.Implementation) string {
	if i == nil {
		return "agent"
	}
	return cmp.Or(plain.OneLine(i.Name, 40), "agent")
}

// agent is the server of one session.
type agent struct {
	*session.Session
	c        Config
	srv      *mcp.Server
	delivery *deliver.Delivery
	tools    *tool.Tools

	opened  sync.Once
	openErr error // of opened

	subs subscriptions
	wake chan struct{} // has a value when another job may have finished
}

func newAgent(life context.Context, c Config) *agent {
	a := &agent{
		Session: &session.Session{
			Dir:      c.Dir,
			Settings: c.Settings,
			Keep:     c.Keep,
			Log:      c.Logger,
			Life:     life,
		},
		c:    c,
		subs: subscriptions{open: map[string]context.CancelFunc{}},
		wake: make(chan struct{}, 1),
	}
	a.delivery, a.tools = deliver.New(a.Session, a, c.Problems)
	return a
}

// Open opens the engine under the client's name and resumes its jobs, once. The error is
// that of opening the engine.
func (a *agent) Open(client *mcp.Implementation) error {
	a.opened.Do(func() {
		name := clientName(client)
		eng, err := a.c.Open(name)
		if err != nil {
			a.openErr = err
			return
		}
		a.Opened(eng, name)
		a.delivery.Resume()
		a.Work.Go(a.expire)
	})
	return a.openErr
}
