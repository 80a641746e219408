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
// next one may repeat the notice, marked as such; the result of a task is not repeated. A client of a protocol without tasks also gets a
// log message at once. Ends of commands in the foreground, unless their server was killed, and
// of jobs that were killed on request are not reported.
package mcp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/internal/notes"
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
	caps.AddExtension(tasksExtension, nil)
	srv := mcp.NewServer(&mcp.Implementation{Name: "hob", Title: "hob: background jobs", Version: c.Version}, &mcp.ServerOptions{
		Instructions:       instructions,
		Logger:             c.Logger,
		InitializedHandler: func(_ context.Context, r *mcp.InitializedRequest) { _ = a.open(r.ClientInfo()) }, // the first call reports the error
		SubscribeHandler:   a.subscribe,
		UnsubscribeHandler: a.unsubscribe,
		Capabilities:       caps,
	})
	a.srv = srv
	a.addTools()
	a.addLogTemplate()
	if err := a.addTasks(); err != nil {
		return err
	}

	// Clients that never set a level get the messages about ends too.
	session, err := srv.Connect(ctx, receipts{t, a}, &mcp.ServerSessionOptions{State: &mcp.ServerSessionState{LogLevel: "info"}})
	if err != nil {
		return err
	}
	a.session.Store(session)
	// The end of life cancels calls in flight, and Close waits for them. Their answers
	// are lost, because the SDK sends none once it closes.
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

// clientName is the name of a client, shortened for lists.
func clientName(i *mcp.Implementation) string {
	if i == nil {
		return "agent"
	}
	return cmp.Or(oneLine(i.Name, 40), "agent")
}

// agent is the state of one session.
type agent struct {
	c    Config
	life context.Context //nolint:containedctx // ends with the session
	srv  *mcp.Server

	session atomic.Pointer[mcp.ServerSession] // nil before it is connected

	// Set by open, then never again.
	opened  sync.Once
	eng     *engine.Engine
	notes   notes.Book
	scope   scope
	began   time.Time
	openErr error

	work sync.WaitGroup // goroutines of the session; life ends them

	news    news
	sending deliveries
	waits   waits
	subs    subscriptions
	wake    chan struct{} // has a value when another job may have finished
}

func newAgent(life context.Context, c Config) *agent {
	a := &agent{
		c: c, life: life, wake: make(chan struct{}, 1),
		news:    news{jobs: map[engine.ID]*jobNews{}},
		sending: deliveries{on: map[*mcp.RequestExtra]*request{}},
		waits:   waits{running: map[string]bool{}},
		subs:    subscriptions{open: map[string]context.CancelFunc{}},
	}
	for _, p := range c.Problems {
		a.news.notices = append(a.news.notices, notice{text: "hob's settings: " + oneLine(p, 300), logged: true})
	}
	return a
}

// open opens the engine under the client's name and resumes its jobs, once. The error is
// that of opening the engine.
func (a *agent) open(client *mcp.Implementation) error {
	a.opened.Do(func() {
		name := clientName(client)
		a.scope, a.began = newScope(name, a.c.Dir), time.Now()
		if a.eng, a.openErr = a.c.Open(name); a.openErr != nil {
			return
		}
		a.notes = notes.Of(a.eng.StateDir())
		a.resume()
		a.work.Go(a.expire)
	})
	return a.openErr
}

// finish adds notices to an answer and limits its size.
func (a *agent) finish(ctx context.Context, ans *answer) *mcp.CallToolResult {
	if ans.job.Status.Finished() {
		a.report(ctx, ans.job.ID)
	}
	a.explain(ctx, ans)
	most := a.c.Settings.MaxOutputChars
	ans.Notices = append(ans.Notices, a.takeNotices(ctx, most/4)...)
	if ans.transient {
		gone := ans.withoutJob()
		r := gone.result(most)
		if !gone.Truncated && len(gone.body.notices) == 0 { // otherwise the files have more
			requestOf(ctx).discard = ans.job.ID
			return r
		}
		a.addLog(ans.job)
	}
	return ans.result(most)
}

// explain adds why the job failed, if more than its end is known.
func (a *agent) explain(ctx context.Context, ans *answer) {
	if !ans.job.Unsuccessful() {
		return
	}
	if why, err := a.eng.Handle(ans.job.ID).Explain(ctx, false); err == nil {
		ans.Why = oneLine(why.Finding, 300)
	}
}

func (a *agent) refuse(ctx context.Context, err error) *mcp.CallToolResult {
	f := general(err)
	f.notices = a.takeNotices(ctx, a.c.Settings.MaxOutputChars/4)
	return f.result()
}

// expire discards the finished jobs of this client when they reach the maximum age, until
// life ends.
func (a *agent) expire() {
	for {
		var due <-chan time.Time
		if soonest := a.expireDue(); !soonest.IsZero() {
			due = time.After(time.Until(soonest))
		}
		select {
		case <-due:
		case <-a.wake:
		case <-a.life.Done():
			return
		}
	}
}

// expireDue discards the jobs that are due. It returns when the next one is, or zero if there
// is none.
func (a *agent) expireDue() (soonest time.Time) {
	jobs, err := a.eng.List(a.life, engine.Filter{Finished: true, Labels: map[string]string{labelClient: a.scope.client}})
	if err != nil {
		return time.Time{}
	}
	for _, j := range jobs {
		if j.Exit.At.IsZero() {
			continue
		}
		now := time.Now()
		at := now.Add(a.c.Settings.TTL - j.EndedAgo(now))
		if !at.After(now) {
			if _, err := a.eng.Remove(a.life, engine.RemoveOptions{Forever: true}, j.ID); err == nil {
				a.forget(j.ID)
				continue
			}
			at = time.Now().Add(time.Hour) // try again then
		}
		if soonest.IsZero() || at.Before(soonest) {
			soonest = at
		}
	}
	return soonest
}

// forget drops the state of a job that no longer exists.
func (a *agent) forget(id engine.ID) {
	a.withdraw(id)
	a.news.drop(id)
	a.srv.RemoveResources(logURI(id))
}

// wakeExpiry makes expire look for jobs again.
func (a *agent) wakeExpiry() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}
