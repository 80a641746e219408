package mcp

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

// progressPause is the time between two messages that a call is still being
// carried out.
const progressPause = 2 * time.Second

// subject is the job that a call is about, once that is known. It may be set and read
// concurrently.
type subject struct{ id atomic.Pointer[engine.ID] }

func (s *subject) set(id engine.ID) { s.id.Store(&id) }

// output returns how much the job has written, for a progress message; empty while it
// has written nothing or the job is not known.
func (a *agent) output(ctx context.Context, s *subject) string {
	id := s.id.Load()
	if id == nil {
		return ""
	}
	j, err := a.eng.Get(ctx, string(*id))
	if err != nil || j.Output == 0 {
		return ""
	}
	return fmt.Sprintf(", %s of output", units.FormatBytes(j.Output))
}

// progress reports to the client that a call is still running, and how much its job has
// written, until stop is called, if the client has asked for progress: many clients give
// up a call that reports none.
func (a *agent) progress(ctx context.Context, r *mcp.CallToolRequest, about *subject) (stop func()) {
	token := r.Params.GetProgressToken()
	if token == nil || r.Session == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		began := time.Now()
		tick := time.NewTicker(progressPause)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			took := time.Since(began)
			err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Progress: took.Seconds(), Message: "goes on for " + briefly(took.Truncate(time.Second)) + a.output(ctx, about),
			})
			if err != nil && ctx.Err() == nil {
				a.c.Logger.Debug("no progress was reported", "err", err)
			}
		}
	})
	return func() {
		cancel()
		wg.Wait()
	}
}
