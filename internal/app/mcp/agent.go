package mcp

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/engine"
)

// agent is the state of one session.
type agent struct {
	c    Config
	life context.Context //nolint:containedctx // ends with the session
	srv  *mcp.Server

	session atomic.Pointer[mcp.ServerSession] // nil before it is connected

	// Set by open, then never again.
	opened  sync.Once
	eng     *engine.Engine
	scope   scope
	began   time.Time
	openErr error

	work sync.WaitGroup // goroutines of the session; life ends them

	news    news
	sending deliveries
	waits   waits
	reads   reads
	subs    subscriptions
	wake    chan struct{} // has a value when another job may have finished
}

func newAgent(life context.Context, c Config) *agent {
	a := &agent{
		c: c, life: life, wake: make(chan struct{}, 1),
		news: news{
			answering: map[engine.ID]int{}, watched: map[engine.ID]*watch{},
			fetched: map[engine.ID]time.Time{}, outputs: map[engine.ID]output{}, shell: map[engine.ID]bool{},
		},
		sending: deliveries{on: map[*mcp.RequestExtra]*request{}},
		waits:   waits{running: map[string]bool{}},
		reads:   reads{jobs: map[engine.ID]*reading{}},
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
	if why, err := a.eng.Finding(ctx, ans.job.ID); err == nil {
		ans.Why = oneLine(why, 300)
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
			if _, err := a.eng.Discard(a.life, j.ID); err == nil {
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
	a.reads.drop(id)
	a.srv.RemoveResources(logURI(id))
}

// wakeExpiry makes expire look for jobs again.
func (a *agent) wakeExpiry() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}
