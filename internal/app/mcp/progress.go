package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/internal/app/mcp/tool"
	"github.com/hobjobs/hob/internal/units"
)

// progressPause is the time between two progress messages.
const progressPause = 2 * time.Second

// progressOf describes a call that has taken that long, for a progress message: how much its job has
// written, or why it is queued, if the job is known.
func (a *agent) progressOf(ctx context.Context, took time.Duration) string {
	text := "running for " + units.FormatTook(took.Truncate(time.Second))
	id := a.delivery.JobOf(ctx)
	if id == nil {
		return text
	}
	j, err := a.Eng.Handle(*id).Facts(ctx)
	if err != nil {
		return text
	}
	if reason := tool.WaitReason(j, time.Now()); reason != "" {
		text = "queued: " + reason
	}
	if j.Output > 0 {
		text += fmt.Sprintf(", %s of output", units.FormatBytes(j.Output))
	}
	return text
}

// Many clients abandon a call that reports no progress. If the client asked for it, progress reports how long
// the call has been running and how much its job has written, until stop is called.
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
				ProgressToken: token, Progress: took.Seconds(), Message: a.progressOf(ctx, took),
			})
			if err != nil && ctx.Err() == nil {
				a.Log.Debug("no progress was reported", "err", err)
			}
		}
	})
	return func() {
		cancel()
		wg.Wait()
	}
}
