package mcp

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressPause is the time between two messages that a call is still being
// carried out.
const progressPause = 2 * time.Second

// progress tells the client that a call goes on until stop is called, if the
// client has asked for that: many give up a call of which they hear nothing.
func (a *agent) progress(ctx context.Context, r *mcp.CallToolRequest) (stop func()) {
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
				ProgressToken: token, Progress: took.Seconds(), Message: "goes on for " + briefly(took.Truncate(time.Second)),
			})
			if err != nil && ctx.Err() == nil {
				a.c.Logger.Debug("the client was not told that a call goes on", "err", err)
			}
		}
	})
	return func() {
		cancel()
		wg.Wait()
	}
}
