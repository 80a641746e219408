package mcp

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/engine"
)

// agent is the client of one session and what hob keeps for it.
type agent struct {
	c    Config
	life context.Context //nolint:containedctx // ends with the session, which the agent is
	srv  *mcp.Server

	session atomic.Pointer[mcp.ServerSession] // nil before it is connected

	// Set by greet, then never again.
	greeted sync.Once
	eng     *engine.Engine
	scope   scope
	openErr error

	work sync.WaitGroup // goroutines of the session; life ends them

	news  news
	reads reads
	subs  subscriptions
	wake  chan struct{} // has a value when finished jobs may be more
}

func newAgent(life context.Context, c Config) *agent {
	a := &agent{
		c: c, life: life, wake: make(chan struct{}, 1),
		news:  news{asking: map[engine.ID]int{}, watched: map[engine.ID]*watch{}},
		reads: reads{jobs: map[engine.ID]*reading{}},
		subs:  subscriptions{open: map[string]context.CancelFunc{}},
	}
	for _, p := range c.Problems {
		a.news.notices = append(a.news.notices, notice{text: "hob's settings: " + oneLine(p, 300), shouted: true})
	}
	return a
}

// greet opens the engine under the client's name and takes up its jobs.
func (a *agent) greet(name string) {
	a.greeted.Do(func() {
		a.scope = newScope(name, a.c.Dir)
		if a.eng, a.openErr = a.c.Open(name); a.openErr != nil {
			return
		}
		a.takeUp()
		a.work.Go(a.expire)
	})
}

// finish adds the news to an answer and makes it fit.
func (a *agent) finish(ctx context.Context, ans *answer) *mcp.CallToolResult {
	if ans.job.Status.Finished() && !ans.transient {
		a.heard(ans.job.ID)
	}
	most := a.c.Settings.MaxOutputChars
	ans.Notices = append(ans.Notices, a.tellNews(most/4)...)
	if ans.transient {
		gone := ans.gone()
		r := gone.result(most)
		if !gone.Truncated && len(gone.body.notices) == 0 { // of what is not shown the files stay
			a.discard(ctx, ans.job.ID)
			return r
		}
		a.addLog(ans.job)
	}
	return ans.result(most)
}

func (a *agent) refuse(err error) *mcp.CallToolResult {
	f := general(err)
	f.notices = a.tellNews(a.c.Settings.MaxOutputChars / 4)
	return f.result()
}

// expire discards the finished jobs of this client that are older than its jobs
// are to be kept, each by its own end, until life ends.
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

// expireDue discards what is due and returns when the next one is; zero if there
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
			at = time.Now().Add(time.Hour) // whatever is in the way now
		}
		if soonest.IsZero() || at.Before(soonest) {
			soonest = at
		}
	}
	return soonest
}

// forget drops what is kept of a job that is gone.
func (a *agent) forget(id engine.ID) {
	a.heard(id)
	a.reads.drop(id)
	a.srv.RemoveResources(logURI(id))
}

// prod makes expire look again.
func (a *agent) prod() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}
